"""What is said again in other sessions is worth more: once, repeated, identity.

A fact said in two sessions is repeated; one said in four that still holds belongs to who somebody is, and does not
fade. When the support goes, so does the tier.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from graphmem.consolidate.step import MARK, Night, fresh_ids
from graphmem.night import Batch, Edit, Proposal
from graphmem.stores.changes import ChangeStore
from graphmem.stores.support import Support, SupportStore

TOGETHER = 500
REPEATED_SESSIONS = 2
IDENTITY_SESSIONS = 4


@dataclass(frozen=True)
class Confirm:
    """The step."""

    changes: ChangeStore
    support: SupportStore
    name: Literal["confirm"] = "confirm"

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:
        """How many facts changed."""
        return await self.changes.fresh_count(night.namespace, "fact", after=int(place.get(MARK, 0)))

    async def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """The tiers of facts that changed, where they have another."""
        async for ids, after in fresh_ids(self.changes, night, "fact", place, limit=TOGETHER):
            found = await self.support.of(night.namespace, ids)
            yield Batch([one for each in found if (one := retiered(each))], after, looked=len(ids))


def tier_of(support: Support) -> str | None:
    """What a fact is worth.

    >>> def said(sessions, holds=True):
    ...     return Support(fact="f", source="a", target="b", text="", holds=holds, sessions=sessions, episodes=[],
    ...                    tier=None, tier_sessions=None)
    >>> tier_of(said(1)), tier_of(said(2)), tier_of(said(4)), tier_of(said(4, holds=False))
    (None, 'repeated', 'identity', 'repeated')
    """
    if support.sessions >= IDENTITY_SESSIONS and support.holds:
        return "identity"
    return "repeated" if support.sessions >= REPEATED_SESSIONS else None


def retiered(support: Support) -> Proposal | None:
    """The change of a fact's tier, if it is to have another."""
    tier = tier_of(support)
    if tier == support.tier:
        return None
    after = {"fact": support.fact, "tier": tier, "sessions": support.sessions} if tier else None
    was, now = support.tier or "said once", tier or "said once"
    return Proposal(
        kind="tier",
        subjects=(support.fact,),
        evidence=tuple(support.episodes),
        reason=f"Said in {support.sessions} {'session' if support.sessions == 1 else 'sessions'}, "
        f"it goes from {was} to {now}: {support.text[:200]}",
        edits=(Edit(table="tier", key={"fact": support.fact}, after=after),),
        touches=tuple(end for end in (support.source, support.target) if end),
    )
