"""The runs of the night: asked for, under way, done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from graphmem.night import Consolidation, StepName
from graphmem.queries import sql
from graphmem.stores.postgres import Connection, Postgres, Row

QUERIES = sql(__file__)


@dataclass(frozen=True)
class ConsolidationStore:
    """Keeps what is known of each run."""

    postgres: Postgres

    async def ask(self, run: Consolidation) -> bool:
        """Ask the worker for a run; False when that night was asked for already."""

        async def work(connection: Connection) -> bool:
            async with connection.transaction():
                given = msgspec.to_builtins(run) | {"steps": list(run.steps)}
                if not await (await connection.execute(QUERIES.ask, given)).fetchall():
                    return False
                await connection.execute(QUERIES.ask_worker, {"namespace": run.namespace, "id": run.id})
                return True

        return await self.postgres.run(work)

    async def open_runs(self, namespace: str) -> list[Consolidation]:
        """Those that wait or are under way, in the order in which they were asked for."""
        return [run_of(row) for row in await self.postgres.rows(QUERIES.open_runs, namespace=namespace)]

    async def start(self, namespace: str, run: str) -> None:
        """It is under way; since when stays as it is if it was before."""
        await self.postgres.rows(QUERIES.start, namespace=namespace, id=run)

    async def progress(self, namespace: str, run: str, progress: Mapping[str, Any]) -> None:
        """It has come so far."""
        await self.postgres.rows(
            QUERIES.progress, namespace=namespace, id=run, progress=msgspec.json.encode(progress).decode()
        )

    async def finish(
        self, namespace: str, run: str, counts: Mapping[str, Mapping[str, int]], *, error: str | None = None
    ) -> None:
        """It is done, or failed with an error."""
        given = {"counts": msgspec.json.encode(counts).decode(), "error": error}
        await self.postgres.rows(QUERIES.finish, namespace=namespace, id=run, **given)

    async def find(self, namespace: str, run: str) -> Consolidation | None:
        """One run, if the namespace has it."""
        row = await self.postgres.row(QUERIES.find, namespace=namespace, id=run)
        return run_of(row) if row else None

    async def page(self, namespace: str, *, limit: int, after: str | None) -> list[Consolidation]:
        """Runs, newest first."""
        rows = await self.postgres.rows(QUERIES.page, namespace=namespace, limit=limit, after=after)
        return [run_of(row) for row in rows]


def new_run(run: str, namespace: str, steps: Sequence[StepName], *, dry_run: bool, now: datetime) -> Consolidation:
    """A run that is asked for."""
    return Consolidation(
        id=run, namespace=namespace, state="waiting", dry_run=dry_run, steps=list(steps), created_at=now
    )


def run_of(row: Row) -> Consolidation:
    """A run from its row."""
    return msgspec.convert(row, Consolidation)
