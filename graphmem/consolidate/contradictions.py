"""Facts that cannot hold together: what was said later ends what it overtook, from when it began.

Within one relation of one source that is settled as it is said. Here it is settled between relations (what somebody
sold they no longer own), from either side of a relation that ties two (who marries anew), and put to a person where
nothing tells which came first.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from graphmem.consolidate.step import MARK, Night, fresh_ids
from graphmem.ledger import named_uuid
from graphmem.night import Batch, Edit, Proposal
from graphmem.relations import canonical, overtakes, table
from graphmem.stores.changes import ChangeStore
from graphmem.stores.rivals import Rival, RivalStore, Rules

TOGETHER = 500


@dataclass(frozen=True)
class Contradictions:
    """The step; `single_valued` are relations that hold one value at a time beside those of the table."""

    changes: ChangeStore
    rivals: RivalStore
    single_valued: tuple[str, ...] = ()
    name: Literal["contradictions"] = "contradictions"

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:
        """How many facts changed."""
        return await self.changes.fresh_count(night.namespace, "fact", after=int(place.get(MARK, 0)))

    async def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """Ends of facts that others overtook, where one of the two changed."""
        rules = rules_with(self.single_valued)
        async for ids, after in fresh_ids(self.changes, night, "fact", place, limit=TOGETHER):
            pairs = await self.rivals.pairs(night.namespace, ids, rules)
            told = await self.rivals.of(night.namespace, sorted({one for pair in pairs for one in pair}))
            known = [(told[left], told[right]) for left, right in pairs if left in told and right in told]
            ended: dict[str, Proposal] = {}
            for left, right in known:
                found = verdict(left, right)
                if found is not None:
                    before, later, end, sure = found
                    ended.setdefault(before.id, ending(before, later, end, night, sure=sure))
            yield Batch(list(ended.values()), after, looked=len(ids))


def rules_with(also: tuple[str, ...]) -> Rules:
    """The relations that may clash."""
    rows = table().relation
    pairs = [(name, other) for name, row in rows.items() for other in row.overtakes]
    single = [name for name, row in rows.items() if row.single_valued]
    return Rules(
        overtaking=[name for name, _ in pairs],
        overtaken=[other for _, other in pairs],
        single=[*single, *map(canonical, also)],
        partners=[name for name, row in rows.items() if row.single_valued and row.symmetric],
    )


def verdict(left: Rival, right: Rival) -> tuple[Rival, Rival, datetime, bool] | None:
    """Which of two ends, by which other, when, and whether that is sure; none where they may stand side by side."""
    before, later = sorted((left, right), key=lambda one: (one.first, one.last, one.id))
    if left.relation == right.relation:
        if before.last < later.first:
            return before, later, later.first, True
        if before.first == later.first and left.sessions != right.sessions:
            weaker, stronger = sorted((left, right), key=lambda one: one.sessions)
            return weaker, stronger, stronger.last, False
        return None
    if before.relation in overtakes(later.relation) and before.last < later.first:
        return before, later, later.first, True
    mutual = left.relation in overtakes(right.relation) and right.relation in overtakes(left.relation)
    if mutual and left.last != right.last:
        before, later = sorted((left, right), key=lambda one: one.last)
        return before, later, later.last, False
    return None


def ending(before: Rival, later: Rival, end: datetime, night: Night, *, sure: bool) -> Proposal:
    """The proposal that one fact ends when the other took its place."""
    identity = named_uuid("statement", night.namespace, "night", before.id, later.id)
    said = {
        "id": identity,
        "episode": later.episode,
        "named_source": before.named_source,
        "named_target": before.named_target,
        "relation": before.relation,
        "text": later.text,
        "valid_at": None,
        "invalid_at": end,
        "ends": True,
        "origin": "night",
        "fixed_fact": before.id,
        "created_at": night.now,
        "replaced_by": later.id,
    }
    return Proposal(
        kind="end",
        subjects=(before.id,),
        # A fact's id may change when names are merged or parted; where it was said does not.
        evidence=(later.episode or later.id,),
        reason=f"“{before.text[:200]}” no longer holds since {end:%Y-%m-%d}: “{later.text[:200]}”.",
        edits=(Edit(table="statement", key={"id": identity}, after=said),),
        touches=(later.id, *sorted({before.source, before.target, later.source, later.target})),
        sure=sure,
    )
