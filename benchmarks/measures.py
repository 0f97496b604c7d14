"""How good and how quick (pure): recall, reciprocal rank, intervals, percentiles."""

from collections.abc import Collection, Sequence

import numpy as np

SAMPLES = 2000


def recall(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of the gold ids among the first k.

    >>> recall(["a", "b", "c"], {"a", "c"}, 2)
    0.5
    """
    return len(set(found[:k]) & set(gold)) / len(set(gold))


def reciprocal_rank(found: Sequence[str], gold: Collection[str]) -> float:
    """1 / rank of the first gold id; 0 when there is none.

    >>> reciprocal_rank(["b", "a"], {"a"}), reciprocal_rank(["b"], {"a"})
    (0.5, 0.0)
    """
    return next((1 / rank for rank, memory_id in enumerate(found, start=1) if memory_id in gold), 0.0)


def paired_interval(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """The mean difference over the same questions, and its 95 % bootstrap interval.

    >>> paired_interval([1.0, 1.0], [0.0, 0.0])
    (1.0, 1.0, 1.0)
    """
    differences = np.asarray(ours) - np.asarray(theirs)
    drawn = np.random.default_rng(0).integers(len(differences), size=(SAMPLES, len(differences)))
    low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
    return float(differences.mean()), float(low), float(high)


def median(values: Sequence[float]) -> float:
    """The 50th percentile."""
    return percentile(values, 50)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that so many per cent do not exceed.

    >>> percentile([1, 2, 3], 50)
    2.0
    """
    return float(np.percentile(values, share))
