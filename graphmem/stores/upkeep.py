"""What was left undone in Postgres: episodes nobody read, vectors nobody made; and asking for it again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphmem.memory import new_id
from graphmem.queries import sql
from graphmem.stores.ledger import LedgerStore
from graphmem.stores.postgres import Connection, Postgres

QUERIES = sql(__file__)


class Undone(NamedTuple):
    """Work of an episode that is not done and that nobody will do; `error` says why, if it was tried."""

    kind: str
    episode: str
    error: str | None


@dataclass(frozen=True)
class UpkeepStore:
    """Finds it and asks for it, of one namespace at a time."""

    postgres: Postgres
    ledger: LedgerStore

    async def undone(self, namespace: str, *, after: str, limit: int, vectors: bool) -> list[Undone]:
        """Work that is dead or was never asked for, by episode; of vectors only where they can be made."""
        rows = await self.postgres.rows(
            QUERIES.undone, namespace=namespace, after_id=after, limit=limit, embeds=vectors
        )
        return [Undone(**row) for row in rows]

    async def ask_again(self, namespace: str, work: Sequence[Undone]) -> None:
        """Have it done, with all its tries before it."""
        given = {"kinds": [one.kind for one in work], "episodes": [one.episode for one in work], "job": new_id()}
        await self.postgres.rows(QUERIES.ask_again, namespace=namespace, **given)

    async def facts_without_vectors(self, namespace: str, *, after: str | None, limit: int) -> dict[str, str]:
        """Facts that lack a vector, with their text, by id."""
        rows = await self.postgres.rows(QUERIES.facts_without_vectors, namespace=namespace, after=after, limit=limit)
        return {row["id"]: row["fact"] for row in rows}

    async def add_fact_vectors(self, namespace: str, vectors: Mapping[str, str]) -> None:
        """Give facts vectors that lack them, and have the graph show them."""

        async def work(connection: Connection) -> None:
            async with connection.transaction():
                await self.ledger.lock(connection, namespace)
                given = {"namespace": namespace, "uuids": list(vectors), "texts": list(vectors.values())}
                await connection.execute(QUERIES.add_fact_vectors, given)
                await self.ledger.mark(connection, namespace, {("fact", one) for one in vectors})

        await self.postgres.run(work)

    async def counts(self, namespace: str) -> dict[str, int]:
        """How many entities, facts and episodes the graph is to show."""
        return await self.postgres.row(QUERIES.counts, namespace=namespace) or {}

    async def ids(self, namespace: str, kind: str, *, after: str, limit: int) -> list[str]:
        """Ids of things that the graph is to show and that are not marked, in order."""
        rows = await self.postgres.rows(QUERIES.ids, namespace=namespace, kind=kind, after_id=after, limit=limit)
        return [row["id"] for row in rows]

    async def unknown(self, namespace: str, kinds: Sequence[str], ids: Sequence[str]) -> set[tuple[str, str]]:
        """Those of the things that the graph is not to show, and that are not marked."""
        rows = await self.postgres.rows(QUERIES.unknown, namespace=namespace, kinds=list(kinds), ids=list(ids))
        return {(row["kind"], row["id"]) for row in rows}

    async def mark(self, namespace: str, things: set[tuple[str, str]]) -> None:
        """Have the graph show these as they are."""

        async def work(connection: Connection) -> None:
            async with connection.transaction():
                await self.ledger.lock(connection, namespace)
                await self.ledger.mark(connection, namespace, things)

        await self.postgres.run(work)
