"""Entities through the API: by name, with what is known of them, on a time line, as a graph to draw."""

from typing import Any

import httpx
import pytest

from tests.http.answers import given, refused, stored
from tests.http.serving import Running

pytestmark = pytest.mark.anyio

MARCH, MAY = "2026-03-01T00:00:00Z", "2026-05-01T00:00:00Z"


def a_fact(source: str, relation: str, target: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "relation": relation, "target": target, "fact": f"{source} {relation} {target}"} | more


async def tell(api: httpx.AsyncClient, *facts: dict[str, Any]) -> None:
    given(await api.post("/v1/facts/batch", json={"facts": facts}), 201)


async def names(api: httpx.AsyncClient, **query: Any) -> list[str]:
    return [entity["name"] for entity in given(await api.get("/v1/entities", params=query))["entities"]]


async def entity_of(api: httpx.AsyncClient, name: str, **query: Any) -> dict[str, Any]:
    """The entity of exactly that name."""
    found = given(await api.get("/v1/entities", params={"query": name}))["entities"]
    (entity,) = [one for one in found if one["name"] == name]
    return given(await api.get(f"/v1/entities/{entity['id']}", params=query))


def sentences(facts: list[dict[str, Any]]) -> list[str]:
    return [fact["fact"] for fact in facts]


async def test_entities_are_listed_by_name_page_by_page(plain: httpx.AsyncClient) -> None:
    await tell(plain, a_fact("bob", "likes", "Ann"), a_fact("Ann", "likes", "Carol"), a_fact("Dan", "likes", "Éva"))

    first = given(await plain.get("/v1/entities", params={"limit": 2}))
    rest = given(await plain.get("/v1/entities", params={"limit": 4, "cursor": first["cursor"]}))

    assert [one["name"] for one in first["entities"]] == ["Ann", "bob"]
    assert [one["name"] for one in rest["entities"]] == ["Carol", "Dan", "Éva"]
    assert rest["cursor"] is None


async def test_entities_are_found_by_part_of_a_name_and_by_type(plain: httpx.AsyncClient) -> None:
    await tell(plain, a_fact("Anna", "lives in", "Savannah", source_type="person", target_type="place"))

    assert await names(plain, query="ANNA") == ["Anna", "Savannah"]
    assert await names(plain, query="anna", type="place") == ["Savannah"]
    assert await names(plain, type="robot") == []


@pytest.mark.parametrize("text", ["%", "_", "\\", "'", "a%b", "$1", "%s", "%(namespace)s"])
async def test_nothing_in_a_name_or_a_question_for_one_is_syntax(plain: httpx.AsyncClient, text: str) -> None:
    await tell(plain, a_fact("Ann", "likes", f"x{text}y"))

    assert await names(plain, query=text) == [f"x{text}y"]


async def test_an_entity_has_its_names_facts_and_neighbours(plain: httpx.AsyncClient) -> None:
    await tell(
        plain,
        a_fact("Ann", "lives in", "Paris", valid_at=MARCH, source_type="person"),
        a_fact("Ann", "lives in", "Berlin", valid_at=MAY),
        a_fact("Bob", "likes", "Ann"),
        a_fact("Bob", "knows", "Ann"),
    )
    first, second = await stored(plain, "x", "y")
    given(await plain.post("/v1/facts", json=a_fact("Ann", "likes", "tea", episodes=[first])), 201)
    given(await plain.post("/v1/facts", json=a_fact("ANN", "likes", "tea", episodes=[second])), 201)

    ann = await entity_of(plain, "Ann")

    assert (ann["name"], ann["type"], ann["aliases"], ann["mentions"]) == ("Ann", "person", ["ANN"], 3)
    assert sorted(sentences(ann["facts"])) == [
        "ANN likes tea",
        "Ann likes tea",
        "Ann lives in Berlin",
        "Bob knows Ann",
        "Bob likes Ann",
    ]
    assert sentences(ann["past_facts"]) == ["Ann lives in Paris"]
    tied = [(one["name"], one["facts"], one["relations"]) for one in ann["neighbours"]]
    assert tied == [("Bob", 2, ["KNOWS", "LIKES"]), ("tea", 2, ["LIKES"]), ("Berlin", 1, ["LIVES_IN"])]


async def test_an_entity_is_shown_as_of_another_time(plain: httpx.AsyncClient) -> None:
    await tell(plain, a_fact("Ann", "lives in", "Paris", valid_at=MARCH))
    first = (await entity_of(plain, "Ann"))["facts"][0]["created_at"]
    await tell(plain, a_fact("Ann", "lives in", "Berlin", valid_at=MAY))

    then = await entity_of(plain, "Ann", valid_as_of="2026-04-01T00:00:00Z")
    known = await entity_of(plain, "Ann", known_as_of=first)

    assert (sentences(then["facts"]), sentences(then["past_facts"])) == (
        ["Ann lives in Paris"],
        ["Ann lives in Berlin"],
    )
    assert (sentences(known["facts"]), known["past_facts"]) == (["Ann lives in Paris"], [])
    assert [one["name"] for one in known["neighbours"]] == ["Paris"]


async def test_a_timeline_tells_what_began_in_order(plain: httpx.AsyncClient) -> None:
    await tell(
        plain,
        a_fact("Ann", "lives in", "Berlin", valid_at=MAY),
        a_fact("Ann", "lives in", "Paris", valid_at=MARCH),
        a_fact("Ann", "likes", "tea"),
    )
    path = f"/v1/entities/{(await entity_of(plain, 'Ann'))['id']}/timeline"

    first = given(await plain.get(path, params={"limit": 2}))
    rest = given(await plain.get(path, params={"limit": 2, "cursor": first["cursor"]}))

    told = [(one["fact"], one["begins_at"], one["invalid_at"], one["current"]) for one in first["facts"]]
    assert told == [("Ann lives in Paris", MARCH, MAY, False), ("Ann lives in Berlin", MAY, None, True)]
    assert (sentences(rest["facts"]), rest["cursor"], rest["entity"]["name"]) == (["Ann likes tea"], None, "Ann")


async def test_the_graph_around_an_entity_grows_with_the_hops(plain: httpx.AsyncClient) -> None:
    chain = [a_fact(f"n{n}", "knows", f"n{n + 1}") for n in range(5)]
    await tell(plain, *chain, a_fact("n0", "knows", "n0"))

    drawn = [given(await plain.get("/v1/graph", params={"entity": "n0", "hops": hops})) for hops in (1, 2, 3)]

    assert [{node["name"] for node in one["nodes"]} for one in drawn] == [
        {"n0", "n1"},
        {"n0", "n1", "n2"},
        {"n0", "n1", "n2", "n3"},
    ]
    assert [len(one["edges"]) for one in drawn] == [2, 3, 4]
    ids = {node["id"] for node in drawn[2]["nodes"]}
    assert all({edge["source"], edge["target"]} <= ids for edge in drawn[2]["edges"])
    assert (drawn[2]["nodes"][0]["name"], drawn[2]["truncated"]) == ("n0", False)


async def test_a_graph_holds_current_facts_and_no_more_than_asked_for(plain: httpx.AsyncClient) -> None:
    await tell(plain, *(a_fact("hub", "knows", f"n{n:03}") for n in range(120)))
    await tell(
        plain, a_fact("hub", "lives in", "Paris", valid_at=MARCH), a_fact("hub", "lives in", "Rome", valid_at=MAY)
    )

    some = given(await plain.get("/v1/graph", params={"entity": "hub", "hops": 3, "limit": 20}))
    whole = given(await plain.get("/v1/graph", params={"entity": "hub", "limit": 1000}))

    assert (len(some["edges"]), len(some["nodes"]), some["truncated"]) == (20, 21, True)
    assert (len(whole["edges"]), whole["truncated"]) == (121, False)
    assert "Paris" not in [node["name"] for node in whole["nodes"]]


async def test_a_graph_comes_with_its_query(plain: httpx.AsyncClient, namespace: str) -> None:
    await tell(plain, a_fact("Ann", "likes", "tea"))

    drawn = given(await plain.get("/v1/graph", params={"entity": "Ann"}))

    assert drawn["browser_url"] is None
    assert f"group_id: '{namespace}'" in drawn["cypher"]
    assert drawn["nodes"][0]["id"] in drawn["cypher"]


async def test_an_entity_that_is_not_there_is_not_found(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    await tell(plain, a_fact("Ann", "likes", "tea"))
    ann = (await entity_of(plain, "Ann"))["id"]

    async with plain_server.caller("reader", f"{namespace}_other") as other:
        for path in (f"/v1/entities/{ann}", f"/v1/entities/{ann}/timeline", f"/v1/graph?entity={ann}"):
            refused(await other.get(path), 404)
        assert await names(other) == []
    refused(await plain.get("/v1/entities/nobody"), 404)
    refused(await plain.get("/v1/graph", params={"entity": "nobody"}), 404)


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("/v1/graph", {}, "entity"),
        ("/v1/graph", {"entity": "Ann", "hops": 4}, "hops"),
        ("/v1/graph", {"entity": "Ann", "hops": 0}, "hops"),
        ("/v1/graph", {"entity": "Ann", "limit": 1001}, "limit"),
        ("/v1/graph", {"entity": "a\x00"}, "entity"),
        ("/v1/entities", {"cursor": "x"}, "cursor"),
        ("/v1/entities", {"query": "x" * 501}, "query"),
        ("/v1/facts", {"valid_as_of": "2026-01-01T00:00:00"}, "valid_as_of"),
        ("/v1/facts", {"known_as_of": "now"}, "known_as_of"),
        ("/v1/facts", {"cursor": "W10"}, "cursor"),
        ("/v1/facts", {"enity": "Ann"}, "enity"),
    ],
)
async def test_a_wrong_parameter_is_named(
    plain: httpx.AsyncClient, path: str, query: dict[str, Any], field: str
) -> None:
    refused(await plain.get(path, params=query), 400, field)
