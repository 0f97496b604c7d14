"""Vector search: halfvec in pgvector, exact in small namespaces, HNSW in large ones."""

from dataclasses import dataclass

import numpy as np
from pgvector import HalfVector

from graphmem.errors import ModelUnavailableError
from graphmem.memory import Hit
from graphmem.queries import sql
from graphmem.stores.filters import Scope
from graphmem.stores.postgres import Postgres

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
        if not row["same_model"]:
            raise ModelUnavailableError(
                f"The stored vectors were not made by {model}: restart with their model, or run graphmem reembed."
            )
        hits = [Hit(memory_id, score) for memory_id, score in zip(row["ids"], row["scores"], strict=True)]
        return VectorAnswer(hits, "hnsw" if row["by_index"] else "exact")
