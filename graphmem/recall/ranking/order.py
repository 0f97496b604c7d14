"""The order of an answer: best first, ties settled the same way every time."""

from collections.abc import Mapping
from datetime import datetime

from graphmem.memory import MemoryId, Scores


def best_first(scores: Scores, times: Mapping[MemoryId, datetime] | None = None) -> Scores:
    """The same scores, highest first; ties: newest first where the times are known, then by id.

    >>> best_first({"b": 1.0, "a": 1.0, "c": 2.0})
    {'c': 2.0, 'a': 1.0, 'b': 1.0}
    """
    known = times or {}

    def place(memory_id: MemoryId) -> tuple[float, float, MemoryId]:
        moment = known.get(memory_id)
        return -scores[memory_id], -moment.timestamp() if moment else 0.0, memory_id

    return {memory_id: scores[memory_id] for memory_id in sorted(scores, key=place)}
