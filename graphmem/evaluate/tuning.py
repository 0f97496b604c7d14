"""Looking for better numbers, and whether the best that was tried holds on questions that did not choose it (pure).

Each candidate is asked every question once. The questions are then cut into folds; for each fold the best candidate
on the others is chosen, and only its marks on the fold itself count. What is recommended is the best on all questions,
and only when the choices that never saw their questions are better than the numbers in force.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from graphmem.evaluate.ablations import BASE, LEAST_DIFFERENT
from graphmem.evaluate.marks import Mark
from graphmem.evaluate.measures import Estimate, interval
from graphmem.recall.profiles import Profile, tuned

# What is tried of each number. Numbers that a profile leaves at 0 turn a stage on, which is tried too.
TRIED: dict[str, tuple[float, ...]] = {
    "rrf_k": (2, 5, 8, 15, 30, 60),
    "keyword_weight": (0.25, 0.5, 1, 1.5, 2),
    "vector_weight": (0.25, 0.5, 1, 1.5, 2),
    "graph_weight": (0, 0.15, 0.3, 0.6, 1),
    "propagate_weight": (0, 1, 3, 5),
    "bm25_k1": (0.6, 0.9, 1.2, 1.6),
    "bm25_b": (0.3, 0.5, 0.75, 0.9),
    "time_weight": (0, 0.5, 1, 2),
    "candidate_k": (50, 100, 200),
}
JUDGED_BY = "ndcg_at_10"
MOST_CHANGED = 3
LEAST_QUESTIONS = 20


class Advice(Struct, frozen=True, kw_only=True):
    """What came of it: the changes to make, or none and the reason."""

    changes: dict[str, Any]
    reason: str
    now: float
    best: float
    held_out: Estimate | None


def candidates(profile: Profile, *, trials: int, seed: int) -> dict[str, Profile]:
    """The profile as it is, each single change in turn, then several at once, at most so many; the same for a seed."""
    random = np.random.default_rng(seed)
    numbers: dict[str, float] = msgspec.structs.asdict(profile.numbers)
    single: list[dict[str, float]] = [
        {name: value} for name, values in TRIED.items() for value in values if value != numbers[name]
    ]
    order: list[int] = random.permutation(len(single)).tolist()
    found = {BASE: profile} | {
        described(single[place]): tuned(profile, single[place]) for place in order[: trials // 2]
    }
    # So few numbers and values can be all of what there is: then no more are drawn than could be new.
    for _ in range(trials * 10):
        if len(found) > trials:
            break
        names: list[str] = random.permutation(list(TRIED)).tolist()[: int(random.integers(2, MOST_CHANGED + 1))]
        drawn: dict[str, float] = {name: TRIED[name][int(random.integers(len(TRIED[name])))] for name in names}
        changes = {name: value for name, value in drawn.items() if value != numbers[name]}
        if changes:
            found.setdefault(described(changes), tuned(profile, changes))
    return found


def described(changes: Mapping[str, float]) -> str:
    """Changes as a name, the same in whatever order they are.

    >>> described({"rrf_k": 5, "bm25_b": 0.5})
    'bm25_b=0.5 rrf_k=5'
    """
    return " ".join(f"{name}={value:g}" for name, value in sorted(changes.items()))


def advice(
    profile: Profile, tried: Mapping[str, Profile], marks: Mapping[str, Sequence[Mark]], *, folds: int, seed: int
) -> Advice:
    """The best candidate's changes, unless what is chosen so does not hold out."""
    names = list(tried)
    table = np.array(
        [[value for one in marks[name] if (value := getattr(one, JUDGED_BY)) is not None] for name in names]
    )
    base, count = names.index(BASE), table.shape[1] if table.ndim > 1 else 0
    if count < LEAST_QUESTIONS:
        return refused(f"{LEAST_QUESTIONS} questions with gold are needed; there are {count}.")
    gains = held_out_gains(table, base, folds=folds, seed=seed)
    best = choice(table, base)
    now, reached, held = float(table[base].mean()), float(table[best].mean()), interval(gains)
    if best == base:
        return refused("Nothing that was tried is better than the numbers in force.", now, now, held)
    if held.low <= 0 or np.count_nonzero(gains) < LEAST_DIFFERENT:
        return refused("What was better does not hold out on questions that did not choose it.", now, reached, held)
    changes = changes_between(profile, tried[names[best]])
    return Advice(changes=changes, reason="It holds out.", now=now, best=reached, held_out=held)


def refused(reason: str, now: float = 0.0, best: float = 0.0, held_out: Estimate | None = None) -> Advice:
    """Nothing to recommend."""
    return Advice(changes={}, reason=reason, now=now, best=best, held_out=held_out)


def held_out_gains(table: np.ndarray, base: int, *, folds: int, seed: int) -> list[float]:
    """For each question, what the candidate chosen without its fold gains on it over the base."""
    count = table.shape[1]
    fold = np.random.default_rng(seed).permutation(count) % folds
    gains = np.zeros(count)
    for one in range(folds):
        chosen = choice(table[:, fold != one], base)
        gains[fold == one] = (table[chosen] - table[base])[fold == one]
    return gains.tolist()


def choice(table: np.ndarray, base: int) -> int:
    """The candidate with the highest mean; the base where none is higher, otherwise the first of equals."""
    means = table.mean(axis=1)
    best = int(means.argmax())
    return best if means[best] > means[base] else base


def changes_between(profile: Profile, other: Profile) -> dict[str, Any]:
    """The numbers of the other that differ."""
    numbers, others = msgspec.structs.asdict(profile.numbers), msgspec.structs.asdict(other.numbers)
    return {name: value for name, value in others.items() if value != numbers[name]}
