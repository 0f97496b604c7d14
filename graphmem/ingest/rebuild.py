"""Making the graphs of whole namespaces again from the ledger alone, while the service runs.

The wish is a job before anything is touched: should we die on the way, a worker does the rest.
"""

import asyncio
from dataclasses import dataclass

from graphmem.ingest.project import Projector, Watch, unwatched
from graphmem.memory import new_id
from graphmem.stores.jobs import JobStore
from graphmem.stores.postgres import Connection

POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Rebuilder:
    """Makes graphs again, each under the lock of its namespace."""

    jobs: JobStore
    projector: Projector

    async def rebuild(self, namespace: str, watch: Watch = unwatched) -> int:
        """Make the graph of a namespace again; how many things were written, none if a worker did it in our place."""
        job = new_id()

        async def ask(connection: Connection) -> None:
            await self.jobs.ask_to_rebuild(connection, namespace, job)

        await self.jobs.postgres.run(ask)
        while await self.waits(namespace, job):
            async with self.jobs.only_writer(namespace) as ours:
                if ours:
                    shown = await self.projector.rebuild(namespace, watch)
                    await self.jobs.rebuilt(namespace, job)
                    return shown
            await asyncio.sleep(POLL_SECONDS)
        return 0

    async def waits(self, namespace: str, job: str) -> bool:
        """Whether the wish is still open: the worker that is at the namespace may have come to it first."""
        asked = await self.jobs.by_id(namespace, job)
        return asked is not None and asked.state != "done"
