"""Workers killed in the midst of work leave the graph of workers left alone. See also `benchmarks.killed_workers`."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from benchmarks.killed_workers import calm_and_killed
from graphmem.memory import NewEpisode, StatedFact
from graphmem.service import Service, open_service
from graphmem.settings import Embedder, Neo4j, Settings

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
CITIES = ("Paris", "Lyon", "Rome", "Oslo", "Bonn")
FIRMS = ("Orange", "Siemens", "Nokia")
EPISODES_EACH = 25


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    """A service with the graph and the extractor."""
    embedder = Embedder(kind="none")
    async with open_service(msgspec.structs.replace(settings, neo4j=neo4j_settings, embedder=embedder)) as opened:
        yield opened


def said(number: int) -> NewEpisode:
    """People who move and change their work, so that facts retire facts."""
    speaker, city, firm = f"Ann {number % 4}", CITIES[number % 5], FIRMS[number % 3]
    likes = StatedFact(source=speaker, relation="likes", target=city, fact=f"{speaker} likes {city}")
    content = f"I live in {city} now, and I work at {firm}. My sister Clara visited {CITIES[number % 4]}."
    return NewEpisode(id=f"e{number}", content=content, speaker=speaker, session=f"s{number // 10}", facts=(likes,))


async def test_killed_workers_leave_the_graph_of_workers_left_alone(service: Service, namespace: str) -> None:
    namespaces = [f"{namespace}_a", f"{namespace}_b"]
    for name in namespaces:
        for number in range(EPISODES_EACH):
            await service.ingester.add(name, said(number), now=NOW + timedelta(minutes=number))

    outcome = await calm_and_killed(service, namespaces, kills=2)

    assert outcome.kills >= 1
    assert outcome.calm.count("Episodic") == 2 * EPISODES_EACH
    assert outcome.calm.count("RELATES_TO") > EPISODES_EACH
    assert outcome.killed.differences(outcome.calm) == 0
