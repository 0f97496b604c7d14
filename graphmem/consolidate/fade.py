"""What is not used any more fades: it is archived, out of ordinary searches, until it is used again.

Nothing is deleted, but for what has been archived for as long as the namespace itself has set.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

import msgspec

from graphmem.consolidate.salience import THRESHOLD, Life, salience, soonest
from graphmem.consolidate.step import Night
from graphmem.night import Batch, Edit, Proposal
from graphmem.stores.archive import ArchiveStore
from graphmem.stores.fading import FadingStore

TOGETHER = 500

Forget = Callable[[str, Sequence[str]], Awaitable[list[str]]]


@dataclass(frozen=True)
class Fade:
    """The step."""

    fading: FadingStore
    archive: ArchiveStore
    forget: Forget | None = None
    name: Literal["fade"] = "fade"

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:  # noqa: ARG002 - it looks at all that is old
        """How many episodes were said long enough ago."""
        return await self.fading.quiet_count(night.namespace, night.now - soonest("low"))

    async def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """Those that matter too little by now."""
        before, low_before = night.now - soonest("normal"), night.now - soonest("low")
        after = 0
        while rows := await self.fading.quiet(night.namespace, before, low_before, after=after, limit=TOGETHER):
            after = rows[-1]["doc"]
            lives = [msgspec.convert(row, Life) for row in rows]
            weights = {life.doc: salience(life, now=night.now) for life in lives}
            fading = [archived(life, weights[life.doc], night) for life in lives if weights[life.doc] <= THRESHOLD]
            yield Batch(fading, dict(place), looked=len(rows))
        async for batch in self.overdue(night, place):
            yield batch

    async def overdue(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """What has been archived for as long as the namespace keeps it; it is forgotten after it was written down."""
        days = await self.archive.retention(night.namespace)
        if days is None or self.forget is None:
            return
        before = night.now - timedelta(days=days)
        while ids := await self.fading.overdue(night.namespace, before, limit=TOGETHER):
            yield Batch([forgotten(one, days) for one in ids], dict(place))
            if night.dry_run or not await self.forget(night.namespace, ids):
                break


def forgotten(episode: str, days: int) -> Proposal:
    """What is due by the namespace's own rule, and can't be put back."""
    return Proposal(
        kind="forget",
        subjects=(episode,),
        evidence=(episode,),
        reason=f"Archived for {days} days, after which this namespace forgets.",
    )


def archived(life: Life, weight: float, night: Night) -> Proposal:
    """The change that takes an episode out of ordinary searches."""
    quiet = (night.now - life.quiet_since) // timedelta(days=1)
    row = {"doc": life.doc, "archived_at": night.now.isoformat()}
    return Proposal(
        kind="archive",
        subjects=(life.id,),
        evidence=(life.id, f"quiet since {life.quiet_since.isoformat()}"),
        reason=f"Quiet for {quiet} days, given in {life.accesses} answers, with {life.facts} facts that hold:"
        f" salience {weight:.3f}, {THRESHOLD:g} or less.",
        edits=(Edit(table="archived", key={"doc": life.doc}, after=row),),
    )
