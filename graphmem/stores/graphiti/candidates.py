"""What the graph has that may be the same as what a language model found, or contradict it."""

from collections.abc import Iterable
from typing import Any, LiteralString, cast

import numpy as np
from graphiti_core.driver.driver import GraphDriver, GraphProvider
from graphiti_core.driver.search_interface.search_interface import SearchInterface  # pyright: ignore[reportMissingTypeStubs]
from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode
from graphiti_core.search.search_filters import SearchFilters
from neo4j.vector import Vector
from pydantic import PrivateAttr

from graphmem.queries import cypher
from graphmem.stores.fact_search import lucene
from graphmem.stores.graph import DATABASE, GraphStore
from graphmem.stores.postgres import Row

DEPTH = 500


class Candidates(SearchInterface):
    """Searches for one reading: only facts that share an entity with a new one may be the same, or end with it.

    Graphiti first asks for the facts between the two entities of a new one, then, of the same words and vector, for all
    that it may contradict: by these it is known which entities are meant. Ends that were decided are not shown, so that
    each fact that contradicts an older one says so, and any of them may be taken back.
    """

    _graph: GraphStore = PrivateAttr()
    _namespace: str = PrivateAttr()
    _ends: dict[Any, set[str]] = PrivateAttr(default_factory=dict[Any, set[str]])
    _facts: dict[str, EntityEdge] = PrivateAttr(default_factory=dict[str, EntityEdge])

    def __init__(self, graph: GraphStore, namespace: str) -> None:
        super().__init__()
        self._graph = graph
        self._namespace = namespace

    @property
    def facts(self) -> dict[str, EntityEdge]:
        """All facts that were shown, as they were."""
        return self._facts

    # Graphiti gives everything by position.

    async def edge_fulltext_search(self, *asked: Any, **_: Any) -> list[EntityEdge]:
        """Facts that share words with a new one."""
        _driver, text, filters, _groups, limit = asked
        given = self._given(text, filters) | {"lucene": lucene(self._namespace, text), "depth": DEPTH}
        return self._edges(await self._graph.run(cypher("ingest/facts_worded"), **given, limit=limit))

    async def edge_similarity_search(self, *asked: Any, **_: Any) -> list[EntityEdge]:
        """Facts near a new one; of the few that share an entity the nearest are near enough."""
        _driver, vector, _source, _target, filters, _groups, limit, _least = asked
        given = self._given(tuple(vector), filters) | {"vector": vector}
        return self._edges(await self._graph.run(cypher("ingest/facts_around"), **given, limit=limit))

    async def node_similarity_search(self, *asked: Any, **_: Any) -> list[EntityNode]:
        """Entities whose names are alike in meaning."""
        _driver, search_vector, _filters, _groups, limit, least = asked
        if not search_vector:
            return []
        vector = Vector.from_numpy(np.array(search_vector, np.float32))
        rows = await self._graph.run(
            cypher("ingest/entities_alike"), group_id=self._namespace, vector=vector, least=least, limit=limit
        )
        return [
            EntityNode(
                uuid=row["uuid"],
                name=row["name"],
                group_id=self._namespace,
                labels=row["labels"],
                summary=row["summary"],
                created_at=row["created_at"].to_native(),
            )
            for row in rows
        ]

    def _given(self, question: Any, filters: SearchFilters) -> dict[str, Any]:
        """The entities that a new fact is about: told by the filter, and remembered for the next question of it."""
        between = filters.edge_source_node_uuids is not None
        if filters.edge_source_node_uuids is not None:
            self._ends.setdefault(question, set()).update(filters.edge_source_node_uuids)
        ends = sorted(self._ends.get(question, ()))
        return {"group_id": self._namespace, "ends": ends, "between": between}

    def _edges(self, rows: Iterable[Row]) -> list[EntityEdge]:
        """Facts as Graphiti has them; those it supports with this episode will name it, for they name none here."""
        edges = [
            EntityEdge(
                uuid=row["uuid"],
                group_id=self._namespace,
                source_node_uuid=row["source"],
                target_node_uuid=row["target"],
                name=row["name"],
                fact=row["fact"],
                episodes=[],
                created_at=row["created_at"].to_native(),
                valid_at=row["valid_at"] and row["valid_at"].to_native(),
                invalid_at=row["stated_invalid_at"] and row["stated_invalid_at"].to_native(),
            )
            for row in rows
        ]
        self._facts.update({edge.uuid: edge.model_copy() for edge in edges})
        return edges


class ReadingDriver(GraphDriver):
    """Our one driver; Graphiti reads by it, and what it wants to write at the end is left to others."""

    provider = GraphProvider.NEO4J

    def __init__(self, graph: GraphStore, candidates: Candidates) -> None:
        self.graph = graph
        self._database = DATABASE
        self.search_interface = candidates

    async def execute_query(self, cypher_query_: str, **kwargs: Any) -> Any:
        """The records of one query of Graphiti's, in the place where it looks for them."""
        given = {name: value for name, value in kwargs.items() if name not in {"params", "routing_", "database_"}}
        return await self.graph.run(cast("LiteralString", cypher_query_), **given), None, None

    def session(self, database: str | None = None) -> Any:  # noqa: ARG002 - there is one
        """Where it writes."""
        return NothingWritten()

    async def close(self) -> None:
        """The driver is not Graphiti's to close."""

    async def delete_all_indexes(self) -> None:
        """The indexes are not Graphiti's to delete."""

    async def build_indices_and_constraints(self, delete_existing: bool = False) -> None:
        """The indexes are there."""


class NothingWritten:
    """A session that writes nothing."""

    async def execute_write(self, *_: Any, **__: Any) -> None:
        """What was decided is written down elsewhere."""

    async def close(self) -> None:
        """There is nothing to close."""
