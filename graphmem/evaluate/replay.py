"""Asks known questions again, as a search would be asked, and marks the answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from msgspec import Struct

from graphmem.evaluate.ablations import BASE, Ablation, ablations, profiles_of
from graphmem.evaluate.marks import DEPTH, Mark, Summary, mark, summary
from graphmem.evaluate.questions import Case
from graphmem.memory import Kind, Query
from graphmem.recall.pipeline import Recaller
from graphmem.recall.preferences import Preferences
from graphmem.recall.profiles import Profile

Progress = Callable[[int, int], Awaitable[None]]


class Way(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the questions are to be asked: as a search is, and whether to leave out each leg and stage in turn."""

    profile: str | None = None
    tuning: dict[str, object] = {}
    kinds: tuple[Kind, ...] = ("episode", "fact")
    ablate: bool = False


class Report(Struct, frozen=True, kw_only=True):
    """How good recall is: the profile that was asked, what its answers are worth, what each part of it adds."""

    profile: str
    numbers: dict[str, object]
    kinds: tuple[Kind, ...]
    summary: Summary
    ablations: list[Ablation]


@dataclass(frozen=True)
class Evaluator:
    """Replays questions in one namespace; accesses are not counted."""

    recaller: Recaller
    preferences: Preferences

    async def evaluate(
        self, namespace: str, cases: Sequence[Case], way: Way, *, now: datetime, progress: Progress
    ) -> Report:
        """How good recall is on these questions."""
        profile = await self.profile(namespace, way)
        profiles = profiles_of(profile) if way.ablate else {BASE: profile}
        marks = await self.marks(Asking(namespace, way.kinds, now), cases, profiles, progress=progress)
        return Report(
            profile=profile.name,
            numbers=msgspec.to_builtins(profile.numbers),
            kinds=way.kinds,
            summary=summary(marks[BASE]),
            ablations=ablations(profile, marks) if way.ablate else [],
        )

    async def profile(self, namespace: str, way: Way) -> Profile:
        """The recipe that the questions are asked with, as a search would have it."""
        return await self.preferences.profile(namespace, way.profile, way.tuning)

    async def marks(
        self, asking: "Asking", cases: Sequence[Case], profiles: Mapping[str, Profile], *, progress: Progress
    ) -> dict[str, list[Mark]]:
        """A mark for each question in each profile; in turn, so that a busy moment of the machine falls on all."""
        aliases = await self.preferences.aliases(asking.namespace)
        marks: dict[str, list[Mark]] = {name: [] for name in profiles}
        of = len(cases) * len(profiles)
        for place, case in enumerate(cases):
            query = asking.query(case, aliases)
            for name, profile in profiles.items():
                answer = await self.recaller.recall(query, profile, now=asking.now)
                marks[name].append(mark(case, answer, name=case.id or f"question {place + 1}"))
            await progress((place + 1) * len(profiles), of)
        return marks


@dataclass(frozen=True)
class Asking:
    """What all questions of one replay have in common."""

    namespace: str
    kinds: tuple[Kind, ...]
    now: datetime

    def query(self, case: Case, aliases: dict[str, list[str]]) -> Query:
        """A question as recall is asked it."""
        return Query(
            namespace=self.namespace,
            text=case.query,
            limit=DEPTH,
            kinds=self.kinds,
            filters=case.filters(),
            aliases=aliases,
        )
