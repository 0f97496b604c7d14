"""All that is known of some namespaces, in Neo4j and in the ledger, to be compared."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.running import Running
from graphmem.service import Service, open_service
from tests.graphs import graph_of, ledger_of


@dataclass(frozen=True)
class Kept:
    """All that the graph and the ledger hold, by namespace."""

    graph: dict[str, list[str]]
    ledger: dict[str, dict[str, list[str]]]

    def differences(self, other: "Kept") -> int:
        """How many nodes, relationships and rows are in one of them only."""
        return sum(
            (Counter(one[name]) - Counter(two[name]) + (Counter(two[name]) - Counter(one[name]))).total()
            for one, two in self.pairs(other)
            for name in one
        )

    def pairs(self, other: "Kept") -> list[tuple[dict[str, list[str]], dict[str, list[str]]]]:
        """What is to be the same."""
        return [(self.graph, other.graph), *((self.ledger[name], other.ledger[name]) for name in self.ledger)]

    def count(self, kind: str) -> int:
        """How many nodes or relationships of a label or type."""
        rows = [row for found in self.graph.values() for row in found]
        return sum(row.endswith(f"type: '{kind}'}}") or f"'{kind}'" in labels_of(row) for row in rows)


async def kept_by(service: Service, namespaces: Sequence[str]) -> Kept:
    """What is there now."""
    return Kept(
        {name: await graph_of(service, name) for name in namespaces},
        {name: await ledger_of(service, name) for name in namespaces},
    )


def kept(running: Running, namespaces: Sequence[str]) -> Kept:
    """What a running service has."""

    async def look() -> Kept:
        async with open_service(running.settings) as service:
            return await kept_by(service, namespaces)

    return asyncio.run(look())


def labels_of(row: str) -> str:
    """The labels of a node as they are written; none of a relationship.

    >>> labels_of("{labels: ['Entity', 'Person'], properties: {}}"), labels_of("{properties: {}, type: 'MENTIONS'}")
    ("{labels: ['Entity', 'Person'", '')
    """
    return row.partition("]")[0] if row.startswith("{labels") else ""
