"""The nightly run on one page: the steps in their order, each batch written down before the next is looked for.

catch up ──> same entity ──> contradictions ──> confirm ──> strengthen ──> communities ──> summaries
         ──> near duplicates ──> fade

After each step the graph follows. A dry run is the same on copies that are thrown away; only its plan is kept.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from graphmem.consolidate.catch_up import CatchUp
from graphmem.consolidate.communities import Communities
from graphmem.consolidate.confirm import Confirm
from graphmem.consolidate.contradictions import Contradictions
from graphmem.consolidate.drift import Drift
from graphmem.consolidate.fade import Fade, Forget
from graphmem.consolidate.journal import Journal, as_plan
from graphmem.consolidate.near_duplicates import NearDuplicates
from graphmem.consolidate.same_entity import SameEntity
from graphmem.consolidate.step import Night, Step
from graphmem.consolidate.strengthen import Strengthen
from graphmem.consolidate.summaries import Summaries
from graphmem.errors import GraphUnavailableError
from graphmem.ingest.project import Projector
from graphmem.ingest.record import Recorder
from graphmem.memory import new_id
from graphmem.models.embedder import Embedder
from graphmem.models.language_model import LanguageModel
from graphmem.night import Change, Consolidation
from graphmem.stores.alikes import AlikeStore
from graphmem.stores.archive import ArchiveStore
from graphmem.stores.changes import ChangeStore
from graphmem.stores.communities import CommunityStore
from graphmem.stores.consolidations import ConsolidationStore
from graphmem.stores.duplicates import DuplicateStore
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.fading import FadingStore
from graphmem.stores.graph import GraphStore
from graphmem.stores.graph_check import GraphCheck
from graphmem.stores.jobs import JobStore
from graphmem.stores.ledger import LedgerStore
from graphmem.stores.postgres import Connection, Postgres
from graphmem.stores.rehearsal import rehearsal
from graphmem.stores.rivals import RivalStore
from graphmem.stores.summaries import SummaryStore
from graphmem.stores.support import SupportStore
from graphmem.stores.synapses import SynapseStore
from graphmem.stores.upkeep import UpkeepStore

log = logging.getLogger(__name__)

Watch: TypeAlias = Callable[[str, int, int], None]


def unwatched(step: str, done: int, total: int) -> None:
    """Nobody looks how far it has come."""


async def idle(namespace: str) -> None:
    """There are no jobs to be done."""


@dataclass(frozen=True)
class Means:
    """What steps may ask beside Postgres, and how they forget what a namespace has set a time for."""

    graph: GraphStore | None = None
    embedder: Embedder | None = None
    language_model: LanguageModel | None = None
    single_valued: tuple[str, ...] = ()
    work: Callable[[str], Awaitable[object]] = idle
    forget: Forget | None = None


def steps(postgres: Postgres, means: Means) -> Sequence[Step]:
    """What the night does, in this order; they read what `postgres` shows them, which may be copies."""
    changes = ChangeStore(postgres)
    upkeep, ledger = UpkeepStore(postgres, LedgerStore(postgres)), LedgerStore(postgres)
    drift = Drift(upkeep, ledger, EpisodeStore(postgres), GraphCheck(means.graph)) if means.graph else None
    return (
        CatchUp(upkeep, drift, means.embedder, means.work),
        SameEntity(changes, AlikeStore(postgres), means.embedder),
        Contradictions(changes, RivalStore(postgres), means.single_valued),
        Confirm(changes, SupportStore(postgres)),
        Strengthen(SynapseStore(postgres)),
        Communities(changes, CommunityStore(postgres), means.embedder),
        Summaries(changes, SummaryStore(postgres)),
        NearDuplicates(changes, DuplicateStore(postgres)),
        Fade(FadingStore(postgres), ArchiveStore(postgres), means.forget),
    )


@dataclass(frozen=True)
class Stage:
    """Where a run takes place: the tables, or copies of them; the plan of a dry run is kept in `plans`."""

    journal: Journal
    steps: Sequence[Step]
    plans: ChangeStore | None = None


@dataclass
class Course:
    """How far a run has come: things each step has looked at, and when it is to stop."""

    deadline: float
    looked: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def over(self) -> bool:
        """Whether its time is up."""
        return asyncio.get_running_loop().time() > self.deadline


@dataclass(frozen=True)
class Nightly:
    """Does the runs that were asked for; the caller holds the lock of the namespace's only writer."""

    runs: ConsolidationStore
    jobs: JobStore
    recorder: Recorder
    projector: Projector | None
    means: Means
    minutes: float
    steps: Callable[[Postgres, Means], Sequence[Step]] = steps

    async def do_open_runs(self, namespace: str, watch: Watch = unwatched) -> int:
        """Do what was asked for, in that order; how many runs."""
        waiting = await self.runs.open_runs(namespace)
        for run in waiting:
            await self.do(run, watch)
        return len(waiting)

    async def do(self, run: Consolidation, watch: Watch = unwatched) -> None:
        """One run; killed anywhere and done again, it comes to the same end."""
        await self.runs.start(run.namespace, run.id)
        night = Night(run.namespace, run.id, run.created_at, dry_run=run.dry_run)
        deadline = asyncio.get_running_loop().time() + self.minutes * 60
        course = Course(deadline, dict(run.progress.get("looked", {})))
        async with self.stage(night) as stage:
            for step in stage.steps:
                if step.name in run.steps and not course.over:
                    await self.walk(night, stage, step, course, watch)
        counts = await ChangeStore(self.runs.postgres).counts(night.namespace, run.id)
        found = {one: {"looked": course.looked.get(one, 0)} | counts.get(one, {}) for one in run.steps}
        await self.runs.finish(night.namespace, run.id, found)

    async def walk(self, night: Night, stage: Stage, step: Step, course: Course, watch: Watch) -> None:
        """One step, batch by batch, until it has nothing more to look at or the time is up; then the graph follows."""
        changes = stage.journal.changes
        place = await changes.place(night.namespace, step.name)
        done, total = 0, await step.waiting(night, place)
        batches = step.propose(night, place)
        while not course.over:
            seen = await changes.last_mark(night.namespace)
            batch = await anext(batches, None)
            if batch is None:
                break
            new = await stage.journal.write(night, step.name, batch, seen=seen)
            if stage.plans is not None:
                await self.keep_plan(night, stage.plans, new)
            done += batch.looked
            course.looked[step.name] = course.looked.get(step.name, 0) + batch.looked
            watch(step.name, done, max(done, total))
            progress = {"step": step.name, "done": done, "total": max(done, total), "looked": course.looked}
            await self.runs.progress(night.namespace, night.run, progress)
        if not night.dry_run:
            await self.show(night.namespace)

    @asynccontextmanager
    async def stage(self, night: Night) -> AsyncGenerator[Stage]:
        """The tables themselves, or for a dry run copies that are gone afterwards."""
        postgres = self.runs.postgres
        if not night.dry_run:
            yield Stage(Journal(self.recorder, ChangeStore(postgres)), self.steps(postgres, self.means))
            return
        await self.drop_plans(night.namespace)
        async with rehearsal(postgres, night.namespace) as copies:
            recorder = replace(self.recorder, postgres=copies, ledger=LedgerStore(copies))
            journal = Journal(recorder, ChangeStore(copies))
            yield Stage(journal, self.steps(copies, self.means), ChangeStore(postgres))

    async def show(self, namespace: str) -> None:
        """The graph shows what was decided; while it is away, a job will see to that."""
        if self.projector is None:
            return
        try:
            await self.projector.project(namespace)
        except GraphUnavailableError as error:
            log.warning("graph away, it follows later: %s", error, extra={"namespace": namespace})

            async def ask(connection: Connection) -> None:
                await self.jobs.ask_to_project(connection, namespace, new_id())

            await self.runs.postgres.run(ask)

    async def keep_plan(self, night: Night, plans: ChangeStore, changes: Sequence[Change]) -> None:
        """Write down what would be done."""

        async def work(connection: Connection) -> None:
            await plans.write(connection, night.namespace, [as_plan(one, night.run) for one in changes])

        await plans.postgres.run(work)

    async def drop_plans(self, namespace: str) -> None:
        """Forget what dry runs planned before."""

        async def work(connection: Connection) -> None:
            await ChangeStore(self.runs.postgres).drop_plans(connection, namespace)

        await self.runs.postgres.run(work)
