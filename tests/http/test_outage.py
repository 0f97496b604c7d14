"""Postgres goes away and comes back: 503 in bounded time, nothing said of queries or texts, then as before."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from graphmem.servers.postgres import EmbeddedPostgres
from graphmem.settings import Embedder
from graphmem.stores.schema import migrate
from tests.http.answers import found, given, imported, raw, refused, until_found
from tests.http.serving import Running, serving, settings_for

pytestmark = pytest.mark.anyio

SECRET = "xylophone"
# The caller's own log, and the one that the server keeps off and only pytest listens to.
CALLERS = ("httpx", "httpcore", "uvicorn.access")


@pytest.fixture
async def postgres(tmp_path: Path) -> AsyncIterator[EmbeddedPostgres]:
    """A server of its own, to be stopped."""
    server = EmbeddedPostgres(tmp_path)
    yield server
    server.hurry()
    await server.ended()


@pytest.fixture
async def running(postgres: EmbeddedPostgres) -> AsyncIterator[Running]:
    """The API on that server."""
    dsn = await postgres.start()
    await migrate(dsn)
    async with serving(settings_for(dsn, embedder=Embedder(kind="none"))) as server:
        yield server


def requests(api: httpx.AsyncClient) -> list[asyncio.Future[httpx.Response]]:
    """One request of every kind, all at once."""
    asked = [
        api.post("/v1/episodes", json={"content": SECRET}),
        api.post("/v1/episodes/batch", json={"episodes": [{"content": SECRET}]}),
        api.put("/v1/episodes/a", json={"content": SECRET}),
        api.get("/v1/episodes/a"),
        api.get("/v1/episodes", params={"session": SECRET}),
        api.delete("/v1/episodes/a"),
        api.post("/v1/search", json={"query": SECRET}),
        api.get("/v1/context", params={"query": SECRET}),
        api.get("/v1/context"),
        api.get("/v1/jobs"),
        api.get("/v1/keys"),
        api.get("/v1/settings"),
        api.patch("/v1/settings", json={"rrf_k": 60}),
        api.post("/v1/forget", json={"everything": True}),
    ]
    return [asyncio.ensure_future(one) for one in asked]


async def test_without_postgres_every_request_is_told_to_come_back_and_then_is_answered(
    running: Running, postgres: EmbeddedPostgres, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with running.caller("admin") as api:
        given(await api.post("/v1/episodes", json={"id": "a", "content": SECRET}), 201)
        await postgres.stop()
        refusals = await asyncio.wait_for(asyncio.gather(*requests(api)), timeout=50)
        ready = await api.get("/health/ready")
        alive = await api.get("/health/live")
        measured = await api.get("/metrics")
        await postgres.start()

        for response in refusals:
            problem = refused(response, 503)
            assert int(response.headers["retry-after"]) >= 1
            assert SECRET not in str(problem)
            assert "select" not in str(problem).lower()
        assert (ready.status_code, ready.json()["parts"]["postgres"]["state"]) == (503, "down")
        assert alive.status_code == measured.status_code == 200
        assert await found(api, SECRET) == ["a"]
        given(await api.post("/v1/episodes", json={"content": "after"}), 201)

    ours = [record for record in caplog.records if not record.name.startswith(CALLERS)]
    telling = [
        (record.name, word)
        for record in ours
        for word in (SECRET, "insert into")
        if word in f"{vars(record)}{caplog.handler.format(record)}"
    ]
    assert telling == []


async def test_a_key_that_is_not_remembered_cannot_be_judged_without_postgres(
    running: Running, postgres: EmbeddedPostgres
) -> None:
    await postgres.stop()
    async with running.client("gm_unknown_key") as stranger:
        refused(await stranger.get("/v1/episodes"), 503)
    async with running.client() as nobody:
        refused(await nobody.get("/v1/episodes"), 401)


async def test_an_import_in_an_outage_says_how_far_it_came(running: Running, postgres: EmbeddedPostgres) -> None:
    async with running.caller("writer") as api:
        await imported(api, {"id": "a", "content": "x"})

        async def cut_off() -> AsyncIterator[bytes]:
            for number in range(501):
                yield b'{"id": "e%d", "content": "%s"}\n' % (number, SECRET.encode())
            await until_found(api, "e0")
            await postgres.stop()
            yield b'{"id": "last", "content": "x"}\n'

        response = await api.post("/v1/import", content=cut_off(), headers={"content-type": "application/x-ndjson"})
        first, last = response.text.splitlines()
        await postgres.start()

        assert '"created":500' in first
        assert '"error":"Postgres does not answer' in last
        assert '"done":false' in last
        assert SECRET not in response.text
        refused(await raw(api, "/v1/episodes", b""), 400)
