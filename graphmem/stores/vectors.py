"""Vector search: halfvec in pgvector, exact in small namespaces, HNSW in large ones."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from pgvector import HalfVector

from graphmem.errors import ModelUnavailableError
from graphmem.ledger import is_uuid
from graphmem.memory import Hit, MemoryId
from graphmem.queries import sql
from graphmem.stores.filters import Scope
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)
# Left to itself the planner takes the HNSW index for every namespace, and finds too little in small ones.
EXACT_BELOW = 10_000


@dataclass(frozen=True)
class VectorAnswer:
    """Hits, best first, and how they were found."""

    hits: list[Hit]
    path: str


@dataclass(frozen=True)
class VectorStore:
    """Finds episodes by the nearness of their vectors."""

    postgres: Postgres

    async def nearest(self, vector: np.ndarray, scope: Scope, *, model: str, limit: int) -> VectorAnswer:
        """The episodes whose vectors are nearest; a score is the cosine similarity."""
        row = await self.postgres.row(
            QUERIES.nearest,
            vector=HalfVector(vector),
            model=model,
            limit=limit,
            exact_below=EXACT_BELOW,
            **scope.parameters(),
        )
        assert row is not None
        return VectorAnswer(hits_of(row, model), "hnsw" if row["by_index"] else "exact")

    async def among_last(
        self, vector: np.ndarray, scope: Scope, *, model: str, window: int, also: Sequence[MemoryId] = ()
    ) -> VectorAnswer:
        """Every one of the `window` episodes that were accessed last, and of `also`; one without a vector scores 0."""
        row = await self.postgres.row(
            QUERIES.among_last,
            vector=HalfVector(vector),
            model=model,
            window=window,
            ids=list(also),
            **scope.parameters(),
        )
        assert row is not None
        return VectorAnswer(hits_of(row, model), "window")

    async def vectors(self, namespace: str, ids: Collection[MemoryId], *, model: str) -> dict[MemoryId, np.ndarray]:
        """The vectors of those of the episodes and facts that have one."""
        uuids = [one for one in ids if is_uuid(one)]
        rows = await self.postgres.rows(QUERIES.vectors, namespace=namespace, ids=list(ids), uuids=uuids, model=model)
        return {row["id"]: row["vector"].to_numpy() for row in rows}

    async def similarities(
        self, vector: np.ndarray, namespace: str, ids: Collection[MemoryId], *, model: str
    ) -> dict[MemoryId, float]:
        """How near those of the memories are that have a vector."""
        given = {"ids": list(ids), "uuids": [one for one in ids if is_uuid(one)], "model": model}
        rows = await self.postgres.rows(QUERIES.similarities, vector=HalfVector(vector), namespace=namespace, **given)
        return {row["id"]: row["similarity"] for row in rows}


def hits_of(row: Row, model: str) -> list[Hit]:
    """The hits of an answer, unless its vectors are another model's."""
    if not row["same_model"]:
        raise ModelUnavailableError(
            f"The stored vectors were not made by {model}: restart with their model, or run graphmem reembed."
        )
    return [Hit(memory_id, score) for memory_id, score in zip(row["ids"], row["scores"], strict=True)]
