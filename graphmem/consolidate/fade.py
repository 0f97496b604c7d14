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
from graphmem.stores.fading import FadingStore

TOGETHER = 500

Forget = Callable[[str, Sequence[str]], Awaitable[list[str]]]


@dataclass(frozen=True)
class Fade:
    """The step."""

    fading: FadingStore
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
