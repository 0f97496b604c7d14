"""Put what says something new before what says the same again."""

from collections.abc import Callable, Mapping, Set
from typing import NamedTuple

import numpy as np

from graphmem.memory import MemoryId, Scores

# How alike two memories are, 0 to 1.
Similarity = Callable[[MemoryId, MemoryId], float]


class Pick(NamedTuple):
    """What a memory was worth when it was picked, and of what that was made."""

    value: float
    relevance: float
    similarity: float


class Diversified(NamedTuple):
    """The scores in their new order, and each pick."""

    scores: Scores
    picks: dict[MemoryId, Pick]


def diversify(scores: Scores, relevance: Scores, similarity: Similarity, *, balance: float, limit: int) -> Diversified:
    """Maximal marginal relevance (Carbonell & Goldstein, SIGIR 1998), truly greedy, over the memories in `relevance`.

    Each pick is the one of the highest balance x relevance - (1 - balance) x its greatest similarity to a pick; equal
    ones in the order they had. After `limit` picks, and beyond the pool, the rest follows in its own order, so nothing
    is lost.

    >>> alike = lambda one, other: 1.0 if {one, other} == {"a", "b"} else 0.0
    >>> scores = {"a": 1.0, "b": 0.9, "c": 0.5}
    >>> varied = diversify(scores, scores, alike, balance=0.5, limit=2)
    >>> varied.scores, varied.picks["c"]
    ({'a': 1.0, 'c': 0.5, 'b': 0.9}, Pick(value=0.25, relevance=0.5, similarity=0.0))
    """
    waiting = list(relevance)
    nearest = dict.fromkeys(waiting, 0.0)
    picks: dict[MemoryId, Pick] = {}
    while waiting and len(picks) < limit:
        worth = {one: balance * relevance[one] - (1 - balance) * nearest[one] for one in waiting}
        best = max(waiting, key=worth.__getitem__)
        picks[best] = Pick(worth[best], relevance[best], nearest[best])
        waiting.remove(best)
        for one in waiting:
            nearest[one] = max(nearest[one], similarity(one, best))
    return Diversified({one: scores[one] for one in {**picks, **scores}}, picks)


def pool(scores: Scores, size: int, *, relative: bool = True) -> Scores:
    """The relevance of the first memories: their scores, `relative` to the highest of them.

    Raw fusion scores of .01-.05 would count for nothing beside similarities of 0-1, and an unrelated text would win.

    >>> pool({"a": 0.04, "b": 0.02, "c": 0.01}, 2), pool({"a": 0.04}, 2, relative=False)
    ({'a': 1.0, 'b': 0.5}, {'a': 0.04})
    """
    first = dict(list(scores.items())[:size])
    unit = (max(first.values(), default=0.0) or 1.0) if relative else 1.0
    return {one: score / unit for one, score in first.items()}


def distinct(scores: Scores, digests: Mapping[MemoryId, str]) -> Scores:
    """Of memories of the same text only the first.

    >>> distinct({"a": 3.0, "b": 2.0, "c": 1.0}, {"a": "x", "b": "x", "c": "y"})
    {'a': 3.0, 'c': 1.0}
    """
    first: dict[str, MemoryId] = {}
    for one in scores:
        first.setdefault(digests[one], one)
    return {one: scores[one] for one in first.values()}


def words(text: str) -> frozenset[str]:
    """The set of words of a text.

    >>> sorted(words("To Goa, to GOA!"))
    ['goa', 'to']
    """
    return frozenset("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())


def jaccard(one: Set[str], other: Set[str]) -> float:
    """The share of words that two texts have in common; two without a word have none.

    >>> jaccard({"a", "b"}, {"b", "c"}), jaccard(set(), set())
    (0.3333333333333333, 0.0)
    """
    return len(one & other) / len(one | other) if one or other else 0.0


def by_words(texts: Mapping[MemoryId, str]) -> Similarity:
    """How alike memories are by their words; one without a text is like no other.

    >>> by_words({"a": "to Goa", "b": "Goa!"})("a", "b")
    0.5
    """
    said = {one: words(text) for one, text in texts.items()}
    nothing = frozenset[str]()
    return lambda one, other: jaccard(said.get(one, nothing), said.get(other, nothing))


def by_vectors(vectors: Mapping[MemoryId, np.ndarray]) -> Similarity:
    """How alike memories are by the cosine of their vectors, below 0 taken as 0; one without a vector is like no other.

    >>> alike = by_vectors({"a": np.array([2.0, 0.0]), "b": np.array([3.0, 4.0]), "c": np.array([-1.0, 0.0])})
    >>> alike("a", "b"), alike("a", "c"), alike("a", "x")
    (0.6, 0.0, 0.0)
    """
    if not vectors:
        return by_words({})
    places = {one: place for place, one in enumerate(vectors)}
    rows = np.stack([vector.astype(np.float64) for vector in vectors.values()])
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    cosines = np.maximum(rows @ rows.T, 0.0)

    def cosine(one: MemoryId, other: MemoryId) -> float:
        return float(cosines[places[one], places[other]]) if one in places and other in places else 0.0

    return cosine
