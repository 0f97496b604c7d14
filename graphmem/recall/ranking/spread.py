"""Spread charge from the names in a question over the episodes that share names (synaptic propagation)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphmem.memory import MemoryId, Scores
from graphmem.recall.ranking.order import best_first


@dataclass(frozen=True)
class Neighbourhood:
    """Which episode names which name, and how many links each has in the whole memory."""

    links: Sequence[tuple[MemoryId, str]]
    episode_degree: Mapping[MemoryId, int]
    name_degree: Mapping[str, int]


def spread(names: Iterable[str], seeds: Sequence[MemoryId], near: Neighbourhood, *, damping: float = 0.85) -> Scores:
    """The charge of each episode after three half-steps: name -> episode -> name -> episode.

    A name begins with 1 / its degree, the seed of rank r with 0.1 / r. Each half-step a node shares its charge, damped,
    equally among all its links; links that lead out of the neighbourhood carry their share away. An even number of
    half-steps would rank the names themselves.

    >>> near = Neighbourhood([("a", "x"), ("a", "y"), ("b", "y")], {"a": 2, "b": 1}, {"x": 1, "y": 2})
    >>> {one: round(charge, 4) for one, charge in spread(["x"], [], near).items()}
    {'a': 0.4606, 'b': 0.1535}
    """
    charge = {name: 1 / near.name_degree[name] for name in names if near.name_degree.get(name)}
    held = {memory_id: 0.1 / rank for rank, memory_id in enumerate(seeds, start=1)}
    for episode, name in near.links:
        if name in charge:
            held[episode] = held.get(episode, 0.0) + damping * charge[name] / near.name_degree[name]
    passed: dict[str, float] = {}
    for episode, name in near.links:
        if episode in held:
            passed[name] = passed.get(name, 0.0) + damping * held[episode] / near.episode_degree[episode]
    reached: Scores = {}
    for episode, name in near.links:
        if name in passed:
            reached[episode] = reached.get(episode, 0.0) + damping * passed[name] / near.name_degree[name]
    return best_first(reached)


def gate(idf_share: float, degrees: Iterable[int]) -> float:
    """How much the names of a question can tell, 0 to 1.

    gate = min(1, 2 x the share of the question's idf that lies in linked names) x max over names of min(1, 5 / degree).

    >>> gate(0.25, [10, 50]), gate(0.9, [3]), gate(0.9, [])
    (0.25, 1.0, 0.0)
    """
    return min(1.0, 2 * idf_share) * max((min(1.0, 5 / degree) for degree in degrees), default=0.0)
