"""What memory handed out lately, line by line: fingerprints, never text, kept for a day."""

import asyncio
import contextlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from graphmem.errors import UnavailableError
from graphmem.queries import sql
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
FLUSH_SECONDS = 1.0
KEPT_HOURS = 24
# For each namespace, the newest: some hundreds of contexts.
MOST_LINES = 5_000
MOST_UNWRITTEN = 50_000


@dataclass(frozen=True)
class HandedOut:
    """Notes lines beside the requests and writes them together; an outage loses some, which does little harm."""

    postgres: Postgres
    noted: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def note(self, namespace: str, lines: Iterable[int]) -> None:
        """These were handed out just now."""
        if len(self.noted) < MOST_UNWRITTEN:
            self.noted.update((namespace, line) for line in lines)

    async def run(self) -> None:
        """Write down what was noted, every moment, for ever."""
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            with contextlib.suppress(UnavailableError):
                await self.flush()

    async def flush(self) -> None:
        """Write down what was noted, and let go of what is old or too much."""
        noted = sorted(self.noted)
        self.noted.clear()
        if not noted:
            return
        namespaces, lines = zip(*noted, strict=True)
        await self.postgres.rows(QUERIES.keep, namespaces=list(namespaces), lines=list(lines))
        for namespace in sorted(set(namespaces)):
            await self.postgres.rows(QUERIES.let_go, namespace=namespace, hours=KEPT_HOURS, most=MOST_LINES)

    async def among(self, namespace: str, lines: Collection[int]) -> set[int]:
        """Those of the lines that were handed out within a day."""
        if not lines:
            return set()
        rows = await self.postgres.rows(QUERIES.among, namespace=namespace, lines=list(lines), hours=KEPT_HOURS)
        return {row["line"] for row in rows}
