"""Neo4j goes away and comes back: no caller is told of an error, jobs wait, and the graph catches up."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import anyio.lowlevel
import httpx
import msgspec
import pytest

from graphmem.settings import Embedder, Extractor, Neo4j, Worker
from graphmem.stores import graph as graph_module
from tests.gate import Gate, gate_before
from tests.graphs import graph_of, ledger_of
from tests.http.answers import given
from tests.http.serving import Running, a_database, serving, settings_for

pytestmark = pytest.mark.anyio

AWAY_SECONDS = 3.0
PATIENCE_SECONDS = 180.0
LIKES = {"source": "Ann", "relation": "likes", "target": "tea", "fact": "Ann likes tea"}
SOON = Worker(retry_seconds=0.2)


@pytest.fixture
async def gate(neo4j_settings: Neo4j) -> AsyncIterator[Gate]:
    async with gate_before(neo4j_settings.uri) as gate:
        yield gate


@pytest.fixture
async def running(server_dsn: str, neo4j_settings: Neo4j, gate: Gate, namespace: str) -> AsyncIterator[Running]:
    """The API on a Neo4j behind the gate, and a worker for the namespace."""
    behind = msgspec.structs.replace(neo4j_settings, uri=f"bolt://{gate.host}:{gate.port}")
    with a_database(server_dsn) as dsn:
        models: dict[str, Any] = {"embedder": Embedder(kind="none"), "extractor": Extractor(kind="none")}
        settings = settings_for(dsn, neo4j=behind, worker=SOON, **models)
        async with serving(settings) as running:
            worker = asyncio.create_task(work(running, namespace))
            yield running
            worker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await worker


async def work(running: Running, namespace: str) -> None:
    while True:
        await running.service.drainer.drain(namespace)
        await asyncio.sleep(0.05)


async def settled(api: httpx.AsyncClient) -> None:
    """Return once every job is done."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while {job["state"] for job in await jobs(api)} != {"done"}:
            await anyio.lowlevel.checkpoint()


async def postponed(api: httpx.AsyncClient) -> dict[str, Any]:
    """The first job that waits for the graph, once there is one."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            for job in await jobs(api):
                if job["state"] == "waiting" and job["error"]:
                    return job


async def jobs(api: httpx.AsyncClient) -> list[dict[str, Any]]:
    return given(await api.get("/v1/jobs"))["jobs"]


async def said(api: httpx.AsyncClient, number: int) -> int:
    """One episode; the status of the answer."""
    met = {"source": "Ann", "relation": "met", "target": f"guest {number}", "fact": f"Ann met guest {number}"}
    body = {"id": f"e{number}", "content": f"I met guest {number}.", "speaker": "Ann", "facts": [met]}
    return (await api.post("/v1/episodes", json=body)).status_code


async def test_writes_go_on_while_the_graph_is_away_and_it_catches_up(
    running: Running, gate: Gate, namespace: str
) -> None:
    async with running.caller("admin", namespace) as api:
        assert await said(api, 0) == 201
        await settled(api)
        gate.shut()
        away_until = asyncio.get_running_loop().time() + AWAY_SECONDS
        answers = [await said(api, number) for number in range(1, 40)]
        fact = await api.post("/v1/facts", json=LIKES)
        found = given(await api.post("/v1/search", json={"query": "Who met guest 7?"}))
        await asyncio.sleep(max(0.0, away_until - asyncio.get_running_loop().time()))
        waiting = await postponed(api)
        await gate.open()
        await settled(api)

        assert set(answers) == {201}
        assert fact.status_code == 202
        assert found["results"]
        assert "graph" in [missing["leg"] for missing in found["missing_legs"]]
        assert waiting["attempts"] == 0
        assert "Neo4j does not answer" in waiting["error"]

    caught_up = await graph_of(running.service, namespace)
    assert (await ledger_of(running.service, namespace))["unprojected"] == []
    assert sum("Episodic" in row for row in caught_up if row.startswith("{labels")) == 40
    assert running.service.rebuilder is not None
    await running.service.rebuilder.rebuild(namespace)
    assert await graph_of(running.service, namespace) == caught_up


async def test_a_graph_that_is_silent_is_a_graph_that_is_away(
    running: Running, gate: Gate, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running.caller("admin", namespace) as api:
        assert await said(api, 0) == 201
        await settled(api)
        monkeypatch.setattr(graph_module, "MOST_SECONDS", 1.0)
        gate.hold()
        assert await said(api, 1) == 201
        waiting = await postponed(api)
        ready = given(await api.get("/health/ready"))
        await gate.open()
        await settled(api)

        assert waiting["attempts"] == 0
        assert ready["parts"]["graph"]["state"] == "down"
