"""Read a short turn together with what was said right before and after it."""

from collections.abc import Mapping

import numpy as np

from graphmem.memory import MemoryId, Scores
from graphmem.recall.ranking.order import reordered

# How much of a turn so many places later counts for one; the question that a turn answers stands right before it.
STEPS = {-2: 0.3, -1: 0.6, 1: 0.4, 2: 0.2}

# What is shorter than this answers nothing, whatever it stands beside (bytes).
A_SENTENCE = 120

# The turns around each, by how many places they come later.
Windows = Mapping[MemoryId, Mapping[int, MemoryId]]


def share(size: int, *, weight: float, length: float) -> float:
    """How much its surroundings count for a text of that size: a long one speaks for itself, a mere "Wow!" for nothing.

    share = weight x min(1, size / 120) x min(1, length / size)^2

    >>> share(60, weight=1, length=400), share(400, weight=1, length=400), share(800, weight=1, length=400)
    (0.5, 1.0, 0.25)
    """
    return weight * min(1.0, size / A_SENTENCE) * min(1.0, length / max(size, 1)) ** 2


def by_words(scores: Scores, windows: Windows, shares: Mapping[MemoryId, float]) -> Scores:
    """Each score with its surroundings': score' = score + share x sum over steps of step weight x their score.

    What stands beside a hit is let in; one without a window keeps its score.

    >>> by_words({"b": 2.0}, {"b": {-1: "a"}, "a": {1: "b"}}, {"a": 1.0, "b": 1.0})
    {'b': 2.0, 'a': 0.8}
    """
    said = {
        one: scores.get(one, 0.0)
        + shares[one] * sum(STEPS[places] * scores.get(other, 0.0) for places, other in window.items())
        for one, window in windows.items()
    }
    return reordered(scores | {one: score for one, score in said.items() if score > 0})


def by_meaning(
    scores: Scores,
    windows: Windows,
    shares: Mapping[MemoryId, float],
    vectors: Mapping[MemoryId, np.ndarray],
    question: np.ndarray,
) -> Scores:
    """Each similarity, of the vector mixed with its surroundings': cos(q, v + share x sum of step weight x their v).

    One without a window keeps its score.

    >>> x, y = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    >>> mixed = by_meaning({"b": 1.0}, {"b": {-1: "a"}}, {"b": 1.0}, {"a": y, "b": x}, x)
    >>> mixed["b"] == 1 / (1 + 0.6**2) ** 0.5
    True
    """
    if not windows:
        return reordered(scores)
    row = {one: number for number, one in enumerate(vectors)}
    own = np.stack(list(vectors.values()))
    mixed = own[[row[one] for one in windows]]
    for places, weight in STEPS.items():
        having = [
            (number, one, window[places]) for number, (one, window) in enumerate(windows.items()) if places in window
        ]
        if having:
            counted = np.array([weight * shares[one] for _, one, _ in having], dtype=own.dtype)
            mixed[[number for number, _, _ in having]] += counted[:, None] * own[[row[other] for _, _, other in having]]
    likeness = mixed @ question / (np.linalg.norm(mixed, axis=1) * np.linalg.norm(question))
    return reordered(scores | dict(zip(windows, likeness.tolist(), strict=True)))
