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
    """Reads what searches leave out."""

    postgres: Postgres

    async def standing(self, namespace: str, episode: str) -> Standing:
        """How an episode stands; one that is not there as any other."""
        row = await self.postgres.row(QUERIES.standing, namespace=namespace, id=episode, most=MOST_DUPLICATES)
        return msgspec.convert(row, Standing) if row else Standing()
