"""What a database holds as a whole, asked of any database: also of an empty one, or one that no service uses yet."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import psycopg
from msgspec import Struct
from psycopg.rows import dict_row

from graphmem.errors import PostgresUnavailableError
from graphmem.memory import new_id
from graphmem.queries import sql
from graphmem.stores.postgres import OUTAGES, Connection, Row
from graphmem.stores.schema import has_schema

QUERIES = sql(__file__)


class Contents(Struct, frozen=True):
    """Its namespaces, with those that are gone but for their graphs, and whether any is there."""

    namespaces: tuple[str, ...] = ()
    holds_data: bool = False


async def contents(dsn: str) -> Contents:
    """What the database holds; nothing where our schema was never applied."""
    async with connected(dsn) as connection:
        if not await has_schema(connection):
            return Contents()
        rows = await (await connection.execute(QUERIES.namespaces)).fetchall()
        return Contents(tuple(row["namespace"] for row in rows), any(row["holds_data"] for row in rows))


async def ask_to_rebuild(dsn: str, namespaces: Sequence[str]) -> None:
    """Ask the workers of the database to make the graphs of these again, should the one who asks die before."""
    async with connected(dsn) as connection:
        given = {"namespaces": list(namespaces), "ids": [new_id() for _ in namespaces]}
        await connection.execute(QUERIES.ask_to_rebuild, given)


@asynccontextmanager
async def connected(dsn: str) -> AsyncGenerator[Connection]:
    """A connection of one's own."""
    try:
        async with await psycopg.AsyncConnection[Row].connect(dsn, row_factory=dict_row) as connection:
            yield connection
    except OUTAGES as error:
        raise PostgresUnavailableError("Postgres does not answer: is it running, and is the address right?") from error
