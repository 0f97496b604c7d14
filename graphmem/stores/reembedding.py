"""Another model's vectors, made beside those that are searched, then put in their place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np
from pgvector import HalfVector
from psycopg import sql as composed

from graphmem.memory import Episode
from graphmem.queries import sql
from graphmem.stores.episodes import episode_of
from graphmem.stores.postgres import Connection, Postgres
from graphmem.stores.schema import run_script, truth

QUERIES = sql(__file__)


class Place(NamedTuple):
    """Where a batch ended, in the order of the episodes."""

    namespace: str = ""
    doc: int = 0


class Batch(msgspec.Struct, frozen=True):
    """Some episodes with their document numbers."""

    episodes: list[Episode]
    docs: list[int]

    @property
    def end(self) -> Place:
        """Where the next one begins."""
        return Place(self.episodes[-1].namespace, self.docs[-1])


@dataclass(frozen=True)
class ReembeddingStore:
    """The table of the new vectors, from its making to the switch."""

    postgres: Postgres

    async def begin(self, model: str, dimensions: int) -> int | None:
        """Make room for the new vectors, or go on with those an interrupted run made; None when they are in use."""

        async def work(connection: Connection) -> int | None:
            async with connection.transaction():
                await connection.execute(QUERIES.note_model, {"model": model, "dimensions": dimensions})
                cursor = await connection.execute(QUERIES.space, {"model": model, "dimensions": dimensions})
                space = await cursor.fetchone()
                assert space is not None
                if space["active"]:
                    return None
                if not await self.can_go_on(connection, space["space"], dimensions):
                    await connection.execute(QUERIES.drop_others)
                    create = composed.SQL(QUERIES.create_next).format(dimensions=composed.Literal(dimensions))
                    await connection.execute(create)
                return space["space"]

        return await self.postgres.run(work)

    async def can_go_on(self, connection: Connection, space: int, dimensions: int) -> bool:
        """Whether an unfinished table is this model's."""
        if not await truth(connection, QUERIES.belongs, dimensions=dimensions):
            return False
        return not await truth(connection, QUERIES.others_in_next, space=space)

    async def count(self) -> tuple[int, int]:
        """How many episodes there are, and how many have a new vector."""
        row = await self.postgres.row(QUERIES.count)
        assert row is not None
        return row["episodes"], row["made"]

    async def batch(self, after: Place, *, limit: int) -> Batch:
        """The next episodes without a new vector."""
        rows = await self.postgres.rows(
            QUERIES.batch, after_namespace=after.namespace, after_doc=after.doc, limit=limit
        )
        return Batch([episode_of(row) for row in rows], [row["doc"] for row in rows])

    async def store(self, batch: Batch, space: int, vectors: np.ndarray, truncated: Sequence[bool]) -> None:
        """Keep the vectors of a batch."""
        await self.postgres.rows(
            QUERIES.store,
            space=space,
            namespaces=[episode.namespace for episode in batch.episodes],
            docs=batch.docs,
            vectors=[HalfVector(vector) for vector in vectors],
            truncated=list(truncated),
        )

    async def index(self) -> None:
        """Build the index of the new vectors."""
        await self.postgres.rows(QUERIES.index_next)

    async def switch(self, space: int, *, job: str) -> None:
        """Search the new vectors from here on; what was written meanwhile gets its vectors by a job."""

        async def work(connection: Connection) -> None:
            async with connection.transaction():
                await connection.execute(QUERIES.lock_embedding)
                await connection.execute(QUERIES.queue_rest, {"job": job})
                await run_script(connection, QUERIES.switch)
                await connection.execute(QUERIES.activate, {"space": space})

        await self.postgres.run(work)
