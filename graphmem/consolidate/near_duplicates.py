"""Episodes that say the same: the best stands in front, the others behind it, within reach; nothing is deleted.

Only the same speaker's words of the same type are compared. A text of fewer than three words says too little.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from graphmem.consolidate.shingles import Text, bands, grouped, text_of
from graphmem.consolidate.step import MARK, Night, fresh_ids
from graphmem.night import Batch, Edit, Proposal
from graphmem.stores.changes import ChangeStore
from graphmem.stores.duplicates import DuplicateStore, Told

TOGETHER = 200
MOST_OF_A_GROUP = 60
RANK = {"low": 0, "normal": 1, "high": 2}


@dataclass(frozen=True)
class NearDuplicates:
    """The step."""

    changes: ChangeStore
    duplicates: DuplicateStore
    name: Literal["near_duplicates"] = "near_duplicates"

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:
        """How many episodes are new or changed."""
        return await self.changes.fresh_count(night.namespace, "episode", after=int(place.get(MARK, 0)))

    async def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """What stands behind what now, where that is new."""
        async for ids, after in fresh_ids(self.changes, night, "episode", place, limit=TOGETHER):
            told = {one.doc: one for one in await self.duplicates.texts(night.namespace, ids)}
            yield Batch(await self.regrouped(night.namespace, told), after, looked=len(ids))

    async def regrouped(self, namespace: str, fresh: Mapping[int, Told]) -> list[Proposal]:
        """The changes of the groups that some episodes come into, or are in."""
        texts = {doc: text_of(one.content) for doc, one in fresh.items()}
        await self.duplicates.keep_signatures(namespace, {doc: bands(namespace, text) for doc, text in texts.items()})
        pairs = await self.duplicates.near(namespace, fresh.keys())
        before = await self.duplicates.groups(namespace, {*fresh, *(doc for pair in pairs for doc in pair)})
        links = [*pairs, *before.items()]
        others = {doc for link in links for doc in link} - fresh.keys()
        ids = await self.duplicates.ids_of(namespace, others)
        told = {**fresh, **{one.doc: one for one in await self.duplicates.texts(namespace, ids.values())}}
        proposals: list[Proposal] = []
        for group in components(links):
            known = [told[doc] for doc in group if doc in told]
            members = sorted(known, key=goodness, reverse=True)[:MOST_OF_A_GROUP]
            texts |= {one.doc: text_of(one.content) for one in members if one.doc not in texts}
            proposals += changed(told, before, members, behind_in(members, texts))
        return proposals


def goodness(one: Told) -> tuple[Any, ...]:
    """What is shown in front: what matters more, is described, says more, is newer."""
    return (RANK[one.importance], one.described, one.length, one.occurred_at, one.doc)


def components(links: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The groups that links make, each in order.

    >>> components([(1, 2), (3, 4), (2, 5)])
    [[1, 2, 5], [3, 4]]
    """
    group: dict[int, list[int]] = {}
    for one, other in links:
        mine, its = group.setdefault(one, [one]), group.setdefault(other, [other])
        if mine is not its:
            mine += its
            group |= dict.fromkeys(its, mine)
    return sorted(sorted(each) for each in {id(each): each for each in group.values()}.values())


def behind_in(members: Collection[Told], texts: Mapping[int, Text]) -> dict[int, tuple[int, float]]:
    """Which of them stand behind which, each speaker and type by itself."""
    kinds: dict[tuple[str | None, str], list[int]] = {}
    for one in members:
        kinds.setdefault((one.speaker, one.type), []).append(one.doc)
    found: dict[int, tuple[int, float]] = {}
    for order in kinds.values():
        found |= grouped(texts, order)
    return found


def changed(
    told: Mapping[int, Told],
    before: Mapping[int, int],
    members: Iterable[Told],
    behind: Mapping[int, tuple[int, float]],
) -> Iterable[Proposal]:
    """The changes of those that stand otherwise than before."""
    for one in members:
        front, alike = behind.get(one.doc, (None, 1.0))
        if front == before.get(one.doc):
            continue
        row = None if front is None else {"doc": one.doc, "front": front, "likeness": round(alike, 3)}
        shown = told[front].id if front is not None else None
        yield Proposal(
            kind="front",
            subjects=(one.id,),
            evidence=(one.id, shown) if shown else (one.id, "alone"),
            reason=f"{alike:.0%} the same as {shown}, which is shown in its place."
            if shown
            else "It is the best of those that say the same, or says something of its own by now.",
            edits=(Edit(table="near_duplicate", key={"doc": one.doc}, after=row),),
            touches=(shown,) if shown else (),
        )
