"""The durable queue: what must still be done for each episode."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import msgspec

from graphmem.memory import Job, JobKind, JobState
from graphmem.queries import sql
from graphmem.stores.postgres import Connection, Postgres, Row

QUERIES = sql(__file__)


class Claim(NamedTuple):
    """A job that is ours until we finish, fail or postpone it."""

    job: str
    episode: str
    attempts: int


class Asked(NamedTuple):
    """A job that was asked for, and when it is due; the time tells one asking from the next."""

    job: str
    due_at: datetime


class QueueDepth(NamedTuple):
    """How much waits, and for how long already."""

    kind: str
    state: str
    jobs: int
    oldest_seconds: float


@dataclass(frozen=True)
class JobStore:
    """Claims and settles jobs; reads them for the API."""

    postgres: Postgres

    @asynccontextmanager
    async def only_writer(self, namespace: str) -> AsyncGenerator[bool]:
        """Hold the namespace's lock, or yield False when another worker has it; a dead worker's lock is free."""
        async with self.postgres.connection() as connection:
            held = await first(connection, QUERIES.lock_namespace, namespace=namespace)
            try:
                yield bool(held and held["held"])
            finally:
                if held and held["held"] and not connection.closed:
                    await first(connection, QUERIES.release_namespace, namespace=namespace)

    async def recover(self, namespace: str) -> None:
        """Make what a dead worker left running wait again; only under the namespace's lock."""
        await self.postgres.rows(QUERIES.recover, namespace=namespace)

    async def claim(self, namespace: str, kind: JobKind, *, limit: int) -> list[Claim]:
        """The due jobs of one kind that have waited longest, now running."""
        rows = await self.postgres.rows(QUERIES.claim, namespace=namespace, kind=kind, limit=limit)
        return [Claim(row["id"], row["episode"], row["attempts"]) for row in rows]

    async def finish(self, namespace: str, kind: JobKind, episodes: Sequence[str]) -> None:
        """These are done."""
        await self.postgres.rows(QUERIES.finish, namespace=namespace, kind=kind, episodes=list(episodes))

    async def fail(
        self, namespace: str, kind: JobKind, episodes: Sequence[str], *, error: str, tries: tuple[int, float]
    ) -> None:
        """These failed for a reason of their own: set aside, or dead after `tries` = (most attempts, first wait)."""
        max_attempts, retry_seconds = tries
        await self.postgres.rows(
            QUERIES.fail,
            namespace=namespace,
            kind=kind,
            episodes=list(episodes),
            error=error,
            max_attempts=max_attempts,
            retry_seconds=retry_seconds,
        )

    async def postpone(
        self, namespace: str, kind: JobKind, episodes: Sequence[str], *, error: str, retry_seconds: float
    ) -> None:
        """What these need is away: they wait, and no attempt is counted."""
        await self.postgres.rows(
            QUERIES.postpone,
            namespace=namespace,
            kind=kind,
            episodes=list(episodes),
            error=error,
            retry_seconds=retry_seconds,
        )

    async def due_namespaces(self, kinds: Sequence[JobKind]) -> list[str]:
        """Where there is something of these kinds to do."""
        rows = await self.postgres.rows(QUERIES.due_namespaces, kinds=list(kinds))
        return [row["namespace"] for row in rows]

    async def by_id(self, namespace: str, job_id: str) -> Job | None:
        """One job, if the namespace has it."""
        row = await self.postgres.row(QUERIES.by_id, namespace=namespace, id=job_id)
        return job_of(row) if row else None

    async def page(self, namespace: str, *, state: JobState | None, limit: int, after: str | None) -> list[Job]:
        """Jobs, newest first."""
        rows = await self.postgres.rows(QUERIES.page, namespace=namespace, state=state, limit=limit, after=after)
        return [job_of(row) for row in rows]

    async def of_episode(self, namespace: str, episode: str) -> list[Job]:
        """The jobs of one episode."""
        rows = await self.postgres.rows(QUERIES.of_episode, namespace=namespace, episode=episode)
        return [job_of(row) for row in rows]

    async def retry(self, namespace: str, job_id: str) -> int:
        """Make the failed and dead parts of a job due now; how many."""
        return len(await self.postgres.rows(QUERIES.retry, namespace=namespace, id=job_id))

    async def ask_to_read(self, namespace: str, episodes: Sequence[str]) -> None:
        """Ask the worker to read episodes with the language model, under the job that found them unread."""
        await self.postgres.rows(QUERIES.ask_to_read, namespace=namespace, episodes=list(episodes))

    async def ask_to_rebuild(self, connection: Connection, namespace: str, job_id: str) -> None:
        """Ask the worker, in the caller's transaction, to make the graph of a whole namespace again."""
        await connection.execute(QUERIES.ask_to_rebuild, {"namespace": namespace, "id": job_id})

    async def rebuilt(self, namespace: str, job_id: str) -> None:
        """It is made again already; nothing is left to do, unless it was asked for once more meanwhile."""
        await self.postgres.rows(QUERIES.rebuilt, namespace=namespace, id=job_id)

    async def ask_to_project(self, connection: Connection, namespace: str, job_id: str) -> Asked:
        """Make sure, in the caller's transaction, that the graph will show what is marked."""
        asked = await first(connection, QUERIES.ask_to_project, namespace=namespace, id=job_id)
        assert asked is not None
        return Asked(asked["id"], asked["due_at"])

    async def projected(self, namespace: str, asked: Asked) -> None:
        """It is shown already; nothing is left to do, unless more was asked for meanwhile."""
        await self.postgres.rows(QUERIES.projected, namespace=namespace, due_at=asked.due_at)

    async def purge(self) -> None:
        """Drop done jobs of episodes that are gone."""
        await self.postgres.rows(QUERIES.purge)

    async def depth(self) -> list[QueueDepth]:
        """How much waits, over all namespaces."""
        rows = await self.postgres.rows(QUERIES.depth)
        return [QueueDepth(row["kind"], row["state"], row["jobs"], row["oldest_seconds"] or 0.0) for row in rows]


async def first(connection: Connection, query: str, **parameters: object) -> Row | None:
    """The first row of a statement on this very connection."""
    cursor = await connection.execute(query, parameters)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return await cursor.fetchone()


def job_of(row: Row) -> Job:
    """A job from its row."""
    cost = {"calls": int(row["calls"]), "tokens": int(row["tokens"])}
    return msgspec.convert({name: row.get(name) for name in Job.__struct_fields__} | {"cost": cost}, Job)
