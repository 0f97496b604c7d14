"""What an episode has seen, for the night to tell whether it fades."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphmem.memory import EVERGREEN_TYPES
from graphmem.queries import sql
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)


@dataclass(frozen=True)
class FadingStore:
    """Reads episodes that may have had their time."""

    postgres: Postgres

    async def quiet(
        self, namespace: str, before: datetime, low_before: datetime, *, after: int, limit: int
    ) -> Sequence[Row]:
        """Episodes that are not archived and were quiet since before these times, after a document number."""
        given: dict[str, Any] = {"before": before, "low_before": low_before, "evergreen": sorted(EVERGREEN_TYPES)}
        return await self.postgres.rows(QUERIES.quiet, namespace=namespace, after=after, limit=limit, **given)

    async def quiet_count(self, namespace: str, low_before: datetime) -> int:
        """About how many those are."""
        row = await self.postgres.row(QUERIES.quiet_count, namespace=namespace, low_before=low_before)
        return row["episodes"] if row else 0

    async def overdue(self, namespace: str, before: datetime, *, limit: int) -> list[str]:
        """Episodes archived before a time."""
        rows = await self.postgres.rows(QUERIES.overdue, namespace=namespace, before=before, limit=limit)
        return [row["id"] for row in rows]
