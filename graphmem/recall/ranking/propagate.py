"""Let charge add to scores, and let in what only charge found."""

from collections.abc import Mapping

from graphmem.memory import MemoryId, Scores
from graphmem.recall.ranking.order import reordered


def propagate(scores: Scores, charges: Scores, priors: Mapping[MemoryId, float], *, weight: float, k: float) -> Scores:
    """Add what the charge says: score' = score + weight x prior / (k + charge rank), newcomers included.

    `charges` are best first; a memory without a prior has 1.

    >>> propagate({"a": 0.5}, {"b": 2.0, "a": 1.0}, {"b": 0.5}, weight=1, k=1)
    {'a': 0.8333333333333333, 'b': 0.25}
    """
    shares = {one: weight * priors.get(one, 1.0) / (k + rank) for rank, one in enumerate(charges, start=1)}
    return reordered({one: scores.get(one, 0.0) + shares.get(one, 0.0) for one in {**scores, **shares}})
