"""What is to be said of much-mentioned entities and of communities: their most central facts.

A summary names the facts that it rests on. It is shown only while all of them hold, and written anew when they change.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphmem.consolidate.step import MARK, Night, fresh_ids
from graphmem.night import Batch, Edit, Proposal
from graphmem.stores.changes import ChangeStore
from graphmem.stores.postgres import Row
from graphmem.stores.summaries import Material, SubjectKind, SummaryStore

TOGETHER = 200
LEAST_FACTS = 2
MOST_CHARACTERS = 1000


@dataclass(frozen=True)
class Summaries:
    """The step."""

    changes: ChangeStore
    summaries: SummaryStore
    name: Literal["summaries"] = "summaries"

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:
        """How many facts changed."""
        return await self.changes.fresh_count(night.namespace, "fact", after=int(place.get(MARK, 0)))

    async def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """Summaries of those whose central facts are others than before."""
        done: set[str] = set()
        async for ids, after in fresh_ids(self.changes, night, "fact", place, limit=TOGETHER):
            place = after
            subjects = await self.summaries.touched(night.namespace, ids)
            left: dict[str, SubjectKind] = {one: kind for one, kind in subjects.items() if one not in done}
            done |= left.keys()
            yield Batch(await self.written(night, left), after, looked=len(ids))
        while gone := await self.summaries.orphans(night.namespace, limit=TOGETHER):
            proposals = [proposed(one, kind, None, night) for one, kind in gone.items() if one not in done]
            done |= gone.keys()
            if not proposals:
                break
            yield Batch(proposals, dict(place))

    async def written(self, night: Night, subjects: dict[str, SubjectKind]) -> list[Proposal]:
        """The changes of these subjects' summaries."""
        known = await self.summaries.known(night.namespace, subjects)
        found = await self.summaries.material(night.namespace, subjects)
        return [
            proposed(one.subject, one.kind, one if said_of(one) else None, night)
            for one in found
            if is_other(one, known.get(one.subject))
        ]


def said_of(material: Material) -> bool:
    """Whether there is enough to say."""
    return len(material.facts) >= LEAST_FACTS


def is_other(material: Material, known: Row | None) -> bool:
    """Whether its summary, if it is to have one, rests on other facts than the one it has."""
    if known is None:
        return said_of(material)
    return not said_of(material) or {fact for fact, _ in material.facts} != set(known["facts"])


def extract(texts: Sequence[str]) -> str:
    """The facts' own words as a text.

    >>> extract(["Ann lives in Paris", "She likes tea."])
    'Ann lives in Paris. She likes tea.'
    """
    sentences = (text.strip() for text in texts)
    whole = " ".join(text if text.endswith((".", "!", "?", "\u2026")) else f"{text}." for text in sentences)
    return whole if len(whole) <= MOST_CHARACTERS else f"{whole[: MOST_CHARACTERS - 1]}\u2026"


def proposed(subject: str, kind: SubjectKind, material: Material | None, night: Night) -> Proposal:
    """The change of one summary; without material it goes."""
    facts = [fact for fact, _ in material.facts] if material else []
    row = {
        "subject": subject,
        "kind": kind,
        "text": extract([text for _, text in material.facts]) if material else "",
        "facts": facts,
        "made_by": "facts",
        "created_at": night.now.isoformat(),
    }
    return Proposal(
        kind="summary",
        subjects=(subject,),
        evidence=tuple(facts) or (subject,),
        reason=f"The {len(facts)} most central facts of {material.name}."
        if material
        else "There is no longer enough to say of it.",
        edits=(Edit(table="summary", key={"subject": subject}, after=row if material else None),),
    )
