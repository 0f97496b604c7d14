"""Two graphs, or two ledgers, side by side: all that is kept of a namespace, in one order."""

from typing import Any

from graphmem.service import Service

NODES = """
    MATCH (n {group_id: $namespace})
    RETURN labels(n) AS labels, properties(n) AS properties
"""
RELATIONSHIPS = """
    MATCH (source {group_id: $namespace})-[r]->(target)
    RETURN type(r) AS type, source.uuid AS source, target.uuid AS target, properties(r) AS properties
"""
# What is written down, and what follows from it; `mark` only says in which order the graph was told.
LEDGER = {
    "mention": "select * from mention where namespace = %(namespace)s",
    "statement": "select * from statement where namespace = %(namespace)s",
    "entity": "select * from entity where namespace = %(namespace)s",
    "fact": "select * from fact where namespace = %(namespace)s",
    "unprojected": "select kind, id from unprojected where namespace = %(namespace)s",
}


async def graph_of(service: Service, namespace: str) -> list[str]:
    """Every node with its labels and properties, then every relationship with its ends and properties."""
    assert service.graph is not None
    nodes = await service.graph.run(NODES, namespace=namespace)
    relationships = await service.graph.run(RELATIONSHIPS, namespace=namespace)
    return [*sorted(map(written, nodes)), *sorted(map(written, relationships))]


async def ledger_of(service: Service, namespace: str) -> dict[str, list[str]]:
    """The rows of each table of the ledger."""
    rows = {name: await service.postgres.rows(query, namespace=namespace) for name, query in LEDGER.items()}
    return {name: sorted(map(written, found)) for name, found in rows.items()}


def written(value: Any) -> str:
    """A value as text that is the same for the same value: what has no order is put in one."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {written(one)}" for key, one in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return repr(value)
