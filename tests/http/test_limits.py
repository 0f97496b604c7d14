"""The limits of the contract, each from both sides."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.http.answers import found, given, raw, refused

pytestmark = pytest.mark.anyio


def json_of(size: int) -> dict[str, str]:
    """Metadata that is that many bytes of JSON."""
    return {"a": "x" * (size - len('{"a":""}'))}


def nested(lists: int) -> dict[str, Any]:
    """Metadata with that many lists in each other."""
    value: list[Any] = []
    for _ in range(lists - 1):
        value = [value]
    return {"a": value}


# What is compared: a field, a value it may have, and one that it may not.
LIMITS: list[tuple[str, Any, Any]] = [
    ("speaker", "é" * 500, "é" * 501),
    ("session", "s" * 500, "s" * 501),
    ("project", "s" * 500, "s" * 501),
    ("title", "s" * 500, "s" * 501),
    ("path", "s" * 500, "s" * 501),
    ("summary", "s" * 10_000, "s" * 10_001),
    ("type", "s" * 500, "s" * 501),
    ("type", "s", ""),
    ("id", "i" * 128, "i" * 129),
    ("id", "i", ""),
    ("id", "Z_.:-9", "a/b"),
    ("id", "z", "z\n"),
    ("metadata", json_of(65_536), json_of(65_537)),
    ("metadata", nested(99), nested(100)),
    ("origin", "tool", "robot"),
    ("importance", "low", 1),
    ("content", " ", ""),
    ("content", "1", 1),
    ("content", "1", None),
    ("occurred_at", "2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00"),
    ("occurred_at", "2026-01-01T00:00:00.123456Z", 1767225600),
    ("occurred_at", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00"),
    ("occurred_at", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-01:00"),
    ("occurred_at", "2024-02-29T00:00:00+23:59", "2026-02-29T00:00:00Z"),
]


@pytest.mark.parametrize(("field", "allowed", "forbidden"), LIMITS)
async def test_a_field_at_its_limit_is_stored_and_one_beyond_is_refused_by_its_path(
    api: httpx.AsyncClient, field: str, allowed: object, forbidden: object
) -> None:
    good, bad = {"content": "x", field: allowed}, {"content": "x", field: forbidden}
    episode_id = given(await api.post("/v1/episodes", json=good), 201)["id"]

    refused(await api.post("/v1/episodes", json=bad), 400, field)
    refused(await api.put(f"/v1/episodes/{episode_id}", json=bad), 400, field)
    refused(await api.post("/v1/episodes/batch", json={"episodes": [good, bad]}), 400, f"episodes[1].{field}")

    assert len(given(await api.get("/v1/episodes"))["episodes"]) == 1


async def test_a_million_characters_are_stored_and_one_more_is_refused(api: httpx.AsyncClient) -> None:
    words = "".join(f"w{number:x} " for number in range(300_000))[:999_989] + " zanzibarian"[:11]
    given(await api.post("/v1/episodes", json={"id": "long", "content": words}), 201)

    refused(await api.post("/v1/episodes", json={"content": words + "x"}), 400, "content")

    assert len(words) == 1_000_000
    assert given(await api.get("/v1/episodes/long"))["content"] == words
    assert await found(api, "zanzibaria", mode="keyword") == ["long"]
    assert await found(api, "w0", mode="keyword") == ["long"]


async def test_one_word_of_a_million_characters_is_stored(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json={"id": "word", "content": "x" * 1_000_000}), 201)

    assert given(await api.get("/v1/episodes/word"))["content"] == "x" * 1_000_000
    given(await api.delete("/v1/episodes/word"))


async def test_a_million_wide_characters_are_stored(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/episodes", json={"id": "wide", "content": "😀" * 1_000_000}), 201)

    assert given(await api.get("/v1/episodes/wide"))["content"] == "😀" * 1_000_000


async def test_a_batch_holds_a_thousand_and_no_more(api: httpx.AsyncClient) -> None:
    thousand = [{"id": f"e{number}", "content": "x"} for number in range(1000)]

    refused(await api.post("/v1/episodes/batch", json={"episodes": [*thousand, {"content": "x"}]}), 400, "episodes")
    refused(await api.post("/v1/episodes/batch", json={"episodes": []}), 400, "episodes")
    answer = given(await api.post("/v1/episodes/batch", json={"episodes": thousand}), 201)

    assert [episode["id"] for episode in answer["episodes"]] == [episode["id"] for episode in thousand]
    page = given(await api.get("/v1/episodes", params={"limit": 1000}))
    assert len(page["episodes"]) == 1000


async def test_a_question_has_at_most_ten_thousand_characters(api: httpx.AsyncClient) -> None:
    given(await api.post("/v1/search", json={"query": "march " * 1666 + "ends"}))

    refused(await api.post("/v1/search", json={"query": "x" * 10_001}), 400, "query")
    refused(await api.post("/v1/context", json={"query": "x" * 10_001}), 400, "query")
    refused(await api.get("/v1/context", params={"query": "x" * 10_001}), 400, "query")


async def test_a_body_over_sixteen_megabytes_is_too_large(api: httpx.AsyncClient) -> None:
    at_limit = b'{"content":1,"x":"' + b"x" * (16 * 1024 * 1024 - 20) + b'"}'

    refused(await raw(api, "/v1/episodes", at_limit), 400, "content")
    refused(await raw(api, "/v1/episodes", at_limit + b" "), 413)


async def test_a_streamed_body_over_sixteen_megabytes_is_too_large_as_well(api: httpx.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b" " * 1024 * 1024

    headers = {"content-type": "application/json"}
    refused(await api.post("/v1/search", content=chunks(), headers=headers), 413)


@pytest.mark.parametrize("path", ["/v1/episodes", "/v1/jobs", "/v1/keys", "/v1/namespaces"])
async def test_a_list_gives_one_to_a_thousand(api: httpx.AsyncClient, path: str) -> None:
    for limit in ("0", "1001", "-1", "x", "1.5", "", str(10**30)):
        refused(await api.get(path, params={"limit": limit}), 400, "limit")
    given(await api.get(path, params={"limit": "1"}))
    assert given(await api.get(path, params={"limit": "1000"}))["cursor"] is None


@pytest.mark.parametrize("limit", [0, 101, -1, "1", 1.5, None, True, 10**30])
async def test_a_search_gives_one_to_a_hundred(api: httpx.AsyncClient, limit: object) -> None:
    refused(await api.post("/v1/search", json={"query": "x", "limit": limit}), 400, "limit")
