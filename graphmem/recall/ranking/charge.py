"""What charge spreads over and what it leaves behind: the one shape of all kernels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from graphmem.memory import MemoryId, Scores


class Edge(NamedTuple):
    """What ties two nodes: how much of a charge it lets through, and the fact that it is, if it is one.

    A mention leads from the episode to the name, a session from what was said to what was said next.
    """

    source: str
    target: str
    weight: float = 1.0
    relation: str = "MENTIONS"
    fact: MemoryId | None = None

    def end(self, start: str) -> str:
        """Where it leads from one of its ends."""
        return self.target if start == self.source else self.source


@dataclass(frozen=True)
class Web:
    """Some nodes, by the edges between them; a degree counts all that a node is tied to, also what is not here."""

    edges: Sequence[Edge]
    degree: Mapping[str, int] = field(default_factory=dict[str, int])

    def around(self) -> dict[str, list[Edge]]:
        """The edges of each node."""
        found: dict[str, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.source, []).append(edge)
            if edge.target != edge.source:
                found.setdefault(edge.target, []).append(edge)
        return found


class Signal(NamedTuple):
    """Charge on its way over an edge, in the direction in which it went."""

    charge: float
    source: str
    relation: str
    target: str

    def precedes(self, other: "Signal | None") -> bool:
        """Whether it is the stronger one, or of two equal ones the first by name."""
        return other is None or (-self.charge, self.source, self.relation) < (
            -other.charge,
            other.source,
            other.relation,
        )


class Charged(NamedTuple):
    """The charge of nodes and facts, highest first; and the signals by which it came to those where none began."""

    charges: Scores
    ways: Mapping[str, tuple[Signal, ...]]


class Kernel(Protocol):
    """A law by which charge spreads: from where it begins, over the edges, so many hops."""

    def __call__(self, begun: Mapping[str, float], web: Web, *, hops: int) -> Charged:
        """The charge it leaves."""
        ...
