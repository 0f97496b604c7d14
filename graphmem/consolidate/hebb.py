"""How ties between memories grow when they are recalled together, and fade when they are not (pure)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import combinations

from msgspec import Struct

from graphmem.recall.ranking.strength import SYNAPSE_HALF_LIFE, faded

RATE, USEFUL_RATE = 0.1, 0.3
LEAST = 0.02
# Of an answer the first: what stands far down was hardly looked at.
MOST_TOGETHER = 5
MOST_NODES = 10

Pair = tuple[str, str]


class Synapse(Struct, frozen=True):
    """A tie as it was at a time; it fades from then on."""

    weight: float
    at: datetime


class Together(Struct, frozen=True, kw_only=True):
    """Nodes that were recalled together, best first, when, and whether they were said to be of use.

    `useless` are those that were said to be of none.
    """

    id: str
    nodes: tuple[tuple[str, ...], ...]
    at: datetime
    useful: bool = False
    useless: tuple[str, ...] = ()


def pairs(together: Together) -> dict[Pair, float]:
    """How much each pair grows: rate x activation of one x of the other.

    The memory of rank r is active at 1 / sqrt(r), and so are the nodes it stands for; what was of use at 1.

    >>> once = Together(id="a", nodes=(("x",), ("y",)), at=datetime(2026, 1, 1))
    >>> {pair: round(growth, 4) for pair, growth in pairs(once).items()}
    {('x', 'y'): 0.0707}
    """
    active: dict[str, float] = {}
    for rank, nodes in enumerate(together.nodes[:MOST_TOGETHER], start=1):
        for node in nodes:
            active.setdefault(node, 1.0 if together.useful else rank**-0.5)
    nodes = list(active)[:MOST_NODES]
    rate = USEFUL_RATE if together.useful else RATE
    found = {tuple(sorted(pair)): rate * active[pair[0]] * active[pair[1]] for pair in combinations(nodes, 2)}
    return {(one, other): growth for (one, other), growth in found.items()}


def losses(together: Together) -> set[Pair]:
    """The pairs that lose, as one of them was of no use."""
    used = {node for nodes in together.nodes for node in nodes}
    return {
        (min(one, other), max(one, other)) for one in together.useless for other in used | {*together.useless} - {one}
    }


def learned(before: Mapping[Pair, Synapse], seen: Iterable[Together]) -> dict[Pair, Synapse]:
    """The ties after all that was recalled together, in that order; those left too weak are none.

    Hebb's rule with a soft bound (Hebb 1949; van Rossum, Bi & Turrigiano 2000): a tie that is recalled again first
    fades for the time since, w 2^(-t / half life), then grows by growth x (1 - w), so that it never exceeds 1. One of
    whose ends was of no use loses rate x w. New ties begin at their growth, from 0.02 on.

    >>> day = datetime(2026, 1, 1)
    >>> once = Together(id="a", nodes=(("x",), ("y",)), at=day, useful=True)
    >>> first = learned({}, [once])
    >>> first["x", "y"].weight
    0.3
    >>> round(learned(first, [once])["x", "y"].weight, 2)
    0.51
    >>> later = Together(id="b", nodes=(("x",),), at=day + SYNAPSE_HALF_LIFE, useless=("y",))
    >>> round(learned(first, [later])["x", "y"].weight, 4)
    0.105
    """
    now: dict[Pair, Synapse] = dict(before)
    for together in seen:
        for pair, growth in pairs(together).items():
            weight = left(now.get(pair), together.at)
            now[pair] = Synapse(weight + growth * (1 - weight), together.at)
        for pair in losses(together) & now.keys():
            now[pair] = Synapse((1 - USEFUL_RATE) * left(now[pair], together.at), together.at)
    return {pair: tie for pair, tie in now.items() if tie.weight >= LEAST or pair in before}


def left(tie: Synapse | None, at: datetime) -> float:
    """What is left of a tie's weight at a time."""
    return faded(tie.weight, (at - tie.at) / SYNAPSE_HALF_LIFE) if tie else 0.0


def all_pairs(seen: Sequence[Together]) -> list[Pair]:
    """Every pair that some of these may change."""
    return sorted({pair for one in seen for pair in pairs(one).keys() | losses(one)})
