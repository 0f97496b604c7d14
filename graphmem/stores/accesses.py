"""What answers leave behind: which memories were given together, how often and when last, and what was of use."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from msgspec import Struct

from graphmem.queries import sql
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)


class Given(Struct, frozen=True):
    """The memories of one answer, known by its id."""

    namespace: str
    id: str
    memories: tuple[str, ...]
    given_at: datetime


class Feedback(Struct, frozen=True, kw_only=True):
    """What an assistant used of what it was given, and what it did not."""

    namespace: str
    id: str
    answer: str | None
    useful: tuple[str, ...]
    useless: tuple[str, ...]
    given_at: datetime


@dataclass(frozen=True)
class AccessStore:
    """Counts accesses and keeps feedback."""

    postgres: Postgres

    async def count(self, given: Sequence[Given]) -> None:
        """Count what these answers gave; one that was counted before is not counted again."""
        await self.postgres.rows(QUERIES.count, rows=msgspec.json.encode(given).decode())

    async def keep(self, feedback: Feedback) -> dict[str, int]:
        """Keep what is said of memories that exist; how many of each kind those are."""
        lists = {"useful": list(feedback.useful), "useless": list(feedback.useless)}
        row = await self.postgres.row(QUERIES.keep, **msgspec.structs.asdict(feedback) | lists)
        return row or {"useful": 0, "useless": 0}

    async def forget_old(self) -> None:
        """Drop answers and feedback that the night had time enough to learn from."""
        await self.postgres.rows(QUERIES.forget_old)
