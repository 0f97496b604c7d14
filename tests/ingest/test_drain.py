"""The worker's side, on a real Neo4j: everything is done once, whatever fails on the way."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from graphmem.errors import GraphUnavailableError
from graphmem.ingest.drain import Drainer
from graphmem.memory import NewEpisode
from graphmem.service import Service, open_service
from graphmem.settings import Neo4j, Settings, Worker

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    """A service with the graph and without models."""
    embedder = msgspec.structs.replace(settings.embedder, kind="none")
    extractor = msgspec.structs.replace(settings.extractor, kind="none")
    whole = msgspec.structs.replace(settings, neo4j=neo4j_settings, embedder=embedder, extractor=extractor)
    async with open_service(whole) as opened:
        yield opened


async def nodes(service: Service, namespace: str) -> int:
    assert service.graph is not None
    return await service.graph.count(namespace)


async def states(service: Service, namespace: str) -> dict[str, str]:
    rows = await service.postgres.rows(
        "select episode, state from job where namespace = %(namespace)s", namespace=namespace
    )
    return {row["episode"]: row["state"] for row in rows}


def quick(service: Service, **changes: object) -> Drainer:
    """The same drainer, its retries due at once."""
    return replace(service.drainer, settings=Worker(max_attempts=3, retry_seconds=1e-6), **changes)


async def test_stored_episodes_reach_the_graph_once(service: Service, namespace: str) -> None:
    news = [NewEpisode(id=f"e{n}", content=f"text {n}") for n in range(250)]
    await service.ingester.add_batch(namespace, news, now=NOW)

    assert await service.drainer.drain(namespace) == 250
    assert await service.drainer.drain(namespace) == 0

    assert await nodes(service, namespace) == 250
    assert set((await states(service, namespace)).values()) == {"done"}


async def test_a_forgotten_episode_leaves_the_graph(service: Service, namespace: str) -> None:
    await service.ingester.add(namespace, NewEpisode(id="a", content="x"), now=NOW)
    await service.drainer.drain(namespace)

    await service.ingester.forget(namespace, ["a"])
    await service.drainer.drain(namespace)

    assert await nodes(service, namespace) == 0


async def test_an_episode_stored_again_before_its_removal_was_done_stays(service: Service, namespace: str) -> None:
    await service.ingester.add(namespace, NewEpisode(id="a", content="x"), now=NOW)
    await service.drainer.drain(namespace)
    await service.ingester.forget(namespace, ["a"])
    await service.ingester.add(namespace, NewEpisode(id="a", content="y"), now=NOW)

    await service.drainer.drain(namespace)

    assert await nodes(service, namespace) == 1


async def test_a_forgotten_namespace_leaves_the_graph_and_what_is_written_after_stays(
    service: Service, namespace: str
) -> None:
    await service.ingester.add_batch(namespace, [NewEpisode(content=f"{n}") for n in range(3)], now=NOW)
    await service.drainer.drain(namespace)
    await service.ingester.forget_namespace(namespace)
    await service.ingester.add(namespace, NewEpisode(id="new", content="x"), now=NOW)

    await service.drainer.drain(namespace)

    assert await nodes(service, namespace) == 1


async def test_one_poisoned_episode_stops_no_other_and_dies_with_its_reason(service: Service, namespace: str) -> None:
    async def choke(_namespace: str, ids: Sequence[str]) -> None:
        if "bad" in ids:
            raise ValueError("cannot be understood")

    drainer = quick(service, handlers={"extract": choke})
    await service.ingester.add_batch(namespace, [NewEpisode(id=i, content=i) for i in ("a", "bad", "c")], now=NOW)

    for _ in range(4):
        await drainer.drain(namespace)

    assert await states(service, namespace) == {"a": "done", "bad": "dead", "c": "done"}
    [job] = await service.jobs.of_episode(namespace, "bad")
    assert (job.attempts, job.error) == (3, "ValueError: cannot be understood")


async def test_a_dead_job_can_be_tried_again(service: Service, namespace: str) -> None:
    async def choke(_namespace: str, _ids: Sequence[str]) -> None:
        raise ValueError("no")

    await service.ingester.add(namespace, NewEpisode(id="a", content="x"), now=NOW)
    for _ in range(4):
        await quick(service, handlers={"extract": choke}).drain(namespace)
    [dead] = await service.jobs.of_episode(namespace, "a")

    await service.jobs.retry(namespace, dead.id)
    await service.drainer.drain(namespace)

    assert (dead.state, await states(service, namespace)) == ("dead", {"a": "done"})


async def test_jobs_wait_uncounted_while_the_graph_is_away(service: Service, namespace: str) -> None:
    async def away(_namespace: str, _ids: Sequence[str]) -> None:
        raise GraphUnavailableError("Neo4j does not answer")

    await service.ingester.add(namespace, NewEpisode(id="a", content="x"), now=NOW)
    for _ in range(5):
        await quick(service, handlers={"extract": away}).drain(namespace)
    [job] = await service.jobs.of_episode(namespace, "a")

    assert (job.state, job.attempts, job.error) == ("waiting", 0, "Neo4j does not answer")


async def test_what_a_dead_worker_left_running_is_done_by_the_next(service: Service, namespace: str) -> None:
    await service.ingester.add(namespace, NewEpisode(id="a", content="x"), now=NOW)
    await service.jobs.claim(namespace, "extract", limit=1)

    assert await service.jobs.due_namespaces(["extract"]) == [namespace]
    await service.drainer.drain(namespace)

    assert await states(service, namespace) == {"a": "done"}


async def test_only_one_worker_drains_a_namespace_at_a_time(service: Service, namespace: str) -> None:
    await service.ingester.add(namespace, NewEpisode(id="a", content="x"), now=NOW)

    async with service.jobs.only_writer(namespace) as ours:
        assert ours
        assert await service.drainer.drain(namespace) == 0

    assert await service.drainer.drain(namespace) == 1


async def test_text_that_came_out_of_memory_is_kept_and_never_extracted(service: Service, namespace: str) -> None:
    await service.ingester.add(namespace, NewEpisode(id="a", content="x", origin="recalled"), now=NOW)

    await service.drainer.drain(namespace)

    assert await states(service, namespace) == {"a": "done"}
    assert await nodes(service, namespace) == 0
