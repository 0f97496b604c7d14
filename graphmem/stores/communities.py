"""Who belongs with whom: the facts between entities, and what the night made of them."""

from collections.abc import Collection
from dataclasses import dataclass

from graphmem.queries import sql
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)
# Some 60 MB at a time; of a larger graph the strongest ties.
MOST_EDGES = 200_000


@dataclass(frozen=True)
class CommunityStore:
    """Reads the web of facts of a namespace, and its communities."""

    postgres: Postgres

    async def edges(self, namespace: str) -> list[tuple[str, str, float]]:
        """How many facts that hold tie each two entities."""
        rows = await self.postgres.rows(QUERIES.edges, namespace=namespace, limit=MOST_EDGES)
        return [(row["one"], row["other"], row["weight"]) for row in rows]

    async def belonging(self, namespace: str) -> dict[str, str]:
        """To which community each entity belongs."""
        rows = await self.postgres.rows(QUERIES.belonging, namespace=namespace)
        return {row["entity"]: row["community"] for row in rows}

    async def known(self, namespace: str) -> dict[str, Row]:
        """The communities there are, with name and time."""
        return {row["id"]: row for row in await self.postgres.rows(QUERIES.known, namespace=namespace)}

    async def names(self, namespace: str, ids: Collection[str]) -> dict[str, str]:
        """What entities are called."""
        rows = await self.postgres.rows(QUERIES.names, namespace=namespace, ids=list(ids))
        return {row["id"]: row["name"] for row in rows}
