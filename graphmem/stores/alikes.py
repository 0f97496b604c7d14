"""What tells whether two entities are one: their names, and what both are tied to."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from graphmem.queries import sql
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
PAGE = 5000
# What more are tied to in the same way says little about any of them.
MOST_TIED = 50
MOST_SHARED = 20


class Named(Struct, frozen=True):
    """An entity with the names it goes by."""

    id: str
    type: str | None
    names: list[str]


class Common(Struct, frozen=True, kw_only=True):
    """What two entities have in common; `left` is the smaller id.

    `shared` are facts of either that say the same of both, `ways` how many such things there are, `together` the
    episodes that name both, `tied` whether a fact ties one to the other.
    """

    left: str
    right: str
    left_name: str
    right_name: str
    left_summary: str
    right_summary: str
    right_vector: str | None
    left_vector: str | None
    left_mentions: int
    right_mentions: int
    together: int
    tied: bool
    ways: int
    shared: list[str]


@dataclass(frozen=True)
class AlikeStore:
    """Reads entities for comparison, of one namespace at a time."""

    postgres: Postgres

    async def page(self, namespace: str, *, after: str | None) -> list[Named]:
        """Some thousand entities by id."""
        rows = await self.postgres.rows(QUERIES.names, namespace=namespace, after=after, limit=PAGE)
        return [msgspec.convert(row, Named) for row in rows]

    async def of(self, namespace: str, ids: Sequence[str]) -> list[Named]:
        """Those of the entities that there are."""
        rows = await self.postgres.rows(QUERIES.named, namespace=namespace, ids=list(ids))
        return [msgspec.convert(row, Named) for row in rows]

    async def tied_alike(self, namespace: str, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Pairs of one of the entities with another of its type of which at least two same things are said."""
        rows = await self.postgres.rows(QUERIES.tied_alike, namespace=namespace, ids=list(ids), most=MOST_TIED)
        return [(row["left"], row["right"]) for row in rows]

    async def common(self, namespace: str, pairs: Sequence[tuple[str, str]]) -> list[Common]:
        """What the two of each pair have in common, for pairs of entities that there are."""
        lefts, rights = [left for left, _ in pairs], [right for _, right in pairs]
        rows = await self.postgres.rows(
            QUERIES.common, namespace=namespace, lefts=lefts, rights=rights, most=MOST_SHARED
        )
        return [msgspec.convert(row, Common) for row in rows]
