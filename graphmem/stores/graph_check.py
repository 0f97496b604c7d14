"""What the graph shows, read for comparison with the ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphmem.queries import cypher
from graphmem.stores.graph import GraphStore


class Listed(NamedTuple):
    """A thing of the graph; of an episode `id` is its own."""

    kind: str
    uuid: str
    id: str


@dataclass(frozen=True)
class GraphCheck:
    """Reads the graph of one namespace at a time."""

    graph: GraphStore

    async def counts(self, namespace: str) -> dict[str, int]:
        """How many entities, facts and episodes there are."""
        return (await self.graph.run(cypher("consolidate/counts"), group_id=namespace))[0]

    async def shown(self, namespace: str, uuids: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Any]]:
        """What is shown of things, given by kind; nothing for what is not there."""
        wanted = {f"{kind[:-1]}ies" if kind == "entity" else f"{kind}s": list(ids) for kind, ids in uuids.items()}
        given = {"entities": [], "facts": [], "episodes": []} | wanted
        limit = sum(map(len, given.values()))
        rows = await self.graph.run(cypher("consolidate/shown"), group_id=namespace, limit=limit, **given)
        return {row["uuid"]: row["shows"] for row in rows}

    async def listed(self, namespace: str, *, after: str, limit: int) -> list[Listed]:
        """Things of the graph, by uuid."""
        rows = await self.graph.run(cypher("consolidate/listed"), group_id=namespace, after=after, limit=limit)
        return [Listed(**row) for row in rows]
