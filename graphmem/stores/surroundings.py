"""What was said right before and after something, in its session."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from graphmem.memory import MemoryId
from graphmem.queries import sql
from graphmem.stores.filters import Scope
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
# Of a vector as Postgres sends it: how many numbers follow.
HEADER_BYTES = 4


class Turn(NamedTuple):
    """An episode of a session: its place among those read, its size in bytes, and its vector where it was asked for."""

    id: MemoryId
    session: str
    place: int
    size: int
    vector: np.ndarray | None


@dataclass(frozen=True)
class SurroundingsStore:
    """Reads sessions around episodes."""

    postgres: Postgres

    async def around(
        self, ids: Collection[MemoryId], scope: Scope, *, reach: int, model: str | None = None
    ) -> list[Turn]:
        """Those of the episodes that belong to a session, and what was said up to `reach` turns around them, in order.

        What the scope does not let through is left out, and its place stays empty.
        """
        rows = await self.postgres.rows(
            QUERIES.around, ids=list(ids), reach_turns=reach, model=model, **scope.parameters()
        )
        return [Turn(row["id"], row["session"], row["place"], row["size"], vector_of(row["vector"])) for row in rows]


def vector_of(sent: bytes | None) -> np.ndarray | None:
    """A vector as Postgres sends it; in a text, some hundred of them take a tenth of a second to read."""
    return None if sent is None else np.frombuffer(sent, ">f2", offset=HEADER_BYTES).astype(np.float32)
