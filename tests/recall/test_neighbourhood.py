"""The neighbourhood of memories in a real Neo4j, and the order of sessions in it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from graphmem.ledger import entity_uuid
from graphmem.memory import Filters, Neighbourhood, NewEpisode, StatedFact
from graphmem.service import Service, open_service
from graphmem.settings import Embedder, Extractor, Neo4j, Settings
from graphmem.stores.filters import Scope
from graphmem.stores.neighbourhood import NeighbourhoodStore, Seeds

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
EVERYTHING = Filters()
SESSION_ORDER = """
    MATCH (x:Episodic {group_id: $group_id})-[r:NEXT_EPISODE {group_id: $group_id}]->(y)
    RETURN x.gm_id AS a, y.gm_id AS b, r.uuid AS uuid, r.created_at AS created_at ORDER BY x.valid_at, x.gm_id
"""


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    bare = msgspec.structs.replace(settings, embedder=Embedder(kind="none"), extractor=Extractor(kind="none"))
    async with open_service(msgspec.structs.replace(bare, neo4j=neo4j_settings)) as opened:
        yield opened


async def tell(service: Service, namespace: str, episode: str, hour: int, *stated: tuple[str, str, str]) -> None:
    moment = NOW + hour * HOUR
    facts = tuple(
        StatedFact(source=a, relation=r, target=b, fact=f"{a} {r} {b}", valid_at=moment) for a, r, b in stated
    )
    new = NewEpisode(id=episode, content=episode, session="s", occurred_at=moment, facts=facts)
    await service.ingester.add(namespace, new, now=moment)
    await service.drainer.drain(namespace)


async def around(
    service: Service, namespace: str, seeds: Seeds, *, hops: int, filters: Filters = EVERYTHING
) -> Neighbourhood:
    assert service.graph is not None
    scope = Scope(namespace, filters)
    return await NeighbourhoodStore(service.graph).around(seeds, scope, hops=hops, now=NOW + 100 * HOUR)


def names(near: Neighbourhood, namespace: str, *known: str) -> set[str]:
    """The nodes, entities by their names."""
    readable = {entity_uuid(namespace, name): name for name in known}
    return {readable.get(node, node) for node in near.nodes}


async def session_order(service: Service, namespace: str) -> list[dict[str, object]]:
    assert service.graph is not None
    return await service.graph.run(SESSION_ORDER, group_id=namespace)


async def test_it_reaches_as_far_as_the_hops_by_facts_mentions_and_the_order_of_sessions(
    service: Service, namespace: str
) -> None:
    await tell(service, namespace, "e1", 1, ("ann", "knows", "bob"))
    await tell(service, namespace, "e2", 2, ("bob", "knows", "cid"))
    await tell(service, namespace, "e3", 3, ("cid", "knows", "dan"))
    ann = Seeds(entities=[entity_uuid(namespace, "ann")])

    one = await around(service, namespace, ann, hops=1)
    two = await around(service, namespace, ann, hops=2)
    from_episode = await around(service, namespace, Seeds(episodes=["e2"]), hops=1)

    assert names(one, namespace, "ann", "bob") == {"ann", "bob", "e1"}
    assert names(two, namespace, "ann", "bob", "cid") == {"ann", "bob", "cid", "e1", "e2"}
    assert names(from_episode, namespace, "bob", "cid") == {"e1", "e2", "e3", "bob", "cid"}
    assert {tie.kind for tie in from_episode.ties} == {"mention", "session"}
    assert [(tie.source, tie.target) for tie in from_episode.ties if tie.kind == "session"] == [
        ("e1", "e2"),
        ("e2", "e3"),
    ]


async def test_a_fact_stands_for_its_ends_and_says_how_well_it_is_supported(service: Service, namespace: str) -> None:
    await tell(service, namespace, "e1", 1, ("ann", "knows", "bob"))
    await tell(service, namespace, "e2", 2, ("ann", "knows", "bob"))
    near = await around(service, namespace, Seeds(entities=[entity_uuid(namespace, "ann")]), hops=1)
    (fact,) = [tie for tie in near.ties if tie.kind == "fact"]

    assert (fact.support, fact.confirmed) == (2, round((NOW + 2 * HOUR).timestamp() * 1000))
    assert near.nodes[fact.source].degree == 3

    by_fact = await around(service, namespace, Seeds(facts=[fact.fact or ""]), hops=1)
    assert names(by_fact, namespace, "ann", "bob") == {"ann", "bob", "e1", "e2"}


async def test_only_what_holds_on_both_clocks_is_passed_through(service: Service, namespace: str) -> None:
    await tell(service, namespace, "e1", 1, ("ann", "lives in", "rome"))
    await tell(service, namespace, "e2", 20, ("ann", "lives in", "oslo"))
    ann = Seeds(entities=[entity_uuid(namespace, "ann")])

    async def homes(filters: Filters) -> set[str]:
        near = await around(service, namespace, ann, hops=1, filters=filters)
        return names(near, namespace, "ann", "rome", "oslo") - {"ann"}

    assert await homes(EVERYTHING) == {"oslo", "e1", "e2"}
    assert await homes(Filters(known_as_of=NOW + 5 * HOUR)) == {"rome", "e1"}
    assert await homes(Filters(valid_as_of=NOW + 5 * HOUR)) == {"rome", "e1"}


async def test_another_namespace_is_never_entered(service: Service, namespace: str) -> None:
    other = f"{namespace}_other"
    await tell(service, other, "e1", 1, ("ann", "knows", "bob"))
    theirs = Seeds(entities=[entity_uuid(other, "ann")], episodes=["e1"])

    assert (await around(service, namespace, theirs, hops=3)).nodes == {}


async def test_sessions_keep_their_order_whatever_comes_goes_or_moves(service: Service, namespace: str) -> None:
    async def order() -> list[tuple[object, object]]:
        return [(row["a"], row["b"]) for row in await session_order(service, namespace)]

    await tell(service, namespace, "a", 1)
    await tell(service, namespace, "d", 4)
    assert await order() == [("a", "d")]

    await tell(service, namespace, "b", 2)
    await tell(service, namespace, "c", 3)
    assert await order() == [("a", "b"), ("b", "c"), ("c", "d")]

    later = NewEpisode(content="b, later", session="s", occurred_at=NOW + 9 * HOUR)
    await service.ingester.replace(namespace, "b", later, now=NOW + 9 * HOUR)
    await service.drainer.drain(namespace)
    assert await order() == [("a", "c"), ("c", "d"), ("d", "b")]

    await service.ingester.forget(namespace, ["c", "d"])
    await service.drainer.drain(namespace)
    assert await order() == [("a", "b")]


async def test_the_order_is_the_same_when_the_graph_is_made_again(service: Service, namespace: str) -> None:
    recalled = NewEpisode(id="r", content="recalled", session="s", origin="recalled", occurred_at=NOW + 2 * HOUR)
    await tell(service, namespace, "c", 3)
    await tell(service, namespace, "a", 1)
    await service.ingester.add(namespace, recalled, now=NOW)
    await service.drainer.drain(namespace)
    before = await session_order(service, namespace)

    assert service.projector is not None
    await service.projector.rebuild(namespace)

    assert await session_order(service, namespace) == before
    assert [(row["a"], row["b"]) for row in before] == [("a", "c")]
