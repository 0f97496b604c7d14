"""How good and how quick (pure): recall, ranks, gains, intervals, percentiles."""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

SAMPLES = 2000


class Estimate(NamedTuple):
    """A mean, and the bootstrap interval that holds it 95 times of 100."""

    mean: float
    low: float
    high: float


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


def ndcg(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """Discounted gain of the first k as a share of the best there can be (Järvelin & Kekäläinen, TOIS 2002).

    gain = sum over gold ids among the first k of 1 / log2(1 + rank); each id counts once.

    >>> ndcg(["a", "b"], {"a"}, 10), ndcg(["b", "a", "a"], {"a"}, 10) == 1 / math.log2(3)
    (1.0, True)
    """
    wanted = set(gold)
    gain = 0.0
    for rank, memory_id in enumerate(found[:k], start=1):
        if memory_id in wanted:
            wanted.remove(memory_id)
            gain += 1 / math.log2(1 + rank)
    return gain / sum(1 / math.log2(1 + rank) for rank in range(1, min(k, len(set(gold))) + 1))


def repeated(texts: Sequence[str]) -> float:
    """The share of texts that say again what an earlier one says, but for case and white space.

    >>> repeated(["We met.", "we  met.", "Goodbye.", "We met."]), repeated([])
    (0.5, 0.0)
    """
    told = {" ".join(text.split()).casefold() for text in texts}
    return 1 - len(told) / len(texts) if texts else 0.0


def separation(higher: Sequence[float], lower: Sequence[float]) -> float | None:
    """How often one of the higher is above one of the lower, a tie counting half: the area under the ROC curve.

    >>> separation([0.9, 0.5], [0.5]), separation([], [0.5])
    (0.75, None)
    """
    if not higher or not lower:
        return None
    ours, theirs = np.asarray(higher)[:, None], np.asarray(lower)[None, :]
    return float(((ours > theirs) + 0.5 * (ours == theirs)).mean())


def interval(values: Sequence[float]) -> Estimate:
    """The mean, and its 95 % bootstrap interval; the same for the same values.

    >>> interval([0.5, 0.5])
    Estimate(mean=0.5, low=0.5, high=0.5)
    """
    given = np.asarray(values)
    drawn = np.random.default_rng(0).integers(len(given), size=(SAMPLES, len(given)))
    low, high = np.percentile(given[drawn].mean(axis=1), [2.5, 97.5])
    return Estimate(float(given.mean()), float(low), float(high))


def paired_interval(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """The mean difference over the same questions, and its 95 % bootstrap interval.

    >>> tuple(paired_interval([1.0, 1.0], [0.0, 0.0]))
    (1.0, 1.0, 1.0)
    """
    return interval([one - other for one, other in zip(ours, theirs, strict=True)])


def median(values: Sequence[float]) -> float:
    """The 50th percentile."""
    return percentile(values, 50)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that so many per cent do not exceed.

    >>> percentile([1, 2, 3], 50)
    2.0
    """
    return float(np.percentile(values, share))
