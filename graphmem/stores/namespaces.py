"""Namespaces: listed, set up, emptied, counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from graphmem.queries import sql
from graphmem.stores.jobs import JobStore
from graphmem.stores.postgres import Connection, Postgres

QUERIES = sql(__file__)


class NamespaceInfo(msgspec.Struct, frozen=True):
    """A namespace as it is listed."""

    namespace: str
    episodes: int
    text_search: str
    created_at: datetime


class NamespaceNight(NamedTuple):
    """What says when a namespace's night is due: its time zone if it has one, and the last night there was."""

    namespace: str
    time_zone: str | None
    created_at: datetime
    last: datetime | None


class NamespaceSettings(NamedTuple):
    """What a namespace changed of the default profile, the language of its keyword search, and its aliases."""

    numbers: dict[str, Any]
    text_search: str
    aliases: dict[str, list[str]]


@dataclass(frozen=True)
class NamespaceStore:
    """What is true of a namespace as a whole."""

    postgres: Postgres
    jobs: JobStore

    async def page(self, *, limit: int, after: str | None, reach: Sequence[str] | None) -> list[NamespaceInfo]:
        """Namespaces by name; `reach` bounds them to those a key may see."""
        rows = await self.postgres.rows(
            QUERIES.page, limit=limit, after=after, reach=list(reach) if reach is not None else None
        )
        return [msgspec.convert(row, NamespaceInfo) for row in rows]

    async def count(self, namespace: str) -> dict[str, int]:
        """How many episodes and vectors a namespace holds."""
        row = await self.postgres.row(QUERIES.count, namespace=namespace)
        return dict(row or {})

    async def delete(self, namespace: str, *, job: str) -> dict[str, int]:
        """Remove everything of a namespace from Postgres, and ask the worker to empty its graph; what was removed."""

        async def work(connection: Connection) -> dict[str, int]:
            async with connection.transaction():
                await connection.execute(QUERIES.lock, {"namespace": namespace})
                cursor = await connection.execute(QUERIES.count, {"namespace": namespace})
                removed = await cursor.fetchone() or {}
                for query in (
                    QUERIES.delete_episodes,
                    QUERIES.delete_postings,
                    QUERIES.delete_statistics,
                    QUERIES.delete_jobs,
                    QUERIES.delete_ledger,
                    QUERIES.delete_traces,
                    QUERIES.delete_namespace,
                ):
                    await connection.execute(query, {"namespace": namespace})
                await self.jobs.ask_to_rebuild(connection, namespace, job)
            return removed

        return await self.postgres.run(work)

    async def settings(self, namespace: str) -> NamespaceSettings:
        """Its settings; a namespace that was never written has the defaults."""
        row = await self.postgres.row(QUERIES.settings, namespace=namespace)
        if row is None:
            return NamespaceSettings({}, "english", {})
        return NamespaceSettings(row["settings"], row["text_search"], row["aliases"])

    async def change(self, namespace: str, numbers: Mapping[str, Any]) -> dict[str, Any]:
        """Set numbers; None takes one back to the default."""
        row = await self.postgres.row(
            QUERIES.change_settings,
            namespace=namespace,
            set=msgspec.json.encode({name: value for name, value in numbers.items() if value is not None}).decode(),
            unset=[name for name, value in numbers.items() if value is None],
        )
        assert row is not None
        return row["settings"]

    async def replace_aliases(self, namespace: str, aliases: Mapping[str, Sequence[str]]) -> None:
        """Make these the aliases of a namespace, in place of those it had."""
        pairs = [{"word": word, "equivalent": one} for word, others in aliases.items() for one in others]
        await self.postgres.rows(QUERIES.replace_aliases, namespace=namespace, rows=msgspec.json.encode(pairs).decode())

    async def nights(self) -> list[NamespaceNight]:
        """All namespaces, for the schedule of the night."""
        return [NamespaceNight(**row) for row in await self.postgres.rows(QUERIES.nights)]

    async def time_zone(self, namespace: str) -> str | None:
        """The time zone it has chosen."""
        row = await self.postgres.row(QUERIES.time_zone, namespace=namespace)
        return row["time_zone"] if row else None

    async def change_time_zone(self, namespace: str, time_zone: str | None) -> None:
        """Choose the time zone; None goes by the service's."""
        await self.postgres.rows(QUERIES.change_time_zone, namespace=namespace, time_zone=time_zone)

    async def languages(self) -> list[str]:
        """The languages keyword search can have."""
        return [row["name"] for row in await self.postgres.rows(QUERIES.languages)]

    async def change_language(self, namespace: str, text_search: str) -> bool:
        """Choose the language; False when the namespace already holds episodes of another."""
        return bool(await self.postgres.row(QUERIES.change_language, namespace=namespace, text_search=text_search))

    async def fold(self) -> int:
        """Fold the statistics of namespaces that have many deltas; how many namespaces."""
        crowded = await self.postgres.rows(QUERIES.crowded_statistics)
        for row in crowded:
            await self.postgres.rows(QUERIES.fold_statistics, namespace=row["namespace"])
        return len(crowded)
