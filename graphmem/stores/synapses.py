"""What was recalled together, and how strongly that has tied it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.ledger import is_uuid
from graphmem.queries import sql
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)

Place = tuple[datetime | None, str | None]


@dataclass(frozen=True)
class SynapseStore:
    """Reads answers, feedback and synapses, of one namespace at a time."""

    postgres: Postgres

    async def together(self, namespace: str, place: Place, *, now: datetime, limit: int) -> Sequence[Row]:
        """What was given together, or of use together, after a place; the oldest first."""
        given = {"after_time": place[0], "after_id": place[1], "now": now, "limit": limit}
        return await self.postgres.rows(QUERIES.together, namespace=namespace, **given)

    async def together_count(self, namespace: str, place: Place) -> int:
        """How many answers that are."""
        row = await self.postgres.row(QUERIES.together_count, namespace=namespace, after_time=place[0])
        return row["answers"] if row else 0

    async def nodes(self, namespace: str, memories: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The nodes that memories stand for: an episode for itself, a fact for its two ends."""
        uuids = [one for one in memories if is_uuid(one)]
        rows = await self.postgres.rows(QUERIES.nodes, namespace=namespace, ids=list(memories), uuids=uuids)
        return {row["memory"]: tuple(dict.fromkeys(row["nodes"])) for row in rows}

    async def known(self, namespace: str, pairs: Collection[tuple[str, str]]) -> Sequence[Row]:
        """Those of the pairs that are tied."""
        ones, others = [one for one, _ in pairs], [other for _, other in pairs]
        return await self.postgres.rows(QUERIES.known, namespace=namespace, ones=ones, others=others)

    async def lost(
        self, namespace: str, after: tuple[str, str], bounds: tuple[timedelta, float, int], *, now: datetime
    ) -> Sequence[Row]:
        """Ties that are weaker than the least by now, or lead nowhere: half life, least weight, and how many."""
        half_life, least, limit = bounds
        return await self.postgres.rows(
            QUERIES.lost,
            namespace=namespace,
            after_one=after[0],
            after_other=after[1],
            half_life=half_life.total_seconds(),
            least=least,
            limit=limit,
            now=now,
        )
