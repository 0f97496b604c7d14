"""What lies around some memories in the graph, read in one round trip."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from graphmem.ledger import episode_uuid
from graphmem.memory import Neighbourhood, Node, Tie
from graphmem.queries import cypher
from graphmem.stores.filters import Scope
from graphmem.stores.graph import GraphStore
from graphmem.stores.postgres import Row

# At most so many facts and so many mentions of one node, for each hop: wide near the seeds, narrow far from them.
FAN_OUTS = (20, 10, 5)
MOST_TIES = 600


@dataclass(frozen=True)
class Seeds:
    """Where charge begins: entities and facts by their uuids, episodes by their ids."""

    entities: Collection[str] = ()
    facts: Collection[str] = ()
    episodes: Collection[str] = ()


@dataclass(frozen=True)
class NeighbourhoodStore:
    """Asks Neo4j what is near."""

    graph: GraphStore

    async def around(self, seeds: Seeds, scope: Scope, *, hops: int, now: datetime) -> Neighbourhood:
        """All that up to three hops reach, whatever the filters but for the clocks: what may be passed through."""
        rows = await self.graph.run(
            cypher("recall/neighbourhood"),
            group_id=scope.namespace,
            entities=list(seeds.entities),
            facts=list(seeds.facts),
            episodes=[episode_uuid(scope.namespace, one) for one in seeds.episodes],
            known=scope.filters.known_as_of or now,
            valid=scope.filters.valid_as_of,
            fan_outs=[fan_out if hop < hops else 0 for hop, fan_out in enumerate(FAN_OUTS)],
            most=MOST_TIES,
        )
        return neighbourhood_of(rows[0])


def neighbourhood_of(row: Row) -> Neighbourhood:
    """The answer in one order, with ids in place of the numbers that hold inside it only."""
    entities = {number: Node(uuid, "entity", degree) for number, uuid, degree in row["entities"]}
    episodes = {number: Node(one, "episode", degree) for number, one, degree in row["episodes"] if one is not None}
    known = entities | episodes
    ties = [
        Tie("fact", known[a].id, known[b].id, fact=uuid, relation=relation, support=support, confirmed=confirmed)
        for a, b, uuid, relation, support, confirmed in row["facts"]
    ]
    for kind in ("mention", "session"):
        ties += [Tie(kind, known[a].id, known[b].id) for a, b in row[kind] if a in known and b in known]
    ties += [
        Tie("synapse", known[a].id, known[b].id, weight=weight, confirmed=at)
        for a, b, weight, at in row["synapse"]
        if a in known and b in known
    ]
    ties.sort(key=lambda tie: (tie.kind, tie.source, tie.target, tie.fact or ""))
    return Neighbourhood({node.id: node for node in known.values()}, ties)
