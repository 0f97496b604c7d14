"""What an answer leaves behind: accesses counted once each, feedback; and the aliases a namespace is given."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from graphmem.memory import new_id
from graphmem.stores.accesses import Given
from tests.http.answers import found, given, refused, stored
from tests.http.serving import Running

pytestmark = pytest.mark.anyio


async def accesses(server: Running, namespace: str) -> dict[str, int]:
    await server.service.accesses.flush()
    rows = await server.service.postgres.rows(
        "select memory, count from access where namespace = %(namespace)s and last_at <= now()", namespace=namespace
    )
    return {row["memory"]: row["count"] for row in rows}


async def test_every_answer_counts_once_however_many_are_given_at_once(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    a, b = await stored(plain, "a red boat", "a green boat")
    questions = [{"query": "boat"}] * 15 + [{"query": "red"}] * 10 + [{"query": "boat", "touch": False}] * 5

    async def ask(question: dict[str, Any]) -> None:
        given(await plain.post("/v1/search", json=question))
        await plain_server.service.accesses.flush()

    await asyncio.gather(*(ask(question) for question in questions))
    given(await plain.post("/v1/context", json={"query": "green", "touch": False}))
    given(await plain.get("/v1/context", params={"query": "green"}))

    assert await accesses(plain_server, namespace) == {a: 25, b: 16}


async def test_an_answer_that_is_written_twice_counts_once(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    (a,) = await stored(plain, "a red boat")
    batch = [Given(namespace, new_id(), (a, "forgotten"), datetime.now(UTC)) for _ in range(3)]
    store = plain_server.service.accesses.store

    await asyncio.gather(*(store.count(batch) for _ in range(4)))

    assert await accesses(plain_server, namespace) == {a: 3}


async def test_what_is_deleted_leaves_no_count(plain: httpx.AsyncClient, plain_server: Running, namespace: str) -> None:
    (a,) = await stored(plain, "a red boat")
    await found(plain, "boat")
    assert await accesses(plain_server, namespace) == {a: 1}

    given(await plain.delete(f"/v1/episodes/{a}"))

    assert await accesses(plain_server, namespace) == {}


async def test_what_was_given_often_may_come_first(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    await stored(plain, "the boat")
    (often,) = await stored(plain, "the boat", occurred_at="2020-01-01T00:00:00Z")
    tuning = {"tuning": {"access_weight": 5}, "touch": False}
    assert (await found(plain, "boat", **tuning))[0] != often

    await found(plain, "2020", limit=1)
    await accesses(plain_server, namespace)

    assert (await found(plain, "boat", **tuning))[0] == often


async def test_feedback_is_kept_for_what_exists(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    a, b = await stored(plain, "a red boat", "a green boat")
    search_id = given(await plain.post("/v1/search", json={"query": "boat"}))["search_id"]

    answer = given(
        await plain.post("/v1/feedback", json={"search_id": search_id, "useful": [a, "gone"], "useless": [b]})
    )

    rows = await plain_server.service.postgres.rows(
        "select answer::text, useful, useless from feedback where namespace = %(namespace)s", namespace=namespace
    )
    assert answer == {"useful": 1, "useless": 1}
    assert rows == [{"answer": search_id, "useful": [a], "useless": [b]}]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "useful"),
        ({"useful": ["a"], "useless": ["a"]}, "useless"),
        ({"useful": ["a"], "search_id": "x"}, "search_id"),
        ({"useful": "a"}, "useful"),
    ],
)
async def test_feedback_that_makes_no_sense_is_refused(
    plain: httpx.AsyncClient, body: dict[str, Any], field: str
) -> None:
    refused(await plain.post("/v1/feedback", json=body), 400, field)


async def test_an_alias_is_in_force_at_the_next_search_and_in_both_ways(plain: httpx.AsyncClient) -> None:
    a, b = await stored(plain, "we run kubernetes", "the city of new york")
    assert await found(plain, "k8s") == await found(plain, "NYC") == []

    kept = given(
        await plain.put("/v1/aliases", json={"aliases": {"K8s": ["Kubernetes"], "nyc": ["New York", "Big Apple"]}})
    )

    assert kept["aliases"] == {"k8s": ["kubernetes"], "nyc": ["big apple", "new york"]}
    assert given(await plain.get("/v1/aliases")) == kept
    assert (await found(plain, "k8s?"), await found(plain, "the Big Apple!")) == ([a], [b])
    trace = given(await plain.post("/v1/search", json={"query": "k8s", "trace": True}))["trace"]
    assert trace["query"]["compiled"] == "k8s | kubernet"
    given(await plain.put("/v1/aliases", json={"aliases": {}}))
    assert await found(plain, "k8s") == []


@pytest.mark.parametrize(
    "aliases", [{"x": []}, {"": ["y"]}, {"x": ["!"]}, {"x": "y"}, {"x": ["y" * 101]}, [["x", "y"]]]
)
async def test_an_alias_without_a_word_is_refused(plain: httpx.AsyncClient, aliases: Any) -> None:
    refused(await plain.put("/v1/aliases", json={"aliases": aliases}), 400)
