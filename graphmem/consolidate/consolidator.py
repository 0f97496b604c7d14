"""Runs asked for, done here or by the worker, and taken back."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec import structs

from graphmem.consolidate.journal import Journal
from graphmem.consolidate.nightly import Nightly, Watch, unwatched
from graphmem.errors import NotFoundError
from graphmem.ingest.stating import Stater
from graphmem.memory import new_id
from graphmem.night import STEPS, Change, Consolidation, StepName
from graphmem.stores.changes import ChangeStore
from graphmem.stores.consolidations import ConsolidationStore, new_run
from graphmem.stores.queue import Waker

POLL_SECONDS = 0.1
TOGETHER = 500


@dataclass(frozen=True)
class Consolidator:
    """What http and cli call: a run is a job of its namespace, so that a worker finishes what dies here."""

    nightly: Nightly
    stater: Stater
    waker: Waker

    @property
    def runs(self) -> ConsolidationStore:
        """What is known of each run."""
        return self.nightly.runs

    @property
    def changes(self) -> ChangeStore:
        """The journal's rows."""
        return ChangeStore(self.runs.postgres)

    @property
    def journal(self) -> Journal:
        """Puts changes back, and asks for that to be shown in the graph."""
        jobs = self.nightly.jobs if self.nightly.projector is not None else None
        return Journal(self.nightly.recorder, self.changes, jobs)

    async def ask(
        self, namespace: str, *, now: datetime, steps: Sequence[StepName] = STEPS, dry_run: bool = False
    ) -> Consolidation:
        """A new run, in the order of the night whatever the order of `steps`; a worker does it."""
        run = new_run(new_id(), namespace, [one for one in STEPS if one in steps], dry_run=dry_run, now=now)
        await self.runs.ask(run)
        self.waker.wake(namespace)
        return run

    async def ask_for_night(self, namespace: str, night: datetime, *, now: datetime) -> bool:
        """Ask for the run of a night; False when somebody did."""
        run = structs.replace(new_run(new_id(), namespace, STEPS, dry_run=False, now=now), scheduled_for=night)
        asked = await self.runs.ask(run)
        self.waker.wake(namespace)
        return asked

    async def finish_here(self, run: Consolidation, watch: Watch = unwatched) -> Consolidation:
        """Do a run in this process, or wait until the worker that took it up has done it; the run as it ended."""
        while (found := await self.find_run(run.namespace, run.id)).finished_at is None:
            async with self.nightly.jobs.only_writer(run.namespace) as ours:
                if ours:
                    await self.nightly.do_open_runs(run.namespace, watch)
            await asyncio.sleep(POLL_SECONDS)
        return found

    async def find_run(self, namespace: str, run: str) -> Consolidation:
        """The run, which the namespace must have."""
        found = await self.runs.find(namespace, run)
        if found is None:
            raise NotFoundError("There is no such run in this namespace.")
        return found

    async def find_change(self, namespace: str, change: str) -> Change:
        """The change, which the namespace must have."""
        found = await self.changes.find(namespace, change)
        if found is None:
            raise NotFoundError("There is no such change in this namespace.")
        return found

    async def undo(self, namespace: str, change: str, *, now: datetime, cascade: bool = False) -> list[Change]:
        """Put one change back, with `cascade` also those that build on it; what was put back, newest first."""
        await self.find_change(namespace, change)
        found, asked = await self.journal.put_back(namespace, [change], now=now, cascade=cascade)
        await self.stater.follow(namespace, asked)
        return found

    async def undo_run(self, namespace: str, run: str, *, now: datetime, cascade: bool = False) -> int:
        """Put back all that a run did, newest first; how many changes. Killed and called again, it does the rest."""
        await self.find_run(namespace, run)
        await self.journal.refuse_builders(namespace, run, cascade=cascade)
        undone = 0
        while ids := await self.changes.in_effect(namespace, run, limit=TOGETHER):
            found, asked = await self.journal.put_back(namespace, ids, now=now, cascade=True)
            await self.stater.follow(namespace, asked)
            undone += len(found)
        return undone

    async def accept(self, namespace: str, change: str, *, now: datetime) -> None:
        """Do what a change proposes."""
        await self.find_change(namespace, change)
        await self.stater.follow(namespace, await self.journal.accept(namespace, change, now=now))

    async def reject(self, namespace: str, change: str, *, now: datetime) -> None:
        """Do not do what a change proposes."""
        await self.find_change(namespace, change)
        await self.journal.reject(namespace, change, now=now)


@dataclass(frozen=True)
class ConsolidateHandler:
    """The worker's side: does the runs that wait."""

    nightly: Nightly

    async def __call__(self, namespace: str, ids: Sequence[str]) -> None:  # noqa: ARG002 - always the whole namespace
        """Do them, oldest first."""
        await self.nightly.do_open_runs(namespace)
