"""What was left undone is done: dead and missing work of episodes, vectors, and what the graph shows otherwise.

This decides nothing, so nothing of it can be put back; the journal says what it was. The whole graph is compared when
the counts differ and once a week.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from graphmem.consolidate.drift import Drift
from graphmem.consolidate.step import Night
from graphmem.errors import GraphUnavailableError, ModelUnavailableError
from graphmem.ingest.extract import fact_vectors
from graphmem.models.embedder import Embedder
from graphmem.night import Batch, Proposal
from graphmem.stores.upkeep import Undone, UpkeepStore

TOGETHER = 500
EVERY = timedelta(days=7)
WHAT = {"extract": "was not read", "embed": "has no vector"}


@dataclass(frozen=True)
class CatchUp:
    """The step; `work` does the jobs of a namespace that are due."""

    upkeep: UpkeepStore
    drift: Drift | None
    embedder: Embedder | None
    work: Callable[[str], Awaitable[object]]
    name: Literal["catch_up"] = "catch_up"

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:  # noqa: ARG002 - it looks at everything
        """How many things the graph is to show."""
        return sum((await self.upkeep.counts(night.namespace)).values())

    async def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """What is to be done anyway, and is done once it is written down."""
        async for found in self.undone(night.namespace):
            yield Batch([again(one) for one in found], dict(place), looked=len(found))
            if not night.dry_run:
                await self.upkeep.ask_again(night.namespace, found)
        if not night.dry_run:
            await self.work(night.namespace)
        async for facts in self.without_vectors(night.namespace):
            yield Batch([vectorless(one, text) for one, text in facts.items()], dict(place), looked=len(facts))
            if not night.dry_run:
                await self.embed(night.namespace, facts)
        checked = dict(place)
        try:
            if self.drift is not None and await self.is_due(night, place):
                async for batch in self.drift.differences(night.namespace):
                    yield Batch(batch.proposals, dict(place), looked=batch.looked)
                    if not night.dry_run:
                        await self.upkeep.mark(night.namespace, batch.things)
                checked = {"checked_at": night.now.isoformat()}
        except GraphUnavailableError:
            return  # Compared the next night; meanwhile what is marked waits for it.
        yield Batch([], checked)

    async def undone(self, namespace: str) -> AsyncIterator[list[Undone]]:
        """Work of episodes that nobody will do."""
        after = ""
        vectors = self.embedder is not None
        while found := await self.upkeep.undone(namespace, after=after, limit=TOGETHER, vectors=vectors):
            after = found[-1].episode
            yield found

    async def without_vectors(self, namespace: str) -> AsyncIterator[dict[str, str]]:
        """Facts that lack a vector, where one can be made."""
        after: str | None = None
        while self.embedder is not None and (
            found := await self.upkeep.facts_without_vectors(namespace, after=after, limit=TOGETHER)
        ):
            after = list(found)[-1]
            yield found

    async def embed(self, namespace: str, facts: Mapping[str, str]) -> None:
        """Make the vectors of facts; while the model is away, the next night does."""
        try:
            vectors = await fact_vectors(self.embedder, facts)
        except ModelUnavailableError:
            return
        await self.upkeep.add_fact_vectors(namespace, vectors)

    async def is_due(self, night: Night, place: Mapping[str, Any]) -> bool:
        """Whether the whole graph is to be compared: the counts differ, or it was not for a week."""
        last = place.get("checked_at")
        if last is None or night.now - datetime.fromisoformat(last) >= EVERY or self.drift is None:
            return True
        return await self.drift.check.counts(night.namespace) != await self.upkeep.counts(night.namespace)


def again(work: Undone) -> Proposal:
    """That work of an episode is done after all."""
    why = f" ({work.error[:200]})" if work.error else ""
    return Proposal(
        kind=work.kind,
        subjects=(work.episode,),
        evidence=(work.episode,),
        reason=f"The episode {WHAT[work.kind]}{why}; it is tried again.",
    )


def vectorless(fact: str, text: str) -> Proposal:
    """That a fact gets its vector."""
    return Proposal(
        kind="vector", subjects=(fact,), evidence=(fact,), reason=f"The fact has no vector; it gets one: {text[:200]}"
    )
