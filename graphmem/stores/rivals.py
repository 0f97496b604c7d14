"""Facts that may not hold beside each other, and what was said of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from msgspec import Struct

from graphmem.queries import sql
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
# Of one fact no more rivals are looked at in a night.
MOST_RIVALS = 20


class Rules(Struct, frozen=True, kw_only=True):
    """Which relations may clash: `overtaken` by `overtaking` between the same two, one value a source, one partner."""

    overtaking: list[str]
    overtaken: list[str]
    single: list[str]
    partners: list[str]


class Rival(Struct, frozen=True, kw_only=True):
    """A fact that holds, with the first and the last time of which it is said to."""

    id: str
    source: str
    relation: str
    target: str
    named_source: str
    named_target: str
    text: str
    first: datetime
    last: datetime
    sessions: int
    episode: str


@dataclass(frozen=True)
class RivalStore:
    """Reads facts for comparison, of one namespace at a time."""

    postgres: Postgres

    async def pairs(self, namespace: str, facts: Sequence[str], rules: Rules) -> list[tuple[str, str]]:
        """Pairs of one of the facts and another that the rules name, where both hold; the smaller id first."""
        given = msgspec.structs.asdict(rules) | {"ids": list(facts), "most": MOST_RIVALS}
        rows = await self.postgres.rows(QUERIES.pairs, namespace=namespace, **given)
        return [(row["left"], row["right"]) for row in rows]

    async def of(self, namespace: str, facts: Sequence[str]) -> dict[str, Rival]:
        """What is said of some facts."""
        rows = await self.postgres.rows(QUERIES.rivals, namespace=namespace, ids=list(facts)) if facts else []
        return {row["id"]: msgspec.convert(row, Rival) for row in rows}
