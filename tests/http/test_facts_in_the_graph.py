"""Stated facts in a real Neo4j: there when 201 is sent, later by a job when it is away or busy."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec
import neo4j
import pytest
from hypothesis import given as for_all
from hypothesis import settings as with_settings
from hypothesis import strategies as st

from graphmem.http.browser import literal
from graphmem.settings import Embedder, Extractor, Neo4j
from tests.http.answers import given, stored
from tests.http.serving import Running, a_database, serving, settings_for

pytestmark = pytest.mark.anyio

BROWSER = "http://127.0.0.1:7474/browser/"
PARIS = {"source": "Ann", "relation": "lives in", "target": "Paris", "fact": "Ann lives in Paris"}
BERLIN = {"source": "Ann", "relation": "lives in", "target": "Berlin", "fact": "Ann lives in Berlin"}
FACTS = "MATCH (a:Entity {group_id: $namespace})-[f:RELATES_TO]->(b) RETURN f.fact AS fact, f.invalid_at AS end"


@pytest.fixture(scope="module")
async def graphed(server_dsn: str, neo4j_settings: Neo4j, anyio_backend: str) -> AsyncIterator[Running]:
    """A server with the graph and without models."""
    with a_database(server_dsn) as dsn:
        graph = msgspec.structs.replace(neo4j_settings, browser=BROWSER)
        models: dict[str, Any] = {"embedder": Embedder(kind="none"), "extractor": Extractor(kind="none")}
        async with serving(settings_for(dsn, neo4j=graph, **models)) as running:
            assert running.service.graph is not None
            await running.service.graph.prepare()
            yield running


@pytest.fixture
async def lonely(graphed: Running) -> AsyncIterator[Running]:
    """A server on the same data that does not reach Neo4j."""
    away = msgspec.structs.replace(graphed.settings.neo4j, uri="bolt://127.0.0.1:9")
    async with serving(msgspec.structs.replace(graphed.settings, neo4j=away)) as running:
        yield running


@pytest.fixture
async def caller(graphed: Running, namespace: str) -> AsyncIterator[httpx.AsyncClient]:
    async with graphed.caller("admin", namespace) as client:
        yield client


async def in_graph(server: Running, namespace: str) -> dict[str, bool]:
    """The facts Neo4j has, and whether each has ended."""
    assert server.service.graph is not None
    rows = await server.service.graph.run(FACTS, namespace=namespace)
    return {row["fact"]: row["end"] is not None for row in rows}


async def test_a_fact_is_in_the_graph_when_it_is_answered(
    caller: httpx.AsyncClient, graphed: Running, namespace: str
) -> None:
    given(await caller.post("/v1/facts", json=PARIS), 201)
    assert await in_graph(graphed, namespace) == {"Ann lives in Paris": False}

    batch = given(await caller.post("/v1/facts/batch", json={"facts": [BERLIN]}), 201)
    assert await in_graph(graphed, namespace) == {"Ann lives in Paris": True, "Ann lives in Berlin": False}

    given(await caller.post(f"/v1/facts/{batch['facts'][0]['id']}/invalidate", json={}))
    assert await in_graph(graphed, namespace) == {"Ann lives in Paris": True, "Ann lives in Berlin": True}
    jobs = given(await caller.get("/v1/jobs"))["jobs"]
    assert [(job["kind"], job["state"]) for job in jobs] == [("project", "done")]


async def test_with_the_graph_away_a_fact_is_taken_and_shown_later(
    lonely: Running, graphed: Running, namespace: str
) -> None:
    async with lonely.caller("admin", namespace) as client:
        answer = given(await client.post("/v1/facts", json=PARIS), 202)
        batch = given(await client.post("/v1/facts/batch", json={"facts": [BERLIN]}), 201)
        assert given(await client.get("/v1/facts"))["facts"][0]["fact"] == "Ann lives in Berlin"
        assert given(await client.get(f"/v1/jobs/{answer['job']}"))["state"] == "waiting"
        assert batch["job"] == answer["job"]

        await graphed.service.postgres.rows("update job set due_at = now()")
        assert await graphed.service.drainer.drain(namespace) == 1

        assert given(await client.get(f"/v1/jobs/{answer['job']}"))["state"] == "done"
    assert await in_graph(graphed, namespace) == {"Ann lives in Paris": True, "Ann lives in Berlin": False}


async def test_while_another_writes_the_graph_a_fact_waits_and_then_follows(
    caller: httpx.AsyncClient, graphed: Running, namespace: str
) -> None:
    async with graphed.service.jobs.only_writer(namespace) as ours:
        assert ours
        answer = given(await caller.post("/v1/facts", json=PARIS), 202)
        assert answer["job"]
        late = asyncio.create_task(caller.post("/v1/facts", json=BERLIN))

    given(await late, 201)
    assert set(await in_graph(graphed, namespace)) == {"Ann lives in Paris", "Ann lives in Berlin"}


async def test_a_deleted_episode_takes_its_facts_out_of_the_graph(
    caller: httpx.AsyncClient, graphed: Running, namespace: str
) -> None:
    (episode,) = await stored(caller, "one")
    given(await caller.post("/v1/facts", json=PARIS), 201)
    given(await caller.post("/v1/facts", json=BERLIN | {"episodes": [episode]}), 201)

    given(await caller.delete(f"/v1/episodes/{episode}"))
    await graphed.service.drainer.drain(namespace)

    assert await in_graph(graphed, namespace) == {"Ann lives in Paris": False}


async def test_facts_stated_after_a_namespace_was_forgotten_stay_in_the_graph(
    caller: httpx.AsyncClient, graphed: Running, namespace: str
) -> None:
    given(await caller.post("/v1/facts", json=PARIS), 201)
    given(await caller.delete(f"/v1/namespaces/{namespace}"))
    given(await caller.post("/v1/facts", json=BERLIN), 201)

    await graphed.service.drainer.drain(namespace)

    assert await in_graph(graphed, namespace) == {"Ann lives in Berlin": False}


async def test_the_link_opens_the_browser_with_a_query_that_draws_the_same(
    caller: httpx.AsyncClient, graphed: Running
) -> None:
    given(await caller.post("/v1/facts/batch", json={"facts": [PARIS, BERLIN | {"relation": "likes"}]}), 201)

    drawn = given(await caller.get("/v1/graph", params={"entity": "paris", "hops": 2}))

    link = urlsplit(drawn["browser_url"])
    assert drawn["browser_url"].startswith(f"{BROWSER}?cmd=edit&arg=")
    assert parse_qs(link.query) == {"cmd": ["edit"], "arg": [drawn["cypher"]]}
    assert graphed.service.graph is not None
    result = await graphed.service.graph.driver.execute_query(drawn["cypher"], database_="neo4j")
    edges = {edge["uuid"] for record in result.records for edge in record["path"].relationships}
    assert edges == {edge["id"] for edge in drawn["edges"]}


def test_no_text_becomes_syntax(neo4j_settings: Neo4j) -> None:
    with (
        neo4j.GraphDatabase.driver(neo4j_settings.uri, auth=("neo4j", neo4j_settings.password)) as driver,
        driver.session(database="neo4j") as session,
    ):

        @with_settings(deadline=None, max_examples=100)
        @for_all(st.text(st.characters(codec="utf-8")) | st.text("\\u0027'\"`\n\r\t${}/*;"), st.sampled_from([5, 25]))
        def comes_back(text: str, version: int) -> None:
            record = session.run(f"CYPHER {version} RETURN {literal(text)} AS text").single()  # pyright: ignore
            assert record is not None
            assert record["text"] == text

        comes_back()
