"""The worker's side: what is due in a namespace is done, oldest first, by one worker at a time."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from graphmem.errors import UnavailableError
from graphmem.memory import JobKind
from graphmem.models.embedder import Embedder
from graphmem.settings import Worker
from graphmem.stores.episodes import EpisodeStore, Vectors
from graphmem.stores.index_text import vector_text
from graphmem.stores.jobs import JobStore

log = logging.getLogger(__name__)
ROUND = 100

Handler: TypeAlias = Callable[[str, Sequence[str]], Awaitable[None]]


@dataclass(frozen=True)
class Drainer:
    """Does the jobs of a namespace; a kind without a handler waits until there is one."""

    jobs: JobStore
    handlers: Mapping[JobKind, Handler]
    settings: Worker

    async def drain(self, namespace: str) -> int:
        """Do all that is due, unless another worker is at it already; how many jobs were settled."""
        async with self.jobs.only_writer(namespace) as ours:
            if not ours:
                return 0
            await self.jobs.recover(namespace)
            return sum([await self.drain_kind(namespace, kind) for kind in self.handlers])

    async def drain_kind(self, namespace: str, kind: JobKind) -> int:
        """Round after round, until nothing is due or what it needs is away."""
        settled = 0
        while claims := await self.jobs.claim(namespace, kind, limit=ROUND):
            episodes = [claim.episode for claim in claims]
            if not await self.attempt(namespace, kind, episodes):
                break
            settled += len(claims)
        return settled

    async def attempt(self, namespace: str, kind: JobKind, episodes: Sequence[str]) -> bool:
        """Do some jobs together; if that fails, each by itself, so that one bad episode stops no other."""
        try:
            await self.handlers[kind](namespace, episodes)
        except UnavailableError as error:
            await self.jobs.postpone(
                namespace, kind, episodes, error=str(error), retry_seconds=self.settings.retry_seconds
            )
            return False
        except Exception as error:  # noqa: BLE001 - the edge of the process: whatever a job raises is written to it
            if len(episodes) > 1:
                return all([await self.attempt(namespace, kind, [episode]) for episode in episodes])
            log.warning("a job failed: %s", type(error).__name__, extra={"namespace": namespace, "kind": kind})
            reason = f"{type(error).__name__}: {error}"[:1000]
            tries = (self.settings.max_attempts, self.settings.retry_seconds)
            await self.jobs.fail(namespace, kind, episodes, error=reason, tries=tries)
            return True
        await self.jobs.finish(namespace, kind, episodes)
        return True


@dataclass(frozen=True)
class EmbedHandler:
    """Makes the vectors that could not be made when the episode was written."""

    episodes: EpisodeStore
    embedder: Embedder

    async def __call__(self, namespace: str, ids: Sequence[str]) -> None:
        """Embed those that still lack a vector."""
        missing = await self.episodes.without_vectors(namespace, ids)
        if missing:
            embedded = await self.embedder.embed_texts([vector_text(episode) for episode in missing])
            named = [episode.id for episode in missing]
            await self.episodes.add_vectors(
                missing, Vectors(self.embedder.model, named, embedded.vectors, embedded.truncated)
            )
