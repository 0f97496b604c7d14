"""Entities that are one: those surely so are merged, the doubtful ones wait for a person.

Names written alike are one name. A slip, a part of a name, initials or a like meaning are only a hint: sure when what
is said of both is the same in two ways at least and no episode names both, worth a look when it is in one.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from graphmem.consolidate.likeness import Likeness, NameIndex, numbers
from graphmem.consolidate.step import MARK, Night, fresh_ids
from graphmem.errors import ModelUnavailableError
from graphmem.models.embedder import Embedder
from graphmem.night import Batch, Edit, Proposal
from graphmem.stores.alikes import AlikeStore, Common, Named
from graphmem.stores.changes import ChangeStore

TOGETHER = 500
SURE_WAYS = 2
MEANT_COSINE = 0.85
HINTS: Mapping[Likeness, str] = {
    "written": "are written alike",
    "misspelt": "are one slip of the pen apart",
    "shortened": "are a name and a part of it",
    "initials": "are a name and its initials",
    "meant": "mean nearly the same",
}


@dataclass(frozen=True)
class SameEntity:
    """The step."""

    changes: ChangeStore
    alikes: AlikeStore
    embedder: Embedder | None = None
    name: Literal["same_entity"] = "same_entity"

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:
        """How many entities changed."""
        return await self.changes.fresh_count(night.namespace, "entity", after=int(place.get(MARK, 0)))

    async def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """Merges of entities that changed with any others."""
        index: NameIndex | None = None
        async for ids, after in fresh_ids(self.changes, night, "entity", place, limit=TOGETHER):
            if index is None:
                index = await self.all_names(night.namespace)
            fresh = await self.alikes.of(night.namespace, ids)
            index.add(fresh)
            alike = await self.meant_alike(night.namespace, ids)
            alike.update(alike_by_name(fresh, index))
            common = await self.alikes.common(night.namespace, sorted(alike))
            types = await self.types(night.namespace, common)
            ambiguous = ambiguous_names(common, alike)
            found: list[Proposal] = []
            for one in common:
                how = alike[one.left, one.right]
                sure = sure_of(one, how, ambiguous) if may_be_one(one, types) else None
                if sure is not None:
                    found.append(merge(one, how, night, sure=sure))
            yield Batch(found, after, looked=len(ids))

    async def all_names(self, namespace: str) -> NameIndex:
        """The names of a namespace, small enough to be kept for one night."""
        index = NameIndex()
        after: str | None = None
        while page := await self.alikes.page(namespace, after=after):
            index.add(page)
            after = page[-1].id
        return index

    async def types(self, namespace: str, common: Sequence[Common]) -> dict[str, str | None]:
        """What each of the entities is."""
        ids = {end for one in common for end in (one.left, one.right)}
        return {one.id: one.type for one in await self.alikes.of(namespace, sorted(ids))}

    async def meant_alike(self, namespace: str, ids: Sequence[str]) -> dict[tuple[str, str], Likeness]:
        """Pairs of which the same is said, and whose names mean nearly the same; none without an embedder."""
        pairs = await self.alikes.tied_alike(namespace, ids) if self.embedder is not None else []
        if self.embedder is None or not pairs:
            return {}
        ends = sorted({end for pair in pairs for end in pair})
        named = {one.id: one.names[0] for one in await self.alikes.of(namespace, ends) if one.names}
        try:
            embedded = await self.embedder.embed_texts(list(named.values()))
        except ModelUnavailableError:
            return {}
        vectors = {one: np.asarray(vector) for one, vector in zip(named, embedded.vectors, strict=True)}
        found: dict[tuple[str, str], Likeness] = {}
        for left, right in pairs:
            known = left in named and right in named and numbers(named[left]) == numbers(named[right])
            if known and float(vectors[left] @ vectors[right]) >= MEANT_COSINE:
                found[left, right] = "meant"
        return found


def alike_by_name(fresh: Sequence[Named], index: NameIndex) -> dict[tuple[str, str], Likeness]:
    """Pairs with names alike, the smaller id first."""
    found: dict[tuple[str, str], Likeness] = {}
    for one in fresh:
        for other, how in index.alike(one).items():
            found.setdefault((min(one.id, other), max(one.id, other)), how)
    return found


def ambiguous_names(common: Sequence[Common], alike: Mapping[tuple[str, str], Likeness]) -> set[str]:
    """Entities that as much speaks for being one as for being another."""
    strong = [one for one in common if alike[one.left, one.right] != "written" and one.ways >= SURE_WAYS]
    ends = [end for one in strong for end in (one.left, one.right)]
    return {end for end in ends if ends.count(end) > 1}


def may_be_one(common: Common, types: Mapping[str, str | None]) -> bool:
    """Whether nothing speaks against it: no fact ties one to the other, and they are not of two kinds."""
    kinds = {types.get(common.left), types.get(common.right)} - {None, "thing"}
    return not common.tied and len(kinds) < 2  # noqa: PLR2004


def sure_of(common: Common, how: Likeness, ambiguous: set[str]) -> bool | None:
    """Whether it is sure, or worth a look; none where it is neither."""
    if how == "written":
        return True
    if common.together or not common.ways:
        return None
    return how != "meant" and common.ways >= SURE_WAYS and ambiguous.isdisjoint({common.left, common.right})


def merge(common: Common, how: Likeness, night: Night, *, sure: bool) -> Proposal:
    """The proposal that the two are one: the one more often named stands for both."""
    kept, gone = common.left, common.right
    if (common.right_mentions, len(common.right_name)) > (common.left_mentions, len(common.left_name)):
        kept, gone = gone, kept
    pair = (common.left, common.right)
    said = f", and {common.ways} same things are said of both" if common.ways > 1 else ""
    said = ", and the same is said of both" if common.ways == 1 else said
    bare = Proposal(
        kind="merge",
        subjects=pair,
        evidence=tuple(common.shared) or pair,
        reason=f"“{common.left_name}” and “{common.right_name}” {HINTS[how]}{said}.",
        sure=sure,
    )
    cause = bare.decides(night.namespace, "same_entity")
    key = {"alias": gone, "entity": kept, "cause": cause}
    link = Edit(table="entity_link", key=key, after=key | {"reason": "merged"})
    return Proposal(
        kind=bare.kind,
        subjects=bare.subjects,
        evidence=bare.evidence,
        reason=bare.reason,
        sure=sure,
        edits=(link, *texts(common, kept, gone)),
    )


def texts(common: Common, kept: str, gone: str) -> list[Edit]:
    """What was written of the one that goes is kept of the other, if nothing was."""
    summaries = {common.left: common.left_summary, common.right: common.right_summary}
    vectors = {common.left: common.left_vector, common.right: common.right_vector}
    edits = [Edit(table="entity", key={"id": gone}, after=None)]
    if summaries[gone] and not summaries[kept]:
        after = {"id": kept, "summary": summaries[gone], "vector": vectors[kept]}
        edits.append(Edit(table="entity", key={"id": kept}, after=after))
    return edits
