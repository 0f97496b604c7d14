"""What became of episodes in the night: which faded, and which stand behind another that says the same."""

from dataclasses import dataclass
from datetime import datetime

import msgspec
from msgspec import Struct

from graphmem.queries import sql
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
MOST_DUPLICATES = 1000


class Standing(Struct, frozen=True, kw_only=True):
    """Since when an episode is archived; the episode that is shown in its place; those it is shown in place of."""

    archived_at: datetime | None = None
    duplicate_of: str | None = None
    duplicates: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArchiveStore:
    """Reads what searches leave out, and keeps for how long it is to be kept."""

    postgres: Postgres

    async def standing(self, namespace: str, episode: str) -> Standing:
        """How an episode stands; one that is not there as any other."""
        row = await self.postgres.row(QUERIES.standing, namespace=namespace, id=episode, most=MOST_DUPLICATES)
        return msgspec.convert(row, Standing) if row else Standing()

    async def retention(self, namespace: str) -> int | None:
        """After how many days archived episodes are forgotten; None where they stay."""
        row = await self.postgres.row(QUERIES.retention, namespace=namespace)
        return row["days"] if row else None

    async def change_retention(self, namespace: str, days: int | None) -> None:
        """Forget archived episodes after so many days; None lets them stay."""
        if days is None:
            await self.postgres.rows(QUERIES.drop_retention, namespace=namespace)
        else:
            await self.postgres.rows(QUERIES.keep_retention, namespace=namespace, days=days)
