"""Episodes through the API: stored once, read back as sent, replaced, forgotten, listed."""

import uuid

import httpx
import pytest

from tests.http.answers import found, given, refused, stored

pytestmark = pytest.mark.anyio

WHOLE = {
    "id": "call-7:12",
    "content": "I told Priya we can do March for vacation",
    "speaker": "Rajesh",
    "session": "call-7",
    "project": "home",
    "origin": "user",
    "type": "message",
    "importance": "normal",
    "path": None,
    "title": None,
    "summary": None,
    "occurred_at": "2026-02-21T09:30:00Z",
    "metadata": {"channel": "voice"},
}


async def test_a_new_episode_is_answered_with_its_id_namespace_and_job(api: httpx.AsyncClient, namespace: str) -> None:
    answer = given(await api.post("/v1/episodes", json=WHOLE), 201)

    assert uuid.UUID(answer.pop("job"))
    assert answer == {"id": "call-7:12", "namespace": namespace, "created": True}


async def test_an_episode_reads_back_with_every_field_as_sent(api: httpx.AsyncClient, namespace: str) -> None:
    job = given(await api.post("/v1/episodes", json=WHOLE), 201)["job"]

    episode = given(await api.get("/v1/episodes/call-7:12"))

    assert {name: episode[name] for name in WHOLE} == WHOLE
    assert (episode["namespace"], episode["facts"], episode["entities"]) == (namespace, [], [])
    assert (episode["job"]["id"], episode["job"]["state"]) == (job, "waiting")


async def test_content_alone_is_enough_and_the_rest_has_defaults(api: httpx.AsyncClient) -> None:
    episode_id = given(await api.post("/v1/episodes", json={"content": "x"}), 201)["id"]

    episode = given(await api.get(f"/v1/episodes/{episode_id}"))

    assert uuid.UUID(episode_id).version == 7
    assert (episode["origin"], episode["type"], episode["importance"]) == ("user", "message", "normal")
    assert (episode["speaker"], episode["metadata"]) == (None, {})
    assert episode["occurred_at"] == episode["created_at"]


async def test_the_same_again_changes_nothing(api: httpx.AsyncClient) -> None:
    first = given(await api.post("/v1/episodes", json=WHOLE), 201)

    again = given(await api.post("/v1/episodes", json=WHOLE), 200)
    part = given(await api.post("/v1/episodes", json={"id": WHOLE["id"], "content": WHOLE["content"]}), 200)

    assert again == part == first | {"created": False}
    assert len(given(await api.get("/v1/episodes"))["episodes"]) == 1
    assert len(given(await api.get("/v1/jobs"))["jobs"]) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content", "another"),
        ("speaker", "Priya"),
        ("session", None),
        ("project", "work"),
        ("origin", "assistant"),
        ("type", "note"),
        ("importance", "high"),
        ("path", "/a"),
        ("title", "a"),
        ("summary", "a"),
        ("occurred_at", "2026-02-21T09:30:01Z"),
        ("metadata", {"channel": "text"}),
        ("facts", [{"source": "a", "relation": "KNOWS", "target": "b", "fact": "a knows b"}]),
    ],
)
async def test_the_same_id_with_another_field_is_a_conflict_that_names_it(
    api: httpx.AsyncClient, field: str, value: object
) -> None:
    given(await api.post("/v1/episodes", json=WHOLE), 201)

    problem = refused(await api.post("/v1/episodes", json=WHOLE | {field: value}), 409, field)

    assert field in problem["detail"]
    assert {name: given(await api.get("/v1/episodes/call-7:12"))[name] for name in WHOLE} == WHOLE


@pytest.mark.parametrize(
    "metadata",
    [{"a": 1.2345e25}, {"a": 1.7976931348623157e308}, {"a": 5e-324}, {"a": 10**400}, {"a": -0.0}, {"a": [None, True]}],
)
async def test_the_same_numbers_again_are_no_conflict(api: httpx.AsyncClient, metadata: dict[str, object]) -> None:
    given(await api.post("/v1/episodes", json={"id": "a", "content": "x", "metadata": metadata}), 201)

    given(await api.post("/v1/episodes", json={"id": "a", "content": "x", "metadata": metadata}), 200)


async def test_true_in_metadata_is_not_one(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json={"id": "a", "content": "x", "metadata": {"a": 1}}), 201)

    refused(await api.post("/v1/episodes", json={"id": "a", "content": "x", "metadata": {"a": True}}), 409, "metadata")


async def test_the_same_moment_in_another_zone_is_no_conflict(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json=WHOLE), 201)

    given(await api.post("/v1/episodes", json=WHOLE | {"occurred_at": "2026-02-21T15:00:00+05:30"}), 200)


async def test_put_replaces_the_text_and_keeps_the_id(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json=WHOLE), 201)

    answer = given(await api.put("/v1/episodes/call-7:12", json={"content": "Zanzibar in April"}))

    assert (answer["id"], answer["created"]) == ("call-7:12", False)
    episode = given(await api.get("/v1/episodes/call-7:12"))
    assert (episode["content"], episode["speaker"]) == ("Zanzibar in April", None)
    assert await found(api, "Zanzibar", mode="keyword") == ["call-7:12"]
    assert await found(api, "vacation", mode="keyword") == []


async def test_put_of_what_is_not_there_is_not_found(api: httpx.AsyncClient) -> None:
    refused(await api.put("/v1/episodes/nothing", json={"content": "x"}), 404)


async def test_put_refuses_another_id_in_the_body(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json=WHOLE), 201)

    refused(await api.put("/v1/episodes/call-7:12", json={"id": "b", "content": "x"}), 400, "id")


async def test_a_deleted_episode_is_gone_from_everywhere(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json=WHOLE), 201)

    receipt = given(await api.delete("/v1/episodes/call-7:12"))

    assert (receipt["removed"]["episodes"], receipt["residue"]) == (1, 0)
    refused(await api.get("/v1/episodes/call-7:12"), 404)
    refused(await api.delete("/v1/episodes/call-7:12"), 404)
    assert given(await api.get("/v1/episodes"))["episodes"] == []
    assert await found(api, "vacation") == []
    given(await api.post("/v1/episodes", json=WHOLE), 201)


@pytest.mark.parametrize("episode_id", ["batch", "a", "A_b.c:d-e", "-", "_", "x" * 128, "..."])
async def test_an_episode_can_be_read_replaced_and_forgotten_by_any_id(api: httpx.AsyncClient, episode_id: str) -> None:
    given(await api.post("/v1/episodes", json={"id": episode_id, "content": "x"}), 201)

    assert given(await api.get(f"/v1/episodes/{episode_id}"))["id"] == episode_id
    assert given(await api.put(f"/v1/episodes/{episode_id}", json={"content": "y"}))["id"] == episode_id
    given(await api.delete(f"/v1/episodes/{episode_id}"))


async def test_a_list_is_newest_first_and_bounded_by_its_filters(api: httpx.AsyncClient) -> None:
    days = [f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3)]
    for number, day in enumerate(days):
        fields = {"session": f"s{number % 2}", "project": "p" if number else "q", "occurred_at": day}
        given(await api.post("/v1/episodes", json={"id": f"e{number}", "content": "x"} | fields), 201)

    async def ids(**query: str) -> list[str]:
        return [episode["id"] for episode in given(await api.get("/v1/episodes", params=query))["episodes"]]

    assert await ids() == ["e2", "e1", "e0"]
    assert await ids(session="s0") == ["e2", "e0"]
    assert await ids(project="p") == ["e2", "e1"]
    assert await ids(before=days[2]) == ["e1", "e0"]
    assert await ids(session="s0", project="p", before="2026-01-03T01:00:00+02:00") == []


async def test_a_cursor_goes_on_where_the_page_ended_while_others_write(api: httpx.AsyncClient) -> None:
    early = "2026-01-01T00:00:00Z"
    expected = sorted(await stored(api, *(f"turn {n}" for n in range(10)), occurred_at=early), reverse=True)
    page = given(await api.get("/v1/episodes", params={"limit": 4, "before": "2026-06-01T00:00:00Z"}))
    seen = [episode["id"] for episode in page["episodes"]]

    while page["cursor"]:
        await stored(api, "written meanwhile, newer", occurred_at="2026-05-01T00:00:00Z")
        given(await api.delete(f"/v1/episodes/{seen[0]}"), 200) if len(seen) == 4 else None
        query = {"limit": 4, "before": "2026-06-01T00:00:00Z", "cursor": page["cursor"]}
        page = given(await api.get("/v1/episodes", params=query))
        seen += [episode["id"] for episode in page["episodes"]]

    assert seen == expected


async def test_a_batch_is_answered_in_its_order_with_one_job(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json={"id": "b", "content": "old"}), 201)
    batch = [{"id": "c", "content": "1"}, {"id": "b", "content": "old"}, {"id": "a", "content": "3"}]

    answer = given(await api.post("/v1/episodes/batch", json={"episodes": batch}), 201)

    assert answer["episodes"] == [
        {"id": "c", "created": True},
        {"id": "b", "created": False},
        {"id": "a", "created": True},
    ]
    assert given(await api.get(f"/v1/jobs/{answer['job']}"))["episodes"] == 2


async def test_a_batch_with_a_conflict_stores_nothing(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json={"id": "b", "content": "old"}), 201)
    batch = [{"id": "a", "content": "1"}, {"id": "b", "content": "new"}]

    refused(await api.post("/v1/episodes/batch", json={"episodes": batch}), 409, "content")

    refused(await api.get("/v1/episodes/a"), 404)


async def test_a_batch_refuses_the_same_id_twice(api: httpx.AsyncClient) -> None:
    batch = [{"id": "a", "content": "1"}, {"content": "2"}, {"id": "a", "content": "1"}]

    refused(await api.post("/v1/episodes/batch", json={"episodes": batch}), 400, "episodes[2].id")

    assert given(await api.get("/v1/episodes"))["episodes"] == []


async def test_recalled_text_is_stored_and_never_waits_for_extraction(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json={"id": "a", "content": "x", "origin": "recalled"}), 201)

    assert given(await api.get("/v1/episodes/a"))["job"]["state"] == "done"
