"""Which entities belong together by the facts between them (pure)."""

from collections.abc import Iterable, Mapping, Sequence

MOST_PASSES = 20
LEAST_MEMBERS = 3
# Of these a community is named after.
NAMED_AFTER = 3

Weights = dict[str, dict[str, float]]


def weights(edges: Iterable[tuple[str, str, float]]) -> Weights:
    """The weights of edges from both of their ends; an edge from a node to itself ties it to nobody.

    >>> weights([("a", "b", 1), ("b", "a", 2), ("c", "c", 1)])
    {'a': {'b': 3}, 'b': {'a': 3}}
    """
    found: Weights = {}
    for one, other, weight in edges:
        if one != other:
            for start, end in ((one, other), (other, one)):
                around = found.setdefault(start, {})
                around[end] = around.get(end, 0) + weight
    return found


def communities(around: Weights, begun: Mapping[str, str]) -> dict[str, str]:
    """The label of each node: those of one label belong together.

    Label propagation that raises modularity (LPAm: Barber & Clark 2009, after Raghavan, Albert & Kumara 2007). A node
    begins with the label of `begun`, or one of its own. In each of at most twenty passes every node, in the order of
    their names, takes the label of the greatest sum of its weights to nodes of that label - k x K / 2m, where k is the
    sum of its own weights, K that of the label's other nodes, 2m that of all; it keeps its own when no other is
    greater, and of equal ones takes the first by name. It ends when a pass changes nothing; from there it stays.

    >>> two = weights([("a", "b", 1), ("b", "c", 1), ("a", "c", 1), ("x", "y", 1), ("y", "z", 1), ("x", "z", 1),
    ...                ("c", "x", 1)])
    >>> found = communities(two, {})
    >>> sorted(sorted(one for one in found if found[one] == label) for label in {*found.values()})
    [['a', 'b', 'c'], ['x', 'y', 'z']]
    >>> communities(two, found) == found
    True
    """
    label = {node: begun.get(node, node) for node in sorted(around)}
    degree = {node: sum(near.values()) for node, near in around.items()}
    total = sum(degree.values())
    mass: dict[str, float] = {}
    for node, its in label.items():
        mass[its] = mass.get(its, 0) + degree[node]
    for _ in range(MOST_PASSES):
        moved = False
        for node, mine in list(label.items()):
            mass[mine] -= degree[node]
            best = best_label(around[node], label, mass, mine, degree[node] / total)
            mass[best] = mass.get(best, 0) + degree[node]
            label[node], moved = best, moved or best != mine
        if not moved:
            break
    return label


def best_label(
    near: Mapping[str, float], label: Mapping[str, str], mass: Mapping[str, float], mine: str, share: float
) -> str:
    """The label that a node takes; `share` is its part of all weights, and not in the mass."""
    pull: dict[str, float] = {mine: 0.0}
    for other, weight in near.items():
        pull[label[other]] = pull.get(label[other], 0.0) + weight
    gain = {one: round(weight - share * mass.get(one, 0.0), 9) for one, weight in pull.items()}
    best = max(gain.values())
    return mine if gain[mine] == best else min(one for one in gain if gain[one] == best)


def members(label: Mapping[str, str]) -> dict[str, list[str]]:
    """The nodes of each label that has at least three, in order.

    >>> members({"a": "x", "b": "x", "c": "x", "d": "y"})
    {'x': ['a', 'b', 'c']}
    """
    found: dict[str, list[str]] = {}
    for node, its in sorted(label.items()):
        found.setdefault(its, []).append(node)
    return {its: nodes for its, nodes in found.items() if len(nodes) >= LEAST_MEMBERS}


def centre(nodes: Sequence[str], around: Weights) -> list[str]:
    """The nodes by how strongly they are tied to the others, the strongest first.

    >>> centre(["a", "b", "c"], weights([("a", "b", 1), ("b", "c", 1), ("c", "d", 5)]))
    ['b', 'a', 'c']
    """
    inside = set(nodes)
    tied = {one: sum(weight for other, weight in around.get(one, {}).items() if other in inside) for one in nodes}
    return sorted(nodes, key=lambda one: (-tied[one], one))
