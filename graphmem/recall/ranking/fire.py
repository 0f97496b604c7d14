"""Let charged nodes fire (synaptic propagation, as leaky integrate-and-fire neurons do it)."""

from collections.abc import Iterator, Mapping, Sequence

from graphmem.memory import Scores
from graphmem.recall.ranking.charge import Charged, Edge, Signal, Web
from graphmem.recall.ranking.order import best_first

THRESHOLD = 0.5
PASSED_ON = 0.85
LEAST = 0.02


def fire(begun: Mapping[str, float], web: Web, *, hops: int = 3) -> Charged:
    """The potential of each node after so many hops, and of each fact what went over it.

    In each hop every node at .5 or above that has not fired yet fires, once: over each of its edges goes potential x
    weight x .85, unless that is less than .02. What arrives is added up, and counts from the next hop on. The way to
    a node is that of the strongest signal by which charge first came to it.

    >>> chain = Web([Edge("a", "b", 0.8, "KNOWS", fact="f"), Edge("b", "c", 0.5)])
    >>> charges, ways = fire({"a": 1.0}, chain)
    >>> {one: round(charge, 4) for one, charge in charges.items()}
    {'a': 1.4624, 'f': 1.1424, 'b': 0.68, 'c': 0.289}
    >>> [(signal.source, signal.target) for signal in ways["c"]]
    [('a', 'b'), ('b', 'c')]
    """
    potential: Scores = dict(begun)
    passed: Scores = {}
    ways: dict[str, tuple[Signal, ...]] = {}
    fired: set[str] = set()
    around = web.around()
    for _ in range(hops):
        firing = [node for node, charge in potential.items() if charge >= THRESHOLD and node not in fired]
        fired.update(firing)
        arriving: Scores = {}
        first: dict[str, Signal] = {}
        for edge, source, target, charge in sent(firing, potential, around):
            arriving[target] = arriving.get(target, 0.0) + charge
            if target not in potential:
                signal = Signal(charge, source, edge.relation, target)
                first[target] = signal if signal.precedes(first.get(target)) else first[target]
            if edge.fact is not None:
                passed[edge.fact] = passed.get(edge.fact, begun.get(edge.fact, 0.0)) + charge
                if edge.fact not in begun and edge.fact not in ways:
                    ways[edge.fact] = (*ways.get(source, ()), Signal(charge, source, edge.relation, target))
        for target, signal in first.items():
            ways[target] = (*ways.get(signal.source, ()), signal)
        for target, charge in arriving.items():
            potential[target] = potential.get(target, 0.0) + charge
    return Charged(best_first(potential | passed), ways)


def sent(
    firing: Sequence[str], potential: Mapping[str, float], around: Mapping[str, Sequence[Edge]]
) -> Iterator[tuple[Edge, str, str, float]]:
    """What goes over the edges of the nodes that fire, in the order of the nodes: edge, source, target, charge."""
    for source in firing:
        for edge in around.get(source, ()):
            charge = potential[source] * edge.weight * PASSED_ON
            if charge >= LEAST:
                yield edge, source, edge.end(source), charge
