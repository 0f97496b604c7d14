"""The vectors of entities' names and of facts: which are lacking, or another model's, and those that are made."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pgvector import HalfVector

from graphmem.memory import new_id
from graphmem.queries import sql
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)


class Lacking(NamedTuple):
    """An entity or fact without a vector, and the words that it is made of."""

    kind: str
    id: str
    words: str


@dataclass(frozen=True)
class NamedVectors:
    """Finds what lacks a vector, and keeps what was made, which the graph is to show anew."""

    postgres: Postgres

    async def ask(self, namespace: str) -> None:
        """Ask the worker for what is lacking in a namespace."""
        await self.postgres.rows(QUERIES.ask, only=namespace, job=new_id())

    async def ask_everywhere(self) -> None:
        """Ask the worker for what is lacking anywhere, or was made by another model than the active one."""
        await self.postgres.rows(QUERIES.outdate)
        await self.postgres.rows(QUERIES.ask, only=None, job=new_id())

    async def borrow(self, namespace: str) -> None:
        """Give facts that rules found the vectors of their episodes, where these have the active model's."""
        await self.postgres.rows(QUERIES.borrow, namespace=namespace)

    async def lacking(self, namespace: str, *, limit: int) -> list[Lacking]:
        """Some that lack a vector of the active model."""
        rows = await self.postgres.rows(QUERIES.lacking, namespace=namespace, limit=limit)
        return [Lacking(row["kind"], row["id"], row["words"]) for row in rows]

    async def keep(self, namespace: str, named: Sequence[Lacking], vectors: np.ndarray, *, model: str) -> int:
        """Keep vectors, if they are the active model's and the words have not changed; how many were kept."""
        kinds, ids, words = zip(*named, strict=True)
        given = {"kinds": list(kinds), "ids": list(ids), "words": list(words)}
        made = [HalfVector(vector) for vector in vectors]
        return len(await self.postgres.rows(QUERIES.keep, namespace=namespace, vectors=made, model=model, **given))
