"""Let a judge reorder the head of the list, unless the legs agree about it anyway."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from graphmem.memory import MemoryId, Scores
from graphmem.recall.ranking.order import best_first

WINDOW = 3
AGREE_AT_LEAST = 2
SNIPPET_CHARACTERS = 280


class Unanimity(NamedTuple):
    """In how many of the first places two legs have the same memory, and the first leg's head."""

    agreements: int
    ids: list[MemoryId]


def unanimity(keyword: Sequence[MemoryId], vector: Sequence[MemoryId]) -> Unanimity | None:
    """The legs' agreement about the first three, when it is on two places at least; a judge would change little then.

    >>> unanimity(["a", "b", "c"], ["a", "x", "c", "d"])
    Unanimity(agreements=2, ids=['a', 'b', 'c'])
    >>> unanimity(["a", "b"], ["a", "b"]) is None, unanimity(["a", "b", "c"], ["b", "c", "a"]) is None
    (True, True)
    """
    if len(keyword) < WINDOW or len(vector) < WINDOW:
        return None
    agreements = sum(one == other for one, other in zip(keyword[:WINDOW], vector[:WINDOW], strict=True))
    return Unanimity(agreements, list(keyword[:WINDOW])) if agreements >= AGREE_AT_LEAST else None


def rerank(scores: Scores, judged: Mapping[MemoryId, float], *, top_n: int) -> Scores:
    """The first `top_n` in the judge's order, the tail untouched after them.

    The judge's scores are on a scale of its own: the head keeps its scores, dealt out anew, best first. What the judge
    left out follows what it judged, in the order it had.

    >>> rerank({"a": 0.5, "b": 0.4, "c": 0.3}, {"a": 1.0, "b": 9.0, "c": 99.0}, top_n=2)
    {'b': 0.5, 'a': 0.4, 'c': 0.3}
    """
    head, tail = list(scores)[:top_n], list(scores)[top_n:]
    places = {one: (place,) for place, one in enumerate(head)}
    order = best_first({one: judged[one] for one in head if one in judged}, places)
    order |= dict.fromkeys((one for one in head if one not in judged), 0.0)
    dealt = dict(zip(order, (scores[one] for one in head), strict=True))
    return dealt | {one: scores[one] for one in tail}


def judged_text(title: str | None, summary: str | None, content: str) -> str:
    """What a judge reads of a memory: title and summary, or the one there is, or the beginning of the content.

    >>> judged_text("Tea", "What we drink", "x"), judged_text(None, "Sum", "x"), len(judged_text("", None, " x" * 500))
    ('Tea\\nWhat we drink', 'Sum', 280)
    """
    parts = [part.strip() for part in (title, summary) if part and part.strip()]
    return "\n".join(parts) or content.strip()[:SNIPPET_CHARACTERS]
