"""With the graph, the embedder or both stopped, a search answers within its deadline and says what is missing."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from typing import Any

import anyio.lowlevel
import httpx
import msgspec
import pytest

from graphmem.settings import Embedder, Extractor, Neo4j
from tests.gate import Gate, gate_before
from tests.http.answers import given
from tests.http.serving import a_database, serving, settings_for
from tests.models.small_server import Request, http, vectors
from tests.models.small_server import serving as models

pytestmark = pytest.mark.anyio
FACT = {"source": "Ann", "relation": "sails", "target": "Merrow", "fact": "Ann sails the Merrow"}
DEADLINE_MS = 1500
# A search is made of several steps, of which only the legs have this deadline; the machine may be busy besides.
SLACK = 4


class Model:
    """An embedder that can be stopped: a vector has a 1 at the place of each word."""

    def __init__(self) -> None:
        self.there = True

    async def __call__(self, request: Request) -> bytes:
        if not self.there:
            return http("503 Service Unavailable")
        return vectors(*(self.vector(text) for text in request.body["input"]))

    def vector(self, text: str) -> list[float]:
        places = {zlib.crc32(word.encode()) % 63 + 1 for word in text.lower().split()}
        return [float(place == 0 or place in places) for place in range(64)]


@pytest.fixture
async def model() -> Model:
    return Model()


@pytest.fixture
async def gate(neo4j_settings: Neo4j) -> AsyncIterator[Gate]:
    async with gate_before(neo4j_settings.uri) as gate:
        yield gate


@pytest.fixture
async def api(
    server_dsn: str, neo4j_settings: Neo4j, gate: Gate, model: Model, namespace: str
) -> AsyncIterator[httpx.AsyncClient]:
    """A caller of a server whose graph and embedder can be stopped."""
    behind = msgspec.structs.replace(neo4j_settings, uri=f"bolt://{gate.host}:{gate.port}")
    async with models(model) as url:
        parts: dict[str, Any] = {
            "neo4j": behind,
            "extractor": Extractor(kind="none"),
            "embedder": Embedder(kind="openai", url=url, model="any", dimensions=64, cache_size=0),
        }
        with a_database(server_dsn) as dsn:
            async with serving(settings_for(dsn, **parts)) as running, running.caller("admin", namespace) as api:
                given(
                    await api.post("/v1/episodes", json={"id": "boat", "content": "the red boat", "facts": [FACT]}), 201
                )
                await running.service.drainer.drain(namespace)
                yield api


async def asked(api: httpx.AsyncClient, **more: Any) -> tuple[list[str], list[str]]:
    """The legs that found something, and those that are missing."""
    tuning = {"deadline_ms": DEADLINE_MS, "graph_weight": 1, "propagate_weight": 0}
    answer = given(await api.post("/v1/search", json={"query": "red boat of Ann", "tuning": tuning} | more))
    assert answer["took_ms"] < DEADLINE_MS * SLACK
    assert answer["results"]
    found = {leg for result in answer["results"] for leg in result["legs"]}
    return sorted(found), sorted(missing["leg"] for missing in answer["missing_legs"])


async def until(api: httpx.AsyncClient, found: list[str], missing: list[str], **more: Any) -> None:
    """Return once a search is answered so: a machine that is busy may miss a deadline by itself."""
    async with asyncio.timeout(120):
        while await asked(api, **more) != (found, missing):
            await anyio.lowlevel.checkpoint()


async def test_what_is_stopped_is_missing_and_back_when_it_returns(
    api: httpx.AsyncClient, gate: Gate, model: Model
) -> None:
    everything = ["graph", "keyword", "vector"]
    await until(api, everything, [])

    gate.shut()
    await until(api, ["keyword", "vector"], ["graph"])
    model.there = False
    await until(api, ["keyword"], ["graph", "vector"])
    assert given(await api.post("/v1/search", json={"query": "red boat"}))["fell_back"] == "keyword"
    await until(api, ["keyword"], ["vector"], mode="semantic", profile="nexus")

    await gate.open()
    await until(api, ["graph", "keyword"], ["vector"])
    model.there = True
    await until(api, everything, [])

    gate.hold()
    await until(api, ["keyword", "vector"], ["graph"])
    gate.shut()
    await gate.open()
    await until(api, everything, [])
