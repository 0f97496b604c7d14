"""Facts as they stand in the ledger: shown in answers, and what a conversation should begin with."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from graphmem.ledger import is_uuid
from graphmem.memory import MemoryId
from graphmem.queries import sql
from graphmem.stores.filters import Scope
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)
# Looked at before they are put in order.
MOST_FACTS = 2000
# A plan that was not spoken of for so long is taken as given up, or done.
OPEN = timedelta(days=90)


@dataclass(frozen=True)
class FactStore:
    """Reads facts from Postgres alone."""

    postgres: Postgres

    async def fetch(self, namespace: str, ids: Collection[MemoryId]) -> dict[MemoryId, Row]:
        """Those of the ids that are facts, as an answer shows them, in the order of the ids."""
        wanted = [one for one in ids if is_uuid(one)]
        rows = await self.postgres.rows(QUERIES.fetch, namespace=namespace, ids=wanted) if wanted else []
        known = {row["id"]: row for row in rows}
        return {one: known[one] for one in wanted if one in known}

    async def lasting(self, scope: Scope, relations: Collection[str], *, limit: int, now: datetime) -> list[MemoryId]:
        """Facts of these relations that hold, those that were said most often first."""
        rows = await self.postgres.rows(
            QUERIES.lasting, relations=sorted(relations), limit=limit, most=MOST_FACTS, **bounds(scope, now)
        )
        return [row["id"] for row in rows]

    async def plans(self, scope: Scope, patterns: Sequence[str], *, limit: int, now: datetime) -> list[MemoryId]:
        """Facts that begin later, and those of relations like these patterns that were spoken of lately."""
        given = bounds(scope, now)
        given |= {"relations": list(patterns), "stale": given["known"] - OPEN}
        rows = await self.postgres.rows(QUERIES.plans, limit=limit, most=MOST_FACTS, **given)
        return [row["id"] for row in rows]


def bounds(scope: Scope, now: datetime) -> dict[str, Any]:
    """What bounds facts: the filters, and the two clocks."""
    filters = scope.filters
    clocks = {"known": filters.known_as_of or now, "valid": filters.valid_as_of}
    return scope.parameters() | clocks | {"bound": filters.bound}
