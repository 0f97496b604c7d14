"""The embedder goes away: writes and searches go on by keyword, and the vectors follow when it is back."""

import asyncio
import socket
from collections.abc import AsyncIterator

import httpx
import pytest

from graphmem.models.embedder import build_embedder
from graphmem.settings import Embedder
from graphmem.settings import load as load_settings
from tests.http.answers import found, given, imported
from tests.http.consistency import check_consistency
from tests.http.serving import Running, a_database, serving, settings_for
from tests.models import small_server

pytestmark = pytest.mark.anyio


@pytest.fixture
def port() -> int:
    """A port of the loopback on which nobody listens yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture
async def running(server_dsn: str, port: int) -> AsyncIterator[Running]:
    """A server whose embedder is that port."""
    embedder = Embedder(kind="openai", url=f"http://127.0.0.1:{port}/v1", timeout_seconds=5)
    with a_database(server_dsn) as dsn:
        async with serving(settings_for(dsn, embedder=embedder)) as server:
            yield server


@pytest.fixture
async def caller(running: Running, namespace: str) -> AsyncIterator[httpx.AsyncClient]:
    async with running.caller("admin", namespace) as client:
        yield client


async def test_without_the_embedder_an_episode_is_stored_and_its_vector_is_pending(caller: httpx.AsyncClient) -> None:
    answer = given(await caller.post("/v1/episodes", json={"id": "a", "content": "the red boat"}), 201)
    batch = given(await caller.post("/v1/episodes/batch", json={"episodes": [{"id": "b", "content": "a boat"}]}), 201)
    progress = await imported(caller, {"id": "c", "content": "one more boat"})
    replaced = given(await caller.put("/v1/episodes/b", json={"content": "another boat"}))

    assert answer["pending"] == batch["episodes"][0]["pending"] == replaced["pending"] == ["vector"]
    assert progress[-1]["created"] == 1
    assert {job["kind"] for job in given(await caller.get("/v1/episodes/a"))["jobs"]} == {"extract", "embed"}
    assert sorted(await found(caller, "boat", mode="keyword")) == ["a", "b", "c"]


@pytest.mark.parametrize("mode", ["auto", "hybrid", "semantic"])
async def test_without_the_embedder_a_search_is_answered_by_keyword_and_says_so(
    caller: httpx.AsyncClient, mode: str
) -> None:
    given(await caller.post("/v1/episodes", json={"id": "a", "content": "the red boat"}), 201)

    answer = given(await caller.post("/v1/search", json={"query": "boat", "mode": mode}))

    assert [result["id"] for result in answer["results"]] == ["a"]
    reasons = {missing["leg"]: missing["reason"] for missing in answer["missing_legs"]}
    assert "boat" not in reasons["vector"]
    assert answer["fell_back"] == "keyword"


async def test_once_the_embedder_is_back_the_vectors_are_made(
    running: Running, caller: httpx.AsyncClient, namespace: str, port: int
) -> None:
    given(await caller.post("/v1/episodes", json={"id": "a", "content": "the red boat"}), 201)
    given(await caller.post("/v1/episodes", json={"id": "b", "content": "tea in the garden"}), 201)
    local = build_embedder(load_settings({}))
    assert local is not None
    answering = small_server.model_server(local)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await answering(await small_server.request(reader)))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", port):
        settled = await running.service.drainer.drain(namespace)
        answer = given(await caller.post("/v1/search", json={"query": "a ship", "mode": "semantic", "limit": 1}))
    await local.close()

    assert settled >= 2
    assert [result["id"] for result in answer["results"]] == ["a"]
    assert (answer["missing_legs"], answer["fell_back"]) == ([], None)
    jobs = given(await caller.get("/v1/episodes/a"))["jobs"]
    assert [job["state"] for job in jobs if job["kind"] == "embed"] == ["done"]
    check_consistency(running.dsn)


async def test_while_the_embedder_stays_away_its_jobs_wait_and_lose_no_try(
    running: Running, caller: httpx.AsyncClient, namespace: str
) -> None:
    given(await caller.post("/v1/episodes", json={"id": "a", "content": "the secret boat"}), 201)

    await running.service.drainer.drain(namespace)

    (job,) = [job for job in given(await caller.get("/v1/episodes/a"))["jobs"] if job["kind"] == "embed"]
    assert (job["state"], job["attempts"]) == ("waiting", 0)
    assert "embedding server" in job["error"]
    assert "secret" not in job["error"]
