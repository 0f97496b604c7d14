"""A profile with one leg or stage left out, and whether that makes it worse (pure)."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from graphmem.evaluate.marks import Mark, differences
from graphmem.evaluate.measures import interval, median
from graphmem.recall.profiles import Numbers, Profile, tuned

BASE = "as it is"
LEGS = ("keyword_weight", "vector_weight", "graph_weight")
# What takes more than one number, or a number that is no weight, to leave out.
OFF: dict[str, dict[str, float]] = {
    "decay": {"floor": 1.0, "evergreen_floor": 1.0},
    "rerank": {"rerank_top_n": 0},
    "diversify": {"mmr_pool": 0},
    "importance": {"importance_ranks": 0},
}
# Five that all go one way happen by chance once in 32 times (the sign alone); six, once in 64.
LEAST_DIFFERENT = 6
JUDGED_BY = "ndcg_at_10"
SHOWN = (JUDGED_BY, "recall_at_10")

Verdict = Literal["helps", "hurts", "can't tell"]


class Ablation(Struct, frozen=True, kw_only=True):
    """What a leg or stage adds: with it less without it, and the time that a search takes without it."""

    without: str
    tuning: dict[str, float]
    difference: dict[str, dict[str, float]]
    took_ms: float
    verdict: Verdict


def ways(profile: Profile) -> dict[str, dict[str, float]]:
    """The numbers that leave out each leg and stage that the profile has; the last leg stays.

    >>> from graphmem.recall.profiles import HER_OS
    >>> [name for name in ways(HER_OS) if not name.endswith(" leg")]
    ['decay', 'diversify']
    """
    numbers: dict[str, Any] = msgspec.structs.asdict(profile.numbers)
    asked = [name for name in LEGS if numbers[name]]
    weights = [name for name in Numbers.__struct_fields__ if name.endswith("_weight") and numbers[name]]
    off = {label(name): {name: 0.0} for name in weights if asked != [name]} | OFF
    return {name: changes for name, changes in off.items() if any(numbers[knob] != to for knob, to in changes.items())}


def label(weight: str) -> str:
    """How a weight is called where it is left out.

    >>> label("keyword_weight"), label("time_weight")
    ('keyword leg', 'time')
    """
    name = weight.removesuffix("_weight")
    return f"{name} leg" if weight in LEGS else name


def profiles_of(profile: Profile) -> dict[str, Profile]:
    """The profile as it is, and once without each leg and stage."""
    return {BASE: profile} | {name: tuned(profile, changes) for name, changes in ways(profile).items()}


def ablations(profile: Profile, marks: Mapping[str, Sequence[Mark]]) -> list[Ablation]:
    """What each leg and stage adds, the most first."""
    found = [ablation(name, changes, marks) for name, changes in ways(profile).items()]
    return sorted(found, key=lambda one: (-one.difference.get(JUDGED_BY, {}).get("mean", 0.0), one.without))


def ablation(name: str, changes: dict[str, float], marks: Mapping[str, Sequence[Mark]]) -> Ablation:
    """What one of them adds."""
    gains = {measure: differences(marks, measure, BASE, name) for measure in SHOWN}
    return Ablation(
        without=name,
        tuning=changes,
        difference={measure: interval(gain)._asdict() for measure, gain in gains.items() if gain},
        took_ms=median([one.took["whole"] for one in marks[name]]),
        verdict=verdict(gains[JUDGED_BY]),
    )


def verdict(gains: Sequence[float]) -> Verdict:
    """Whether the 95 % interval of the gain lies on one side of 0; few questions that differ prove nothing.

    >>> verdict([0.5] * 6), verdict([-0.5] * 6), verdict([0.5] * 5), verdict([0.5, -0.5] * 10)
    ('helps', 'hurts', "can't tell", "can't tell")
    """
    if sum(gain != 0 for gain in gains) < LEAST_DIFFERENT:
        return "can't tell"
    _, low, high = interval(gains)
    return "helps" if low > 0 else "hurts" if high < 0 else "can't tell"
