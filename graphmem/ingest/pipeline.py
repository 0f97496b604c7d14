"""The write path on one page: an episode in, on disk and findable; understanding it follows as a durable job.

intake ──> already there? ──> embed ──> one transaction: episode, postings, vector, statistics, jobs ──> wake
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec

from graphmem.errors import ConflictError, ModelUnavailableError, NotFoundError
from graphmem.ingest.intake import complete, complete_all, difference
from graphmem.memory import Episode, NewEpisode, new_id
from graphmem.models.embedder import Embedder
from graphmem.stores.changes import ChangeStore
from graphmem.stores.episodes import EpisodeStore, Vectors, WriteJobs
from graphmem.stores.index_text import vector_text
from graphmem.stores.namespaces import NamespaceStore
from graphmem.stores.postgres import Connection, Postgres
from graphmem.stores.queue import Waker

log = logging.getLogger(__name__)
# Of one episode at once; each that waits for the lock meets what the one before it left.
MOST_REPLACERS = 100


class Outcome(NamedTuple):
    """What became of one sent episode: made, there already, or at odds with what is kept in `conflict`."""

    id: str
    created: bool
    pending: tuple[Literal["vector"], ...] = ()
    conflict: str | None = None


class Written(NamedTuple):
    """What became of a whole write, and the job that follows it."""

    outcomes: list[Outcome]
    job: str


@dataclass(frozen=True)
class Ingester:
    """Stores episodes, replaces and forgets them."""

    postgres: Postgres
    episodes: EpisodeStore
    namespaces: NamespaceStore
    changes: ChangeStore
    embedder: Embedder | None
    waker: Waker

    async def add(self, namespace: str, new: NewEpisode, *, now: datetime) -> tuple[Outcome, str]:
        """Store one episode, once however often it is sent; with the job that follows."""
        written = await self.write([(new, complete(new, namespace=namespace, now=now))], job=new_id())
        return written.outcomes[0], written.job

    async def add_batch(self, namespace: str, news: Sequence[NewEpisode], *, now: datetime) -> Written:
        """Store many episodes, all or none."""
        episodes = complete_all(news, namespace=namespace, now=now)
        return await self.write(list(zip(news, episodes, strict=True)), job=new_id())

    async def write(
        self, pairs: Sequence[tuple[NewEpisode, Episode]], *, job: str, skip_conflicts: bool = False
    ) -> Written:
        """Store what is new of these; a conflict undoes all of it, or is reported with its outcome."""
        namespace = pairs[0][1].namespace
        known = await self.episodes.find(namespace, [new.id for new, _ in pairs if isinstance(new.id, str)])
        outcomes = {kept.id: judge(new, known[kept.id]) for new, kept in pairs if kept.id in known}
        if not skip_conflicts:
            refuse_conflicts(outcomes.values())
        fresh = [(new, episode) for new, episode in pairs if episode.id not in outcomes]
        if fresh:
            outcomes |= await self.create(fresh, job=job, skip_conflicts=skip_conflicts)
            self.waker.wake(namespace)
        return Written([outcomes[episode.id] for _, episode in pairs], job)

    async def create(
        self, pairs: Sequence[tuple[NewEpisode, Episode]], *, job: str, skip_conflicts: bool
    ) -> dict[str, Outcome]:
        """Embed, then write in one transaction; those that another writer made meanwhile are judged like any other."""
        vectors = await self.vectors([episode for _, episode in pairs])
        jobs = WriteJobs(extract=job, embed=new_id() if self.embedder else None)

        async def work(connection: Connection) -> dict[str, Outcome]:
            async with connection.transaction():
                outcomes: dict[str, Outcome] = {}
                # Once as a rule: more often only when one that was in the way is forgotten in this very moment.
                while left := [pair for pair in pairs if pair[1].id not in outcomes]:
                    outcomes |= await self.insert(connection, left, vectors, jobs)
                if not skip_conflicts:
                    refuse_conflicts(outcomes.values())
            return outcomes

        return await self.postgres.run(work)

    async def insert(
        self, connection: Connection, pairs: Sequence[tuple[NewEpisode, Episode]], vectors: Vectors, jobs: WriteJobs
    ) -> dict[str, Outcome]:
        """Insert what is new and judge what is there; nothing for an id that was in the way and is gone by now."""
        created = await self.episodes.insert(connection, [episode for _, episode in pairs], vectors, jobs=jobs)
        pending = ("vector",) if self.embedder else ()
        made = {i: Outcome(i, True, () if embedded else pending) for i, embedded in created.items()}
        late = {episode.id: new for new, episode in pairs if episode.id not in created}
        kept = await self.episodes.locked(connection, pairs[0][1].namespace, list(late)) if late else []
        return made | {episode.id: judge(late[episode.id], episode) for episode in kept}

    async def vectors(self, episodes: Sequence[Episode]) -> Vectors:
        """The episodes' vectors, or none when the model is away: a job will make them."""
        if self.embedder is None:
            return Vectors.none()
        try:
            embedded = await self.embedder.embed_texts([vector_text(episode) for episode in episodes])
        except ModelUnavailableError as error:
            log.warning("embedder away, vectors will follow: %s", error)
            return Vectors.none()
        return Vectors(self.embedder.model, [e.id for e in episodes], embedded.vectors, embedded.truncated)

    async def replace(self, namespace: str, episode_id: str, new: NewEpisode, *, now: datetime) -> tuple[Outcome, str]:
        """Put another text in an episode's place; of the old one nothing stays."""
        episode = complete(msgspec.structs.replace(new, id=episode_id), namespace=namespace, now=now)
        if episode_id not in await self.episodes.find(namespace, [episode_id]):
            raise NotFoundError(f"There is no episode {episode_id}.")
        vectors = await self.vectors([episode])
        jobs = WriteJobs(extract=new_id(), embed=new_id() if self.embedder else None)

        async def work(connection: Connection) -> dict[str, bool]:
            async with connection.transaction():
                old = await self.held(connection, namespace, episode_id)
                await self.changes.forget_words(connection, namespace, [episode_id])
                await self.episodes.delete(connection, old, job=jobs.extract)
                return await self.episodes.insert(connection, [episode], vectors, jobs=jobs)

        embedded = (await self.postgres.run(work))[episode_id]
        self.waker.wake(namespace)
        return Outcome(episode_id, False, ("vector",) if self.embedder and not embedded else ()), jobs.extract

    async def held(self, connection: Connection, namespace: str, episode_id: str) -> list[Episode]:
        """The episode, under a lock; where another replaced it while we waited for the lock, the one in its place."""
        for _ in range(MOST_REPLACERS):
            if old := await self.episodes.locked(connection, namespace, [episode_id]):
                return old
        raise NotFoundError(f"There is no episode {episode_id}.")

    async def forget(self, namespace: str, ids: Sequence[str]) -> list[str]:
        """Remove episodes and all that only they held; the ids of those that were there."""

        async def work(connection: Connection) -> list[str]:
            async with connection.transaction():
                old = await self.episodes.locked(connection, namespace, ids)
                await self.changes.forget_words(connection, namespace, [episode.id for episode in old])
                return await self.episodes.delete(connection, old, job=new_id()) if old else []

        gone = await self.postgres.run(work)
        self.waker.wake(namespace)
        return gone

    async def forget_namespace(self, namespace: str) -> dict[str, int]:
        """Remove everything of a namespace; what was removed from Postgres, the graph follows."""
        removed = await self.namespaces.delete(namespace, job=new_id())
        self.waker.wake(namespace)
        return removed


def judge(new: NewEpisode, kept: Episode) -> Outcome:
    """What it means that the id is there already."""
    return Outcome(kept.id, created=False, conflict=difference(new, kept))


def refuse_conflicts(outcomes: Iterable[Outcome]) -> None:
    """Raise when any differs from what is kept."""
    for outcome in outcomes:
        if outcome.conflict:
            raise ConflictError(f"episode {outcome.id} is stored with another {outcome.conflict}", outcome.conflict)
