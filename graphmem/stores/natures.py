"""What ordering and weighing need to know of memories, read without their texts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import msgspec

from graphmem.ledger import is_uuid
from graphmem.memory import Kind, MemoryId, Nature, Trait
from graphmem.queries import sql
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.postgres import Postgres, Row
from graphmem.stores.traits import traits

QUERIES = sql(__file__)


@dataclass(frozen=True)
class NatureStore:
    """Reads natures; those of episodes stored before there were traits are decided when first asked for."""

    postgres: Postgres
    episodes: EpisodeStore

    async def of(
        self, namespace: str, ids: Collection[MemoryId], *, kinds: Sequence[Kind], with_traits: bool
    ) -> dict[MemoryId, Nature]:
        """The natures of those of the memories that exist and are of one of the kinds."""
        if not ids:
            return {}
        rows = await self.postgres.rows(
            QUERIES.natures,
            namespace=namespace,
            ids=list(ids) if "episode" in kinds else [],
            uuids=[one for one in ids if is_uuid(one)] if "fact" in kinds else [],
        )
        undecided = [row["id"] for row in rows if row["traits"] is None]
        decided = await self.decide(namespace, undecided) if undecided and with_traits else {}
        return {row["id"]: nature_of(row, decided.get(row["id"], ())) for row in rows}

    async def decide(self, namespace: str, ids: Sequence[MemoryId]) -> dict[MemoryId, Sequence[Trait]]:
        """Decide the traits of these episodes, and keep them."""
        found = await self.episodes.find(namespace, ids)
        decided: dict[MemoryId, Sequence[Trait]] = {one: traits(episode) for one, episode in found.items()}
        rows = [{"id": one, "traits": its} for one, its in decided.items()]
        await self.postgres.rows(QUERIES.decide, namespace=namespace, rows=msgspec.json.encode(rows).decode())
        return decided


def nature_of(row: Row, decided: Sequence[Trait]) -> Nature:
    """A nature from its row."""
    return Nature(
        kind=row["kind"],
        type=row["type"],
        moment=row["moment"],
        digest=row["digest"],
        importance=row["importance"],
        path=row["path"],
        accesses=row["accesses"] or 0,
        lasting=row["lasting"],
        traits=frozenset(row["traits"] if row["traits"] is not None else decided),
    )
