"""procrastinate on our Postgres: wakes workers and runs what is due at a time.

The truth about what must be done is the `job` table. A wake-up is only a hint that saves waiting for the next sweep,
so it is sent after the commit, outside the writers' transaction: writers of one namespace never wait for each other.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from psycopg_pool import AsyncConnectionPool

log = logging.getLogger(__name__)
DRAIN = "graphmem.drain"
WAKE_SECONDS = 0.05
POOL_WAIT_SECONDS = 5.0


@asynccontextmanager
async def open_queue(dsn: str) -> AsyncGenerator[App]:
    """The queue on a small pool of its own, open while the block runs; an absent server is no error until asked."""
    pool = AsyncConnectionPool(dsn, min_size=1, max_size=4, timeout=POOL_WAIT_SECONDS, open=False)
    app = App(connector=PsycopgConnector())
    await pool.open()
    try:
        async with app.open_async(pool):
            yield app
    finally:
        await pool.close(timeout=2)


@dataclass(frozen=True)
class Waker:
    """Tells the workers that a namespace has work; many writes in a moment become one wake-up."""

    app: App
    asleep: set[str] = field(default_factory=set[str])

    def wake(self, namespace: str) -> None:
        """Note that there is work; sent in a moment by `run`."""
        self.asleep.add(namespace)

    async def run(self) -> None:
        """Send wake-ups until cancelled."""
        while True:
            await asyncio.sleep(WAKE_SECONDS)
            while self.asleep:
                await self.send(self.asleep.pop())

    async def send(self, namespace: str) -> None:
        """One wake-up, unless one is waiting already; a failure only means waiting for the sweep."""
        task = self.app.configure_task(DRAIN, queueing_lock=f"drain:{namespace}", queue="drain")
        try:
            with contextlib.suppress(AlreadyEnqueued):
                await task.defer_async(namespace=namespace)
        except ConnectorException:
            log.warning("wake-up not sent; the sweep will find the work", extra={"namespace": namespace})
