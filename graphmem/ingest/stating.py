"""Facts that a caller states or ends, without any model: in the ledger, then in the graph.

names, vectors ──> one transaction: statements, settled facts, a job ──> the graph at once, or soon by the job
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from graphmem.errors import GraphUnavailableError, ModelUnavailableError, NotFoundError
from graphmem.ingest.assertions import (
    Assertion,
    Circumstances,
    assertions,
    ended,
    mentions_in,
    refuse_unknown,
    statements_in,
)
from graphmem.ingest.extract import Names, fact_vectors
from graphmem.ingest.intake import check_times
from graphmem.ingest.project import Projector
from graphmem.ingest.record import Recorder, Said
from graphmem.memory import NewFact, new_id, utc
from graphmem.models.embedder import Embedder
from graphmem.stores.jobs import Asked, JobStore
from graphmem.stores.named_vectors import NamedVectors
from graphmem.stores.postgres import Connection
from graphmem.stores.queue import Waker

log = logging.getLogger(__name__)
PATIENCE_SECONDS = 2.0
POLL_SECONDS = 0.05
# Each holds one connection of the pool while it waits for others: some must be left for the rest of the process.
MOST_AT_ONCE = 2


class Outcome(NamedTuple):
    """What became of one stated fact: made, or there already."""

    id: str
    created: bool


class Stated(NamedTuple):
    """What became of all facts of a request; `job` is what will show them in the graph, where that is not done."""

    outcomes: list[Outcome]
    job: str | None


class Recorded(NamedTuple):
    """What a transaction wrote: the facts as they were before, and the job it asked for if anything is new."""

    known: frozenset[str]
    asked: Asked | None


@dataclass(frozen=True)
class Stater:
    """Writes down what callers state, once however often they do."""

    recorder: Recorder
    jobs: JobStore
    embedder: Embedder | None
    projector: Projector | None
    waker: Waker
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_AT_ONCE))

    async def state(self, namespace: str, news: Sequence[NewFact], *, now: datetime, path: str = "") -> Stated:
        """Store facts, all or none; `path` is where each stands in the request, with a place for its number."""
        names = Names(namespace)
        asserted = assertions(news, names, now=now, path=path)
        vectors = await self.vectors({one.id: one.new.fact for one in asserted})

        async def work(connection: Connection) -> Recorded:
            given = await self.circumstances(connection, asserted, names, now=now)
            refuse_unknown(asserted, given)
            statements = [statement for one in asserted for statement in statements_in(one, given)]
            said = Said(mentions_in(asserted, given), statements, vectors)
            return Recorded(frozenset(given.facts), await self.record(connection, namespace, said))

        known, asked = await self.locked(namespace, work)
        if self.embedder is not None:
            await NamedVectors(self.recorder.postgres).ask(namespace)
        seen = set(known)
        outcomes = [Outcome(one.id, one.id not in seen and not seen.add(one.id)) for one in asserted]
        return Stated(outcomes, await self.follow(namespace, asked))

    async def invalidate(
        self, namespace: str, fact_id: str, *, invalid_at: datetime | None, reason: str, now: datetime
    ) -> Stated:
        """A fact no longer holds, from then on or from now; where it has ended by now, nothing is to be done."""
        check_times(None, invalid_at)

        async def work(connection: Connection) -> Recorded:
            found = await self.recorder.ledger.facts_now(connection, namespace, [fact_id])
            if fact_id not in found:
                raise NotFoundError("There is no such fact in this namespace.")
            fact = found[fact_id]
            if invalid_at is None and fact.invalid_at is not None and fact.invalid_at <= now:
                return Recorded(frozenset(found), None)
            end = ended(fact, text=reason, invalid_at=utc(invalid_at or now), created_at=now)
            return Recorded(frozenset(found), await self.record(connection, namespace, Said(statements=[end])))

        _, asked = await self.locked(namespace, work)
        return Stated([Outcome(fact_id, created=False)], await self.follow(namespace, asked))

    async def vectors(self, texts: Mapping[str, str]) -> dict[str, str]:
        """The facts' vectors, or none when the model is away."""
        try:
            return await fact_vectors(self.embedder, texts)
        except ModelUnavailableError as error:
            log.warning("embedder away, stated facts have no vectors: %s", error)
            return {}

    async def circumstances(
        self, connection: Connection, asserted: Sequence[Assertion], names: Names, *, now: datetime
    ) -> Circumstances:
        """What there is of all that some facts refer to."""
        ledger, namespace = self.recorder.ledger, names.namespace
        episodes = {episode for one in asserted for episode in one.new.episodes}
        facts = {fact for one in asserted for fact in (one.id, one.replaces) if fact is not None}
        return Circumstances(
            names,
            now,
            await ledger.present_episodes(connection, namespace, episodes),
            await ledger.facts_now(connection, namespace, facts),
        )

    async def locked(self, namespace: str, work: Callable[[Connection], Awaitable[Recorded]]) -> Recorded:
        """What `work` gives in one transaction, as the only writer of the namespace's ledger."""

        async def alone(connection: Connection) -> Recorded:
            async with connection.transaction():
                await self.recorder.ledger.lock(connection, namespace)
                return await work(connection)

        return await self.recorder.postgres.run(alone)

    async def record(self, connection: Connection, namespace: str, said: Said) -> Asked | None:
        """Write down what was said, and ask for it to be shown if there is a graph and anything is new."""
        await self.recorder.ledger.house(connection, namespace)
        new = await self.recorder.record_in(connection, namespace, said)
        if not new or self.projector is None:
            return None
        return await self.jobs.ask_to_project(connection, namespace, new_id())

    async def follow(self, namespace: str, asked: Asked | None) -> str | None:
        """Show it in the graph now; if that cannot be, the job that will."""
        if asked is None or self.projector is None:
            return None
        if await self.shown(self.projector, namespace):
            await self.jobs.projected(namespace, asked)
            return None
        self.waker.wake(namespace)
        return asked.job

    async def shown(self, projector: Projector, namespace: str) -> bool:
        """Bring the graph in step; False when it is away, or others are busy with it for too long."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + PATIENCE_SECONDS
        while (left := deadline - clock()) > 0:
            try:
                await asyncio.wait_for(self.gate.acquire(), left)
            except TimeoutError:
                return False
            try:
                # Taking the lock is never cut short: one that is granted to nobody is never given back.
                async with self.jobs.only_writer(namespace) as ours:
                    if ours:
                        return await projected(projector, namespace, seconds=deadline - clock())
            finally:
                self.gate.release()
            await asyncio.sleep(POLL_SECONDS)
        return False


async def projected(projector: Projector, namespace: str, *, seconds: float) -> bool:
    """Whether the graph could be brought in step within that time; what is left undone stays marked."""
    try:
        async with asyncio.timeout(seconds):
            await projector.project(namespace)
    except (GraphUnavailableError, TimeoutError):
        return False
    return True


@dataclass(frozen=True)
class ProjectHandler:
    """Shows in the graph what the one who stated it could not."""

    projector: Projector

    async def __call__(self, namespace: str, ids: Sequence[str]) -> None:  # noqa: ARG002 - always the whole namespace
        """Bring the graph in step."""
        await self.projector.project(namespace)
