"""Episodes that may say the same as others, found by what their texts share."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from msgspec import Struct

from graphmem.memory import Importance
from graphmem.queries import sql
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
MOST_CHARACTERS = 100_000
# A text that is everywhere has enough of its like among the newest.
MOST_NEAR = 20


class Told(Struct, frozen=True, kw_only=True):
    """An episode with what its likeness to others is told by."""

    id: str
    doc: int
    content: str
    speaker: str | None
    type: str
    importance: Importance
    described: int
    length: int
    occurred_at: datetime


@dataclass(frozen=True)
class DuplicateStore:
    """Reads texts and groups, and keeps what follows from the texts alone."""

    postgres: Postgres

    async def texts(self, namespace: str, ids: Collection[str]) -> list[Told]:
        """Those of the ids that are episodes."""
        rows = await self.postgres.rows(
            QUERIES.texts, namespace=namespace, ids=list(ids), most_characters=MOST_CHARACTERS
        )
        return [msgspec.convert(row, Told) for row in rows]

    async def keep_signatures(self, namespace: str, bands: Mapping[int, Sequence[int]]) -> None:
        """Keep the bands of texts."""
        rows = msgspec.json.encode([{"doc": doc, "bands": its} for doc, its in bands.items()]).decode()
        await self.postgres.rows(QUERIES.keep_signatures, namespace=namespace, rows=rows)

    async def near(self, namespace: str, docs: Collection[int]) -> list[tuple[int, int]]:
        """Pairs of these and others that share a band."""
        rows = await self.postgres.rows(QUERIES.near, namespace=namespace, docs=list(docs), most=MOST_NEAR)
        return [(row["doc"], row["other"]) for row in rows]

    async def groups(self, namespace: str, docs: Collection[int]) -> dict[int, int]:
        """Which documents stand behind which, in the groups of these."""
        rows = await self.postgres.rows(QUERIES.groups, namespace=namespace, docs=list(docs))
        return {row["doc"]: row["front"] for row in rows}

    async def ids_of(self, namespace: str, docs: Collection[int]) -> dict[int, str]:
        """The ids of documents that are there."""
        rows = await self.postgres.rows(QUERIES.ids_of, namespace=namespace, docs=list(docs))
        return {row["doc"]: row["id"] for row in rows}
