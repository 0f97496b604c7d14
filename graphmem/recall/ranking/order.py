"""The order of an answer: best first, ties settled the same way every time."""

from collections.abc import Mapping
from typing import Any

from graphmem.memory import MemoryId, Scores

# What a memory is compared by when scores are equal: the smaller one comes first.
Ties = Mapping[MemoryId, tuple[Any, ...]]


def best_first(scores: Scores, ties: Ties | None = None) -> Scores:
    """The same scores, highest first; equal ones by `ties`, then by id.

    >>> best_first({"b": 1.0, "a": 1.0, "c": 2.0})
    {'c': 2.0, 'a': 1.0, 'b': 1.0}
    >>> best_first({"b": 1.0, "a": 1.0}, ties={"b": (1,), "a": (2,)})
    {'b': 1.0, 'a': 1.0}
    """
    known = ties or {}
    return {one: scores[one] for one in sorted(scores, key=lambda one: (-scores[one], known.get(one, ()), one))}


def reordered(scores: Scores) -> Scores:
    """The same scores, highest first; equal ones stay in the order they are in.

    >>> reordered({"b": 1.0, "a": 1.0, "c": 2.0})
    {'c': 2.0, 'b': 1.0, 'a': 1.0}
    """
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))
