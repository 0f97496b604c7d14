"""Fuse the legs' rankings into one score for each memory."""

from collections.abc import Iterable, Mapping, Sequence

from graphmem.memory import MemoryId, Scores
from graphmem.recall.ranking.order import Ties, best_first

# A ranking without ties, best first, or the rank of each memory.
Ranking = Sequence[MemoryId] | Mapping[MemoryId, int]


def fuse(
    runs: Mapping[str, Ranking],
    *,
    k: float,
    weights: Mapping[str, float],
    bonus: Scores | None = None,
    ties: Ties | None = None,
) -> Scores:
    """Weighted reciprocal rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009).

    score(m) = sum over legs of weight(leg) / (k + rank of m in leg), ranks from 1, + bonus(m). A memory gets nothing
    from a leg that did not find it; a leg of weight 0 is left out. The order of the legs does not matter.

    >>> fuse({"vector": ["a", "b"], "keyword": ["b"]}, k=1, weights={"vector": 1, "keyword": 1})
    {'b': 0.8333333333333333, 'a': 0.5}
    """
    scores: Scores = {}
    for leg in sorted(runs):
        if weight := weights.get(leg, 1.0):
            for memory_id, rank in ranks(runs[leg]).items():
                scores[memory_id] = scores.get(memory_id, 0.0) + weight / (k + rank)
    for memory_id, more in (bonus or {}).items():
        if memory_id in scores:
            scores[memory_id] += more
    return best_first(scores, ties)


def ranks(run: Ranking) -> Mapping[MemoryId, int]:
    """The rank of each memory, from 1."""
    return run if isinstance(run, Mapping) else {memory_id: rank for rank, memory_id in enumerate(run, start=1)}


def dense_ranks(values: Mapping[MemoryId, float]) -> dict[MemoryId, int]:
    """Dense ranking: the highest value is first, equal values share a rank, and no rank is left out after them.

    >>> dense_ranks({"a": 5, "b": 9, "c": 5, "d": 1})
    {'b': 1, 'a': 2, 'c': 2, 'd': 3}
    """
    places = {value: place for place, value in enumerate(sorted(set(values.values()), reverse=True), start=1)}
    return {one: places[values[one]] for one in sorted(values, key=lambda one: (-values[one], one))}


def raised(ids: Iterable[MemoryId], *, k: float, ranks: int) -> Scores:
    """The bonus of what is important: as much as lies between rank 1 and the rank so many places below it.

    bonus = 1 / (k + 1) - 1 / (k + 1 + ranks)

    >>> raised(["a"], k=60, ranks=10)["a"] == 1 / 61 - 1 / 71
    True
    """
    return dict.fromkeys(ids, 1 / (k + 1) - 1 / (k + 1 + ranks))
