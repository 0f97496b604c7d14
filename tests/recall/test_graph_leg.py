"""The graph leg on a real Neo4j: facts near the question, on both clocks, inside the namespace."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from graphmem.memory import Filters, NewEpisode, Query, StatedFact
from graphmem.recall.profiles import Numbers, Profile
from graphmem.service import Service, open_service
from graphmem.settings import Embedder, Extractor, Neo4j, Settings

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
GRAPH = Profile(name="graph", about="", numbers=Numbers(graph_weight=1, propagate_weight=0, deadline_ms=30_000))


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    extractor = msgspec.structs.replace(settings.extractor, kind="none")
    async with open_service(msgspec.structs.replace(settings, neo4j=neo4j_settings, extractor=extractor)) as opened:
        await opened.claim_vectors()
        yield opened


@pytest.fixture
async def without_embedder(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    bare = msgspec.structs.replace(settings, extractor=Extractor(kind="none"), embedder=Embedder(kind="none"))
    async with open_service(msgspec.structs.replace(bare, neo4j=neo4j_settings)) as opened:
        yield opened


async def tell(service: Service, namespace: str, episode: str, day: int, fact: tuple[str, str, str, str]) -> None:
    source, relation, target, text = fact
    moment = NOW + day * DAY
    stated = StatedFact(source=source, relation=relation, target=target, fact=text, valid_at=moment)
    new = NewEpisode(id=episode, content=f"episode {episode}", occurred_at=moment, facts=(stated,))
    await service.ingester.add(namespace, new, now=moment)
    await service.drainer.drain(namespace)


async def recall(service: Service, namespace: str, text: str, day: int, **more: object) -> list[str]:
    query = msgspec.structs.replace(Query(namespace=namespace, text=text, mode="graph"), **more)
    answer = await service.recaller.recall(query, GRAPH, now=NOW + day * DAY)
    assert answer.missing == []
    return [result.text for result in answer.results]


async def test_a_fact_is_found_by_its_words_and_speaks_for_its_episode(service: Service, namespace: str) -> None:
    await tell(service, namespace, "e1", 0, ("Rajesh", "plans", "Goa", "planning vacation to Goa in March"))
    await tell(service, namespace, "e2", 0, ("Sam", "fixes", "linker", "fixing the linker step of the build"))

    found = await recall(service, namespace, "What about the vacation in Goa?", 1)

    assert found[:2] == ["planning vacation to Goa in March", "episode e1"]


async def test_a_name_in_the_question_leads_to_facts_and_episodes_whose_words_are_others(
    without_embedder: Service, namespace: str
) -> None:
    service = without_embedder
    await tell(service, namespace, "e1", 0, ("Caroline", "plays", "the cello", "she practises every evening"))
    await tell(service, namespace, "e2", 1, ("Caroline", "visits", "Lyon", "a weekend in Lyon"))
    await tell(service, namespace, "e3", 2, ("Lyon", "lies on", "the Rhone", "the city lies on a river"))
    await tell(service, namespace, "e4", 3, ("Bob", "likes", "tea", "Bob likes tea"))

    found = await recall(service, namespace, "What do I know about Caroline?", 5)

    assert found[:4] == ["a weekend in Lyon", "episode e2", "she practises every evening", "episode e1"]
    assert "the city lies on a river" in found
    assert "Bob likes tea" not in found


async def test_facts_are_bound_by_the_filters_of_their_episodes(service: Service, namespace: str) -> None:
    await tell(service, namespace, "e1", 0, ("Ann", "visits", "Goa", "Ann visits Goa"))
    await tell(service, namespace, "e2", 5, ("Ann", "visits", "Rome", "Ann visits Rome"))

    found = await recall(service, namespace, "Where was Ann?", 9, filters=Filters(since=NOW + 3 * DAY))

    assert sorted(found) == ["Ann visits Rome", "episode e2"]


async def test_asked_about_a_time_the_latest_value_goes_first(service: Service, namespace: str) -> None:
    await tell(service, namespace, "e1", 0, ("Ann", "plays for", "Porto", "Ann plays for Porto"))
    await tell(service, namespace, "e2", 10, ("Ann", "plays for", "Braga", "In Portugal, Ann also plays for Braga"))
    about = "Which team does Ann play for? Porto"

    now = await recall(service, namespace, about, 20, kinds=("fact",))
    then = await recall(service, namespace, about, 20, kinds=("fact",), filters=Filters(valid_as_of=NOW + 15 * DAY))

    assert now[0] == "Ann plays for Porto"
    assert then[0] == "In Portugal, Ann also plays for Braga"


async def test_only_wanted_kinds_come_back(service: Service, namespace: str) -> None:
    await tell(service, namespace, "e1", 0, ("Rajesh", "plans", "Goa", "planning vacation to Goa"))

    assert await recall(service, namespace, "vacation in Goa", 1, kinds=("fact",)) == ["planning vacation to Goa"]
    assert await recall(service, namespace, "vacation in Goa", 1, kinds=("episode",)) == ["episode e1"]


async def test_what_was_superseded_is_gone_and_comes_back_when_asked_about_then(
    service: Service, namespace: str
) -> None:
    await tell(service, namespace, "e1", 0, ("Ann", "lives in", "Paris", "Ann lives in Paris"))
    await tell(service, namespace, "e2", 10, ("Ann", "lives in", "Berlin", "Ann lives in Berlin"))
    facts: dict[str, object] = {"kinds": ("fact",)}

    now = await recall(service, namespace, "Where does Ann live?", 20, **facts)
    then = await recall(
        service, namespace, "Where does Ann live?", 20, filters=Filters(valid_as_of=NOW + 5 * DAY), **facts
    )
    known = await recall(
        service, namespace, "Where does Ann live?", 20, filters=Filters(known_as_of=NOW + 5 * DAY), **facts
    )

    assert (now, then, known) == (["Ann lives in Berlin"], ["Ann lives in Paris"], ["Ann lives in Paris"])


async def test_another_namespaces_facts_are_never_found(service: Service, namespace: str) -> None:
    other = f"{namespace}_other"
    await tell(service, other, "e1", 0, ("Ann", "lives in", "Paris", "Ann lives in Paris"))
    await tell(service, namespace, "e1", 0, ("Bob", "likes", "tea", "Bob likes tea"))

    assert "Ann lives in Paris" not in await recall(service, namespace, "Where does Ann live? Paris", 1)


async def test_the_graph_made_again_from_the_ledger_is_the_same(service: Service, namespace: str) -> None:
    await tell(service, namespace, "e1", 0, ("Ann", "lives in", "Paris", "Ann lives in Paris"))
    await tell(service, namespace, "e2", 10, ("Ann", "lives in", "Berlin", "Ann lives in Berlin"))
    before = await whole_graph(service, namespace)

    assert service.projector is not None
    await service.projector.rebuild(namespace)

    assert await whole_graph(service, namespace) == before
    assert len(before) > 5


async def test_forgetting_the_newer_brings_the_older_back(service: Service, namespace: str) -> None:
    await tell(service, namespace, "e1", 0, ("Ann", "lives in", "Paris", "Ann lives in Paris"))
    await tell(service, namespace, "e2", 10, ("Ann", "lives in", "Berlin", "Ann lives in Berlin"))

    await service.ingester.forget(namespace, ["e2"])
    await service.drainer.drain(namespace)

    assert await recall(service, namespace, "Where does Ann live?", 20, kinds=("fact",)) == ["Ann lives in Paris"]


async def whole_graph(service: Service, namespace: str) -> list[str]:
    """Every node and relationship with all its properties, as sorted text."""
    assert service.graph is not None
    nodes = await service.graph.run(
        "MATCH (n {group_id: $group_id}) RETURN labels(n) AS labels, properties(n) AS node", group_id=namespace
    )
    edges = await service.graph.run(
        "MATCH (a {group_id: $group_id})-[r]->(b) RETURN a.uuid AS a, type(r) AS type, properties(r) AS r, b.uuid AS b",
        group_id=namespace,
    )
    return sorted(str({**row, "labels": sorted(row.get("labels", []))}) for row in (*nodes, *edges))
