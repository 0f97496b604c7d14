"""The worker's side: what is due in a namespace is done, oldest first, by one worker at a time."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from graphmem.errors import BudgetSpentError, GraphmemError, UnavailableError
from graphmem.memory import JobKind
from graphmem.settings import Worker
from graphmem.stores.jobs import JobStore

log = logging.getLogger(__name__)
# A language model takes seconds for one episode: others are not kept waiting for more than that.
ROUND, ROUND_OF_READING = 100, 1
# A spent budget is rarely raised: those who wait for it look again after so long.
BUDGET_SECONDS = 600.0
EPISODE_KINDS: tuple[JobKind, ...] = ("extract", "embed")

Handler: TypeAlias = Callable[[str, Sequence[str]], Awaitable[None]]


@dataclass(frozen=True)
class Drainer:
    """Does the jobs of a namespace; a kind without a handler waits until there is one."""

    jobs: JobStore
    handlers: Mapping[JobKind, Handler]
    settings: Worker

    async def drain(self, namespace: str) -> int:
        """Do all that is due, unless another worker is at it already; how many jobs were settled."""
        settled, kinds = 0, set(self.handlers)
        while done := await self.turn(namespace, kinds):
            settled += done
        return settled

    async def turn(self, namespace: str, kinds: set[JobKind]) -> int:
        """Do some jobs of each kind, as the only writer of the graph, whom others may follow after each turn.

        Kinds that need something that is away are taken out of `kinds`.
        """
        async with self.jobs.only_writer(namespace) as ours:
            if not ours:
                return 0
            await self.jobs.recover(namespace)
            return sum([await self.some_of(namespace, kind, kinds) for kind in self.handlers if kind in kinds])

    async def drain_episodes(self, namespace: str) -> int:
        """Do what is due of episodes; the caller holds the namespace's lock."""
        settled, kinds = 0, set(self.handlers).intersection(EPISODE_KINDS)
        while done := sum([await self.some_of(namespace, kind, kinds) for kind in EPISODE_KINDS if kind in kinds]):
            settled += done
        return settled

    async def some_of(self, namespace: str, kind: JobKind, kinds: set[JobKind]) -> int:
        """Do the jobs of one kind that have waited longest; how many were settled."""
        limit = ROUND_OF_READING if kind == "read" else ROUND
        episodes = [claim.episode for claim in await self.jobs.claim(namespace, kind, limit=limit)]
        if not episodes:
            return 0
        if await self.attempt(namespace, kind, episodes):
            return len(episodes)
        kinds.discard(kind)
        return 0

    async def attempt(self, namespace: str, kind: JobKind, episodes: Sequence[str]) -> bool:
        """Do some jobs together; if that fails, each by itself, so that one bad episode stops no other."""
        try:
            await self.handlers[kind](namespace, episodes)
        except UnavailableError as error:
            spent = isinstance(error, BudgetSpentError)
            wait = BUDGET_SECONDS if spent else self.settings.retry_seconds
            await self.jobs.postpone(namespace, kind, episodes, error=str(error), retry_seconds=wait)
            return spent
        except Exception as error:  # noqa: BLE001 - the edge of the process: whatever a job raises is written to it
            if len(episodes) > 1:
                return all([await self.attempt(namespace, kind, [episode]) for episode in episodes])
            log.warning("a job failed: %s", type(error).__name__, extra={"namespace": namespace, "kind": kind})
            tries = (self.settings.max_attempts, self.settings.retry_seconds)
            await self.jobs.fail(namespace, kind, episodes, error=reason_of(error), tries=tries)
            return True
        await self.jobs.finish(namespace, kind, episodes)
        return True


def reason_of(error: Exception) -> str:
    """What a job says of its failure: a sentence of ours as it is, the words of others with where they come from."""
    return (str(error) if isinstance(error, GraphmemError) else f"{type(error).__name__}: {error}")[:1000]
