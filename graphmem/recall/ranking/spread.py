"""Spread charge from the names in a question over the episodes that share names (synaptic propagation)."""

from collections.abc import Iterable, Mapping

from graphmem.memory import Scores
from graphmem.recall.ranking.charge import Charged, Signal, Web
from graphmem.recall.ranking.order import best_first

DAMPING = 0.85


def spread(begun: Mapping[str, float], web: Web, *, hops: int = 3) -> Charged:  # noqa: ARG001 - another number ranks names
    """The charge of each episode after three half-steps: name -> episode -> name -> episode.

    A name begins with 1 / its degree, the seed of rank r with 0.1 / r. Each half-step a node shares its charge, damped,
    equally among all its links; links that lead out of the neighbourhood carry their share away. An even number of
    half-steps would rank the names themselves. The way to an episode is that of the strongest signals.

    >>> from graphmem.recall.ranking.charge import Edge
    >>> web = Web([Edge("a", "x"), Edge("a", "y"), Edge("b", "y")], {"a": 2, "b": 1, "x": 1, "y": 2})
    >>> charges, ways = spread({"x": 1.0}, web)
    >>> {one: round(charge, 4) for one, charge in charges.items()}
    {'a': 0.4606, 'b': 0.1535}
    >>> [signal.target for signal in ways["b"]]
    ['a', 'y', 'b']
    """
    names = {edge.target for edge in web.edges}
    held, to_held = half_step({one: charge for one, charge in begun.items() if one in names}, web)
    for one, charge in begun.items():
        if one not in names:
            if one in to_held and to_held[one].charge < charge:
                del to_held[one]
            held[one] = held.get(one, 0.0) + charge
    passed, to_passed = half_step(held, web)
    reached, to_reached = half_step(passed, web)
    ways: dict[str, tuple[Signal, ...]] = {}
    for one, last in to_reached.items():
        middle = to_passed[last.source]
        beginning = (to_held[middle.source],) if middle.source in to_held else ()
        ways[one] = beginning if middle.source == one else (*beginning, middle, last)
    return Charged(best_first(reached), ways)


def half_step(charged: Mapping[str, float], web: Web) -> tuple[Scores, dict[str, Signal]]:
    """What each neighbour of the charged nodes is given, and the strongest signal that it got."""
    share = {node: DAMPING * charge / web.degree.get(node, 1) for node, charge in charged.items()}
    given: Scores = {}
    # As bare tuples: of the thousands that pass here only the strongest become signals.
    strongest: dict[str, tuple[float, str, str]] = {}
    for edge in web.edges:
        for source, target in ((edge.source, edge.target), (edge.target, edge.source)):
            charge = share.get(source)
            if charge is not None:
                given[target] = given.get(target, 0.0) + charge
                known = strongest.get(target)
                if known is None or charge > known[0] or (charge == known[0] and source < known[1]):
                    strongest[target] = (charge, source, edge.relation)
    return given, {target: Signal(*signal, target) for target, signal in strongest.items()}


def gate(idf_share: float, degrees: Iterable[int]) -> float:
    """How much the names of a question can tell, 0 to 1.

    gate = min(1, 2 x the share of the question's idf that lies in linked names) x max over names of min(1, 5 / degree).

    >>> gate(0.25, [10, 50]), gate(0.9, [3]), gate(0.9, [])
    (0.25, 1.0, 0.0)
    """
    return min(1.0, 2 * idf_share) * max((min(1.0, 5 / degree) for degree in degrees), default=0.0)
