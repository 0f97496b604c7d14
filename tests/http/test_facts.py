"""Facts through the API: stated once, ended, brought back, on both clocks, in the graph or soon."""

import asyncio
import uuid
from typing import Any

import httpx
import pytest

from graphmem.settings import Embedder
from tests.http.answers import given, refused, stored
from tests.http.serving import Running, a_database, serving, settings_for

pytestmark = pytest.mark.anyio

PARIS = {"source": "Ann", "relation": "lives in", "target": "Paris", "fact": "Ann lives in Paris"}
BERLIN = {"source": "Ann", "relation": "lives in", "target": "Berlin", "fact": "Ann lives in Berlin"}
TEA = {"source": "Ann", "relation": "likes", "target": "tea", "fact": "Ann likes tea"}
MARCH, MAY, JULY = "2026-03-01T00:00:00Z", "2026-05-01T00:00:00Z", "2026-07-01T00:00:00Z"


async def told(api: httpx.AsyncClient, fact: dict[str, Any], status: int = 201, /, **more: Any) -> dict[str, Any]:
    """A fact that was stated."""
    return given(await api.post("/v1/facts", json=fact | more), status)


async def believed(api: httpx.AsyncClient, **query: Any) -> list[str]:
    """The sentences that are shown, newest first."""
    return [fact["fact"] for fact in given(await api.get("/v1/facts", params=query))["facts"]]


async def shown(api: httpx.AsyncClient, fact_id: str) -> dict[str, Any]:
    return given(await api.get(f"/v1/facts/{fact_id}"))


async def drain(server: Running, namespace: str) -> None:
    await server.service.drainer.drain(namespace)


async def test_a_stated_fact_is_answered_whole(plain: httpx.AsyncClient) -> None:
    fact = await told(plain, PARIS, valid_at=MARCH, source_type="person", target_type="place")

    assert uuid.UUID(fact["id"])
    assert fact["source"] | {"id": ""} == {"id": "", "name": "Ann", "type": "person"}
    assert fact["target"] | {"id": ""} == {"id": "", "name": "Paris", "type": "place"}
    assert (fact["relation"], fact["fact"]) == ("LIVES_IN", "Ann lives in Paris")
    assert (fact["valid_at"], fact["invalid_at"], fact["expired_at"]) == (MARCH, None, None)
    assert (fact["episodes"], fact["origin"], fact["retired_by"]) == ([], "stated", None)
    assert "job" not in fact


async def test_the_same_again_is_the_same_fact_with_more_episodes(plain: httpx.AsyncClient) -> None:
    first, second = await stored(plain, "one", "two")
    fact = await told(plain, PARIS, episodes=[first])

    again = await told(plain, PARIS | {"source": "  ANN ", "relation": "LIVES_IN"}, 200, episodes=[second, first])

    assert (again["id"], again["created_at"]) == (fact["id"], fact["created_at"])
    assert again["episodes"] == sorted([first, second])
    assert await believed(plain) == ["Ann lives in Paris"]


async def test_another_sentence_is_another_fact(plain: httpx.AsyncClient) -> None:
    fact = await told(plain, PARIS)

    assert (await told(plain, PARIS, fact="Paris is where Ann lives"))["id"] != fact["id"]


async def test_another_value_of_a_relation_that_has_one_ends_the_one_before(plain: httpx.AsyncClient) -> None:
    paris = await told(plain, PARIS, valid_at=MARCH)
    other_words = await told(plain, PARIS, fact="Ann has a flat in Paris", valid_at=MARCH)

    berlin = await told(plain, BERLIN, valid_at=MAY)

    ended = await shown(plain, paris["id"])
    assert (ended["invalid_at"], ended["expired_at"], ended["retired_by"]) == (MAY, berlin["created_at"], berlin["id"])
    assert {one["id"] for one in (await shown(plain, berlin["id"]))["retired"]} == {paris["id"], other_words["id"]}
    assert await believed(plain) == ["Ann lives in Berlin"]


async def test_a_fact_that_is_told_late_is_placed_in_the_past(plain: httpx.AsyncClient) -> None:
    await told(plain, BERLIN, valid_at=MAY)

    paris = await told(plain, PARIS, valid_at=MARCH)

    assert paris["invalid_at"] == MAY
    assert await believed(plain) == ["Ann lives in Berlin"]


async def test_who_moves_back_lives_there_again(plain: httpx.AsyncClient) -> None:
    paris = await told(plain, PARIS)
    await told(plain, BERLIN)

    again = await told(plain, PARIS, 200)

    assert (again["id"], again["invalid_at"]) == (paris["id"], None)
    assert await believed(plain) == ["Ann lives in Paris"]


async def test_many_values_hold_side_by_side_where_the_relation_has_many(plain: httpx.AsyncClient) -> None:
    await told(plain, TEA)
    await told(plain, TEA, target="coffee", fact="Ann likes coffee")

    assert await believed(plain) == ["Ann likes coffee", "Ann likes tea"]


async def test_a_replaced_fact_ends_where_the_new_one_begins(plain: httpx.AsyncClient) -> None:
    tea = await told(plain, TEA, valid_at=MARCH)

    coffee = await told(plain, TEA, target="coffee", fact="Ann drinks coffee", valid_at=MAY, replaces=tea["id"])

    old = await shown(plain, tea["id"])
    assert (old["invalid_at"], old["expired_at"], old["retired_by"]) == (MAY, coffee["created_at"], coffee["id"])
    assert [one["id"] for one in (await shown(plain, coffee["id"]))["retired"]] == [tea["id"]]
    assert [(one["ends"], one["replaced_by"]) for one in old["history"]] == [(False, None), (True, coffee["id"])]


async def test_a_replaced_plan_is_no_longer_shown(plain: httpx.AsyncClient) -> None:
    goa = {"source": "Ann", "relation": "plans", "target": "Goa", "fact": "Ann plans to go to Goa"}
    plan = await told(plain, goa, valid_at="2999-03-01T00:00:00Z")

    await told(plain, goa, target="Kerala", fact="Kerala instead", valid_at="2999-04-01T00:00:00Z", replaces=plan["id"])

    assert await believed(plain) == ["Kerala instead"]


@pytest.mark.parametrize("replaces", ["nothing", "5b0f4a5e-4f0e-4e0c-9d55-6f7a1c2d3e4f"])
async def test_what_is_replaced_must_be_there(plain: httpx.AsyncClient, replaces: str) -> None:
    refused(await plain.post("/v1/facts", json=PARIS | {"replaces": replaces}), 400, "replaces")

    assert await believed(plain) == []


async def test_a_fact_does_not_replace_itself(plain: httpx.AsyncClient) -> None:
    fact = await told(plain, PARIS)

    refused(await plain.post("/v1/facts", json=PARIS | {"replaces": fact["id"]}), 400, "replaces")


async def test_an_invalidated_fact_is_over_and_says_why(plain: httpx.AsyncClient) -> None:
    fact = await told(plain, PARIS, valid_at=MARCH)
    path = f"/v1/facts/{fact['id']}/invalidate"

    ended = given(await plain.post(path, json={"invalid_at": MAY, "reason": "she left"}))
    again = given(await plain.post(path, json={"invalid_at": MAY, "reason": "she left"}))

    assert (ended["invalid_at"], ended == again) == (MAY, True)
    assert await believed(plain) == []
    history = (await shown(plain, fact["id"]))["history"]
    assert [(one["text"], one["ends"]) for one in history] == [("Ann lives in Paris", False), ("she left", True)]


async def test_a_fact_is_invalidated_from_now_on_and_only_once(plain: httpx.AsyncClient) -> None:
    fact = await told(plain, PARIS)
    path = f"/v1/facts/{fact['id']}/invalidate"

    ended = given(await plain.post(path, json={}))

    assert ended["invalid_at"] == ended["expired_at"] > fact["created_at"]
    assert given(await plain.post(path, json={})) == ended


async def test_an_invalidation_can_be_corrected_and_the_fact_stated_again(plain: httpx.AsyncClient) -> None:
    fact = await told(plain, PARIS, valid_at=MARCH)
    path = f"/v1/facts/{fact['id']}/invalidate"
    given(await plain.post(path, json={"invalid_at": MAY}))

    assert given(await plain.post(path, json={"invalid_at": JULY}))["invalid_at"] == JULY
    assert (await told(plain, PARIS, 200))["invalid_at"] is None


@pytest.mark.parametrize("path", ["nothing", "5b0f4a5e-4f0e-4e0c-9d55-6f7a1c2d3e4f"])
async def test_a_fact_that_is_not_there_is_not_found(plain: httpx.AsyncClient, path: str) -> None:
    refused(await plain.get(f"/v1/facts/{path}"), 404)
    refused(await plain.post(f"/v1/facts/{path}/invalidate", json={}), 404)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"source": ""}, "source"),
        ({"source": "  "}, "source"),
        ({"target": "x" * 501}, "target"),
        ({"target": "a\x00b"}, "target"),
        ({"relation": ""}, "relation"),
        ({"relation": "x" * 201}, "relation"),
        ({"fact": "x" * 4001}, "fact"),
        ({"fact": "\x00"}, "fact"),
        ({"valid_at": "2026-01-01T00:00:00"}, "valid_at"),
        ({"valid_at": "0001-01-01T00:00:00+10:00"}, "valid_at"),
        ({"invalid_at": "9999-12-31T23:59:59-10:00"}, "invalid_at"),
        ({"valid_at": MAY, "invalid_at": MARCH}, "invalid_at"),
        ({"episodes": ["unknown"]}, "episodes[0]"),
        ({"episodes": ["a b"]}, "episodes[0]"),
        ({"facts": []}, "facts"),
    ],
)  # fmt: skip
async def test_a_fact_that_cannot_be_is_refused(plain: httpx.AsyncClient, change: dict[str, Any], field: str) -> None:
    refused(await plain.post("/v1/facts", json=PARIS | change), 400, field)
    refused(await plain.post("/v1/facts/batch", json={"facts": [TEA, PARIS | change]}), 400, f"facts[1].{field}")

    assert await believed(plain) == []


async def test_facts_at_their_limits_are_kept(plain: httpx.AsyncClient) -> None:
    longest = {"source": "s" * 500, "relation": "r" * 200, "target": "t" * 500, "fact": "ü" * 4000}

    fact = await told(plain, longest)

    assert (fact["source"]["name"], fact["fact"]) == ("s" * 500, "ü" * 4000)


async def test_a_batch_is_stored_as_a_whole(plain: httpx.AsyncClient) -> None:
    tea = await told(plain, TEA)

    answer = given(await plain.post("/v1/facts/batch", json={"facts": [PARIS, TEA, PARIS, BERLIN]}), 201)

    assert [one["created"] for one in answer["facts"]] == [True, False, False, True]
    assert answer["facts"][1]["id"] == tea["id"]
    assert answer["facts"][0]["id"] == answer["facts"][2]["id"]


async def test_a_batch_has_1000_facts_at_most_and_one_at_least(plain: httpx.AsyncClient) -> None:
    many = [TEA | {"target": f"tea {n}", "fact": f"Ann likes tea {n}"} for n in range(1001)]

    refused(await plain.post("/v1/facts/batch", json={"facts": many}), 400, "facts")
    refused(await plain.post("/v1/facts/batch", json={"facts": []}), 400, "facts")
    assert len(given(await plain.post("/v1/facts/batch", json={"facts": many[:1000]}), 201)["facts"]) == 1000
    assert len(await believed(plain, limit=1000)) == 1000


async def test_facts_are_listed_page_by_page(plain: httpx.AsyncClient) -> None:
    many = [TEA | {"target": f"tea {n}", "fact": f"Ann likes tea {n}"} for n in range(5)]
    given(await plain.post("/v1/facts/batch", json={"facts": many}), 201)

    first = given(await plain.get("/v1/facts", params={"limit": 3}))
    second = given(await plain.get("/v1/facts", params={"limit": 3, "cursor": first["cursor"]}))

    assert {one["fact"] for one in first["facts"] + second["facts"]} == {one["fact"] for one in many}
    assert (len(first["facts"]), second["cursor"]) == (3, None)


async def test_facts_are_listed_by_entity_and_relation(plain: httpx.AsyncClient) -> None:
    paris = await told(plain, PARIS)
    await told(plain, TEA)
    await told(plain, {"source": "Bob", "relation": "likes", "target": "tea", "fact": "Bob likes tea"})

    assert await believed(plain, entity=paris["source"]["id"]) == ["Ann likes tea", "Ann lives in Paris"]
    assert await believed(plain, entity="ann", relation="likes") == ["Ann likes tea"]
    assert await believed(plain, entity="tea") == ["Bob likes tea", "Ann likes tea"]
    assert await believed(plain, entity="nobody") == []


async def test_each_clock_answers_for_itself(plain: httpx.AsyncClient) -> None:
    paris = await told(plain, PARIS, valid_at=MARCH)
    berlin = await told(plain, BERLIN, valid_at=MAY)
    before, between, later = "2020-01-01T00:00:00Z", paris["created_at"], berlin["created_at"]

    assert await believed(plain, valid_as_of=before) == []
    assert await believed(plain, valid_as_of="2026-04-01T00:00:00Z") == ["Ann lives in Paris"]
    assert await believed(plain, valid_as_of=MAY) == ["Ann lives in Berlin"]
    assert await believed(plain, known_as_of=before) == []
    assert await believed(plain, known_as_of=between) == ["Ann lives in Paris"]
    assert await believed(plain, known_as_of=later) == ["Ann lives in Berlin"]
    assert await believed(plain, known_as_of=between, valid_as_of=JULY) == ["Ann lives in Paris"]
    assert await believed(plain, known_as_of=between, valid_as_of=before) == []


async def test_a_plan_is_a_memory_too(plain: httpx.AsyncClient) -> None:
    await told(plain, TEA, valid_at="2999-01-01T00:00:00Z")

    assert await believed(plain) == ["Ann likes tea"]
    assert await believed(plain, valid_as_of=JULY) == []


async def test_what_only_a_deleted_episode_supported_goes_and_what_it_had_ended_comes_back(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    first, second = await stored(plain, "one", "two")
    await told(plain, PARIS, valid_at=MARCH, episodes=[first])
    tea = await told(plain, TEA, episodes=[first])
    berlin = await told(plain, BERLIN, valid_at=MAY, episodes=[second], replaces=tea["id"])
    await drain(plain_server, namespace)
    assert await believed(plain) == ["Ann lives in Berlin"]

    given(await plain.delete(f"/v1/episodes/{second}"))
    await drain(plain_server, namespace)

    refused(await plain.get(f"/v1/facts/{berlin['id']}"), 404)
    assert await believed(plain) == ["Ann likes tea", "Ann lives in Paris"]
    assert await believed(plain, known_as_of=berlin["created_at"]) == ["Ann likes tea", "Ann lives in Paris"]
    assert given(await plain.get("/v1/entities", params={"query": "berlin"}))["entities"] == []


async def test_a_replaced_episode_takes_back_what_was_stated_in_it(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    (episode,) = await stored(plain, "one")
    fact = await told(plain, PARIS, episodes=[episode])
    given(await plain.post(f"/v1/facts/{fact['id']}/invalidate", json={}))

    given(await plain.put(f"/v1/episodes/{episode}", json={"content": "two"}))
    await told(plain, TEA, episodes=[episode])
    await drain(plain_server, namespace)

    refused(await plain.get(f"/v1/facts/{fact['id']}"), 404)
    assert await believed(plain) == ["Ann likes tea"]


async def test_what_is_stated_in_an_episode_outlives_the_reading_of_it(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    (episode,) = await stored(plain, "Bob met Carol in Rome")
    await told(plain, PARIS, episodes=[episode])

    await drain(plain_server, namespace)

    detail = given(await plain.get(f"/v1/episodes/{episode}"))
    assert "Ann lives in Paris" in [fact["fact"] for fact in detail["facts"]]
    assert {"Ann", "Paris"} <= {entity["name"] for entity in detail["entities"]}


async def test_facts_given_with_an_episode_are_the_same_as_those_stated_in_it(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    given(await plain.post("/v1/episodes", json={"id": "e", "content": "x", "facts": [PARIS]}), 201)
    await drain(plain_server, namespace)

    fact = await told(plain, PARIS, 200, episodes=["e"])

    assert fact["episodes"] == ["e"]
    assert [one["id"] for one in given(await plain.get("/v1/episodes/e"))["facts"]] == [fact["id"]]


async def test_a_fact_of_another_namespace_is_not_there(
    plain_server: Running, plain: httpx.AsyncClient, namespace: str
) -> None:
    fact = await told(plain, PARIS)
    (episode,) = await stored(plain, "one")

    async with plain_server.caller("admin", f"{namespace}_other") as other:
        refused(await other.get(f"/v1/facts/{fact['id']}"), 404)
        refused(await other.post(f"/v1/facts/{fact['id']}/invalidate", json={}), 404)
        refused(await other.post("/v1/facts", json=TEA | {"replaces": fact["id"]}), 400, "replaces")
        refused(await other.post("/v1/facts", json=TEA | {"episodes": [episode]}), 400, "episodes[0]")
        assert await believed(other, entity=fact["source"]["id"]) == []
        assert (await told(other, PARIS))["id"] != fact["id"]


async def test_readers_read_and_do_not_write(plain_server: Running, plain: httpx.AsyncClient, namespace: str) -> None:
    fact = await told(plain, PARIS)

    async with plain_server.caller("reader", namespace) as reader:
        assert await believed(reader) == ["Ann lives in Paris"]
        refused(await reader.post("/v1/facts", json=TEA), 403)
        refused(await reader.post("/v1/facts/batch", json={"facts": [TEA]}), 403)
        refused(await reader.post(f"/v1/facts/{fact['id']}/invalidate", json={}), 403)


async def test_a_stated_fact_has_the_vector_of_its_sentence(
    api: httpx.AsyncClient, server: Running, namespace: str
) -> None:
    await told(api, PARIS)

    rows = await server.service.postgres.rows(
        "select vector_dims(vector) as length from fact where namespace = %(namespace)s", namespace=namespace
    )
    assert [row["length"] for row in rows] == [384]


async def test_two_who_state_the_same_at_once_make_one_fact(plain: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(*(plain.post("/v1/facts", json=PARIS) for _ in range(8)))

    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({answer.json()["id"] for answer in answers}) == 1


async def test_without_the_embedder_a_fact_is_stated_all_the_same(server_dsn: str, namespace: str) -> None:
    away = Embedder(kind="openai", url="http://127.0.0.1:9/v1", timeout_seconds=1)
    with a_database(server_dsn) as dsn:
        async with serving(settings_for(dsn, embedder=away)) as running, running.caller("admin", namespace) as client:
            await told(client, PARIS)

            assert await believed(client) == ["Ann lives in Paris"]
