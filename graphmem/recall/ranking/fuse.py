"""Fuse the legs' rankings into one score for each memory."""

from collections.abc import Mapping, Sequence

from graphmem.memory import MemoryId, Scores
from graphmem.recall.ranking.order import best_first


def fuse(runs: Mapping[str, Sequence[MemoryId]], *, k: float, weights: Mapping[str, float]) -> Scores:
    """Weighted reciprocal rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009).

    score(m) = sum over legs of weight(leg) / (k + rank of m in leg), ranks from 1. A memory gets nothing from a leg
    that did not find it; a leg of weight 0 is left out. The order of the legs does not matter.

    >>> fuse({"vector": ["a", "b"], "keyword": ["b"]}, k=1, weights={"vector": 1, "keyword": 1})
    {'b': 0.8333333333333333, 'a': 0.5}
    """
    scores: Scores = {}
    for leg in sorted(runs):
        if weight := weights.get(leg, 1.0):
            for rank, memory_id in enumerate(runs[leg], start=1):
                scores[memory_id] = scores.get(memory_id, 0.0) + weight / (k + rank)
    return best_first(scores)
