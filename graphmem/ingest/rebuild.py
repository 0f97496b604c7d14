"""Making the graphs of whole namespaces again from the ledger alone, while the service runs.

The wish is a job before anything is touched: should we die on the way, a worker does the rest.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from graphmem.errors import UnavailableError
from graphmem.ingest.project import Projector, Watch, unwatched
from graphmem.memory import new_id
from graphmem.stores.jobs import JobStore
from graphmem.stores.postgres import Connection

PATIENCE_SECONDS = 60.0
POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Rebuilder:
    """Makes graphs again, each under the lock of its namespace."""

    jobs: JobStore
    projector: Projector

    async def rebuild(self, namespace: str, watch: Watch = unwatched) -> int:
        """Make the graph of a namespace again; how many entities, facts and episodes were written."""
        job = new_id()

        async def ask(connection: Connection) -> None:
            await self.jobs.ask_to_rebuild(connection, namespace, job)

        await self.jobs.postgres.run(ask)
        async with self.turn(namespace):
            shown = await self.projector.rebuild(namespace, watch)
            await self.jobs.rebuilt(namespace, job)
        return shown

    @asynccontextmanager
    async def turn(self, namespace: str) -> AsyncGenerator[None]:
        """Be the only writer of the namespace's graph while the block runs, after those who were first."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + PATIENCE_SECONDS
        while clock() < deadline:
            async with self.jobs.only_writer(namespace) as ours:
                if ours:
                    yield
                    return
            await asyncio.sleep(POLL_SECONDS)
        raise UnavailableError(f"A worker is busy with the graph of {namespace} and will make it again afterwards.")
