"""What supports facts: the episodes and sessions that state them, and what the night made of that."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from graphmem.queries import sql
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
MOST_EPISODES = 50


class Support(Struct, frozen=True, kw_only=True):
    """A fact with what supports it; `holds` says whether it has no end that has come."""

    fact: str
    source: str
    target: str
    text: str
    holds: bool
    sessions: int
    episodes: list[str]
    tier: str | None
    tier_sessions: int | None


@dataclass(frozen=True)
class SupportStore:
    """Reads support, of one namespace at a time."""

    postgres: Postgres

    async def of(self, namespace: str, facts: Sequence[str]) -> list[Support]:
        """The support of facts, and tiers of facts that are gone; of each the last episodes that state it."""
        rows = await self.postgres.rows(QUERIES.support, namespace=namespace, ids=list(facts), most=MOST_EPISODES)
        return [msgspec.convert(row, Support) for row in rows]
