"""Accesses are counted off the path of the request: noted at once, written together soon after."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.errors import UnavailableError
from graphmem.memory import Recalled
from graphmem.stores.accesses import AccessStore, Given

PAUSE_SECONDS = 0.2
MOST_A_WRITE = 1000
# While Postgres is away answers stop soon; this bounds the memory of those that were given before.
MOST_NOTED = 100_000


@dataclass(frozen=True)
class Accesses:
    """What was given and is not written down yet."""

    store: AccessStore
    noted: list[Given] = field(default_factory=list[Given])
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def note(self, namespace: str, answer: str, results: Sequence[Recalled], *, now: datetime) -> None:
        """Remember to count what an answer gave."""
        if results and len(self.noted) < MOST_NOTED:
            self.noted.append(Given(namespace, answer, tuple(result.id for result in results), now))
            self.waiting.set()

    async def run(self) -> None:
        """Write what is noted, again and again; what an outage kept from being written is tried again."""
        while True:
            await self.waiting.wait()
            await asyncio.sleep(PAUSE_SECONDS)
            with contextlib.suppress(UnavailableError):
                await self.flush()

    async def flush(self) -> None:
        """Write all that is noted; an answer is noted until it is written, and its id keeps it from counting twice."""
        async with self.writing:
            while batch := self.noted[:MOST_A_WRITE]:
                await self.store.count(batch)
                del self.noted[: len(batch)]
            self.waiting.clear()
