"""Spread charge from the names in a question over the episodes that share names (synaptic propagation)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphmem.recall.ranking.charge import Charged, Signal, Web
from graphmem.recall.ranking.order import best_first

DAMPING = 0.85
WAYS = 100

Charges: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.integer[Any]]


def spread(begun: Mapping[str, float], web: Web, *, hops: int = 3) -> Charged:  # noqa: ARG001 - another number ranks names
    """The charge of each episode after three half-steps: name -> episode -> name -> episode.

    A name begins with 1 / its degree, the seed of rank r with 0.1 / r. Each half-step a node shares its charge, damped,
    equally among all its links; links that lead out of the neighbourhood carry their share away. An even number of
    half-steps would rank the names themselves. The way to an episode is that of the strongest signals; there is one for
    each of the first 100.

    >>> from graphmem.recall.ranking.charge import Edge
    >>> web = Web([Edge("a", "x"), Edge("a", "y"), Edge("b", "y")], {"a": 2, "b": 1, "x": 1, "y": 2})
    >>> charges, ways = spread({"x": 1.0}, web)
    >>> {one: round(charge, 4) for one, charge in charges.items()}
    {'a': 0.4606, 'b': 0.1535}
    >>> [signal.target for signal in ways["b"]]
    ['a', 'y', 'b']
    """
    if not web.edges:
        return Charged({}, {})
    links = Links(web)
    names = links.share(begun)
    held = {one: charge for one, charge in begun.items() if one not in links.names}
    to_held = links.added(names, of=links.name, to=links.episode)
    own = np.array([held.get(node, 0.0) for node in links.nodes])
    episodes = (to_held + own) * links.shared
    passed = links.added(episodes, of=links.episode, to=links.name) * links.shared
    reached = links.added(passed, of=links.name, to=links.episode)
    charges = best_first({links.nodes[place]: float(reached[place]) for place in np.flatnonzero(reached)})
    return Charged(charges, ways(list(charges)[:WAYS], links, (names, episodes, passed), own))


class Links:
    """The edges as arrays: where the ends of each stand among the nodes, and what a node shares of a charge."""

    def __init__(self, web: Web) -> None:
        self.names = {edge.target for edge in web.edges}
        self.nodes = [*dict.fromkeys(edge.source for edge in web.edges), *sorted(self.names)]
        self.places = {node: place for place, node in enumerate(self.nodes)}
        self.episode = np.array([self.places[edge.source] for edge in web.edges])
        self.name = np.array([self.places[edge.target] for edge in web.edges])
        self.shared = np.array([DAMPING / web.degree.get(node, 1) for node in self.nodes])

    def share(self, begun: Mapping[str, float]) -> Charges:
        """What each name that charge begins in gives to each of its links."""
        return np.array([begun.get(node, 0.0) if node in self.names else 0.0 for node in self.nodes]) * self.shared

    def added(self, given: Charges, *, of: Places, to: Places) -> Charges:
        """What the nodes at one end of the links get of what those at the other end give."""
        return np.bincount(to, weights=given[of], minlength=len(self.nodes)).astype(np.float64)

    def strongest(self, place: int, given: Charges, *, to: Places, of: Places) -> Signal | None:
        """The strongest of the signals that came over the links to a node, of equal ones the first by name."""
        links = np.flatnonzero(to == place)
        charges = given[of[links]]
        if not charges.size or charges.max() <= 0:
            return None
        source = min(self.nodes[of[link]] for link in links[charges == charges.max()])
        return Signal(float(charges.max()), source, "MENTIONS", self.nodes[place])


def ways(
    charged: Sequence[str], links: Links, given: tuple[Charges, Charges, Charges], own: Charges
) -> dict[str, tuple[Signal, ...]]:
    """The signals by which charge came to these episodes; a seed that was charged by itself alone has none."""
    names, episodes, passed = given
    found: dict[str, tuple[Signal, ...]] = {}
    for one in charged:
        last = links.strongest(links.places[one], passed, to=links.episode, of=links.name)
        middle = last and links.strongest(links.places[last.source], episodes, to=links.name, of=links.episode)
        if last is None or middle is None:
            continue
        place = links.places[middle.source]
        first = links.strongest(place, names, to=links.episode, of=links.name)
        beginning = () if first is None or first.charge < own[place] else (first,)
        found[one] = beginning if middle.source == one else (*beginning, middle, last)
    return found


def gate(idf_share: float, degrees: Iterable[int]) -> float:
    """How much the names of a question can tell, 0 to 1.

    gate = min(1, 2 x the share of the question's idf that lies in linked names) x max over names of min(1, 5 / degree).

    >>> gate(0.25, [10, 50]), gate(0.9, [3]), gate(0.9, [])
    (0.25, 1.0, 0.0)
    """
    return min(1.0, 2 * idf_share) * max((min(1.0, 5 / degree) for degree in degrees), default=0.0)
