"""The graph made again from the ledger is the graph that was; work done twice changes nothing."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from graphmem.errors import GraphUnavailableError
from graphmem.memory import NewEpisode, NewFact, StatedFact
from graphmem.service import Service, open_service
from graphmem.settings import Neo4j, Settings
from tests.graphs import graph_of, ledger_of

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAID = (
    ("Ann", "I live in Paris and work at Orange."),
    ("Ben", "My sister Clara lives in Berlin."),
    ("Ann", "I live in Paris with Ben, and I play the piano."),
    ("Ann", "I still live in Paris."),
    ("Ann", "I moved to Lyon in February 2026. I no longer work at Orange."),
)
OWNS = StatedFact(source="Ann", relation="owns", target="a boat", fact="Ann owns a boat", target_type="thing")


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    """A service with the graph, the extractor and the embedder."""
    async with open_service(msgspec.structs.replace(settings, neo4j=neo4j_settings)) as opened:
        await opened.claim_vectors()
        yield opened


async def live(service: Service, namespace: str) -> None:
    """A little of everything that changes a graph: said, stated, ended, replaced and deleted."""
    for number, (speaker, content) in enumerate(SAID):
        new = NewEpisode(id=f"e{number}", content=content, speaker=speaker, facts=(OWNS,) if number == 1 else ())
        await service.ingester.add(namespace, new, now=NOW + timedelta(hours=number))
        await service.drainer.drain(namespace)
    likes = NewFact(source="Clara", relation="likes", target="tea", fact="Clara likes tea", episodes=("e0", "e2", "e3"))
    stated = await service.stater.state(namespace, [likes], now=NOW + timedelta(days=1))
    other = StatedFact(source="Ben", relation="owns", target="a boat", fact="Ben owns a boat")
    new = NewEpisode(content="Ann gave her boat to me.", speaker="Ben", facts=(other,))
    await service.ingester.replace(namespace, "e1", new, now=NOW + timedelta(days=2))
    await service.ingester.forget(namespace, ["e2"])
    await service.drainer.drain(namespace)
    await service.stater.invalidate(
        namespace, stated.outcomes[0].id, invalid_at=None, reason="no more", now=NOW + timedelta(days=3)
    )


async def test_a_rebuild_gives_the_same_graph(service: Service, namespace: str) -> None:
    await live(service, namespace)
    before, ledger = await graph_of(service, namespace), await ledger_of(service, namespace)

    assert service.rebuilder is not None
    seen: list[tuple[int, int]] = []
    shown = await service.rebuilder.rebuild(namespace, lambda done, total: seen.append((done, total)))

    assert len(before) > 20
    assert await graph_of(service, namespace) == before
    assert await ledger_of(service, namespace) == ledger
    assert ledger["unprojected"] == []
    assert seen == [(shown, shown)]


async def test_all_jobs_done_a_second_time_change_nothing(service: Service, namespace: str) -> None:
    await live(service, namespace)
    graph, ledger = await graph_of(service, namespace), await ledger_of(service, namespace)

    await service.postgres.rows("update job set state = 'waiting', due_at = now()")
    again = await service.drainer.drain(namespace)

    assert again > len(SAID)
    assert await ledger_of(service, namespace) == ledger
    assert await graph_of(service, namespace) == graph


async def test_a_rebuild_that_dies_after_emptying_is_finished_by_a_worker(
    service: Service, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await live(service, namespace)
    before = await graph_of(service, namespace)
    assert service.rebuilder is not None
    assert service.graph is not None

    async def away(*_: object) -> None:
        raise GraphUnavailableError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(type(service.graph), "save_entities", away)
        with pytest.raises(GraphUnavailableError):
            await service.rebuilder.rebuild(namespace)
    emptied = await graph_of(service, namespace)
    await service.drainer.drain(namespace)

    assert emptied == []
    assert await graph_of(service, namespace) == before


async def test_what_is_said_during_a_rebuild_is_shown(
    service: Service, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await live(service, namespace)
    assert service.rebuilder is not None
    assert service.graph is not None
    empty = service.graph.empty

    async def meanwhile(_: object, emptied: str) -> None:
        await empty(emptied)
        late = NewFact(source="Clara", relation="plays", target="the flute", fact="Clara plays the flute")
        await service.stater.state(namespace, [late], now=NOW + timedelta(days=4))

    monkeypatch.setattr(type(service.graph), "empty", meanwhile)
    await service.rebuilder.rebuild(namespace)

    graph = await graph_of(service, namespace)
    assert [row for row in graph if "Clara plays the flute" in row]
    assert (await ledger_of(service, namespace))["unprojected"] == []
