"""Episodes in Postgres, with everything that must be written or removed together with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
import numpy as np
from pgvector import HalfVector

from graphmem.errors import ModelUnavailableError
from graphmem.memory import EVERGREEN_TYPES, Episode
from graphmem.queries import sql
from graphmem.stores.filters import Scope
from graphmem.stores.index_text import keyword_parts
from graphmem.stores.postgres import Connection, Postgres, Row
from graphmem.stores.traits import traits

QUERIES = sql(__file__)
# Among so many the latest sessions are looked for.
LATEST_EPISODES = 200


@dataclass(frozen=True)
class Vectors:
    """Vectors of some episodes, by id, and the model that made them."""

    model: str
    ids: Sequence[str]
    vectors: np.ndarray
    truncated: Sequence[bool]

    @classmethod
    def none(cls) -> "Vectors":
        """No vector at all."""
        return cls(model="", ids=(), vectors=np.empty((0, 0), np.float16), truncated=())

    def parameters(self) -> dict[str, Any]:
        """As the queries take them."""
        return {
            "model": self.model,
            "vector_ids": list(self.ids),
            "vectors": [HalfVector(vector) for vector in self.vectors],
            "truncated": list(self.truncated),
        }


@dataclass(frozen=True)
class WriteJobs:
    """The ids under which the work after a write can be followed; no `embed` where no vectors are wanted."""

    extract: str
    embed: str | None


@dataclass(frozen=True)
class EpisodeStore:
    """Reads and writes episodes; writes run inside the caller's transaction."""

    postgres: Postgres

    async def insert(
        self, connection: Connection, episodes: Sequence[Episode], vectors: Vectors, *, jobs: WriteJobs
    ) -> dict[str, bool]:
        """Store those whose id is new: their ids, each with whether its vector is stored too."""
        cursor = await connection.execute(
            QUERIES.insert,
            {
                "namespace": episodes[0].namespace,
                "rows": rows_json(episodes),
                "job": jobs.extract,
                "embed_job": jobs.embed or jobs.extract,
                "wants_vectors": jobs.embed is not None,
                **vectors.parameters(),
            },
        )
        return {row["id"]: row["embedded"] for row in await cursor.fetchall()}

    async def delete(self, connection: Connection, episodes: Sequence[Episode], *, job: str) -> list[str]:
        """Remove these, as they were just read under a lock; their ids."""
        rows = [{"id": episode.id, "parts": keyword_parts(episode)} for episode in episodes]
        cursor = await connection.execute(
            QUERIES.delete,
            {"namespace": episodes[0].namespace, "rows": msgspec.json.encode(rows).decode(), "job": job},
        )
        return [row["id"] for row in await cursor.fetchall()]

    async def locked(self, connection: Connection, namespace: str, ids: Sequence[str]) -> list[Episode]:
        """Episodes by id, held until the transaction ends."""
        cursor = await connection.execute(QUERIES.find_locked, {"namespace": namespace, "ids": list(ids)})
        return [episode_of(row) for row in await cursor.fetchall()]

    async def find(self, namespace: str, ids: Sequence[str]) -> dict[str, Episode]:
        """Those of the ids that exist."""
        rows = await self.postgres.rows(QUERIES.find, namespace=namespace, ids=list(ids))
        return {row["id"]: episode_of(row) for row in rows}

    async def page(
        self, namespace: str, *, limit: int, after: tuple[datetime, str] | None, **only: Any
    ) -> list[Episode]:
        """Newest first, after the cursor; `only` may hold session, project and before."""
        after_time, after_id = after or (None, None)
        bounds = {"session": None, "project": None, "before": None} | only
        rows = await self.postgres.rows(
            QUERIES.page, namespace=namespace, limit=limit, after_time=after_time, after_id=after_id, **bounds
        )
        return [episode_of(row) for row in rows]

    async def briefing(self, scope: Scope, *, limit: int) -> tuple[list[Episode], list[Episode]]:
        """Evergreen and important episodes, newest first; and the newest of the latest sessions, of each in turn."""
        rows = await self.postgres.rows(
            QUERIES.briefing,
            limit=limit,
            most=LATEST_EPISODES,
            evergreen=sorted(EVERGREEN_TYPES),
            **scope.parameters(),
        )
        found = [(row.pop("part"), episode_of(row)) for row in rows]
        return [one for part, one in found if part == 0][:limit], [one for part, one in found if part == 1][:limit]

    async def export_page(self, namespace: str, *, after: int, limit: int) -> tuple[list[Episode], int]:
        """Episodes in the order they were stored, and the number to go on from."""
        rows = await self.postgres.rows(QUERIES.export_page, namespace=namespace, after=after, limit=limit)
        return [episode_of(row) for row in rows], rows[-1]["doc"] if rows else after

    async def without_vectors(self, namespace: str, ids: Sequence[str]) -> list[Episode]:
        """Those of the ids that exist and have no vector."""
        rows = await self.postgres.rows(QUERIES.missing_vectors, namespace=namespace, ids=list(ids))
        return [episode_of(row) for row in rows]

    async def add_vectors(self, episodes: Sequence[Episode], vectors: Vectors) -> None:
        """Store vectors of episodes that have not changed since they were read; only the active model's are taken."""
        row = await self.postgres.row(
            QUERIES.add_vectors,
            namespace=episodes[0].namespace,
            created=[episode.created_at for episode in episodes],
            **vectors.parameters(),
        )
        if row is None:
            raise ModelUnavailableError(
                f"The stored vectors are not made by {vectors.model}: restart with their model."
            )


def rows_json(episodes: Sequence[Episode]) -> str:
    """Episodes as the insert reads them: one JSON array, however many there are."""
    rows = [
        msgspec.to_builtins(episode) | {"parts": keyword_parts(episode), "traits": traits(episode)}
        for episode in episodes
    ]
    return msgspec.json.encode(rows).decode()


def episode_of(row: Row) -> Episode:
    """An episode from its row."""
    return msgspec.convert({name: row[name] for name in Episode.__struct_fields__}, Episode)
