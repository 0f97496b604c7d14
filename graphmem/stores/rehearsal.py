"""Temporary copies of a namespace's ledger and decisions, on which a run can be tried without changing anything.

On one connection of its own the copies stand in front of the tables: whatever is done through it is done to them, and
gone when it is closed. Nothing is locked meanwhile, and nobody else sees anything of it.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import psycopg
from psycopg.rows import dict_row

from graphmem.errors import PostgresUnavailableError
from graphmem.queries import sql
from graphmem.stores.postgres import OUTAGES, Connection, Postgres, Row, configure

QUERIES = sql(__file__)
Result = TypeVar("Result")


@dataclass(frozen=True)
class Rehearsal(Postgres):
    """One connection that has the copies; it is never replaced by another, which would not."""

    only: Connection

    async def run(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """What `work` gives on the connection."""
        try:
            return await work(self.only)
        except OUTAGES as error:
            raise PostgresUnavailableError("Postgres does not answer; try again shortly.") from error

    @asynccontextmanager
    async def connection(self) -> "AsyncGenerator[Connection]":
        """The connection."""
        yield self.only


@asynccontextmanager
async def rehearsal(postgres: Postgres, namespace: str) -> AsyncGenerator[Rehearsal]:
    """Copies of what a namespace has now, while the block runs."""
    try:
        connection = await psycopg.AsyncConnection[Row].connect(
            str(postgres.pool.conninfo), autocommit=True, row_factory=dict_row
        )
    except OUTAGES as error:
        raise PostgresUnavailableError("Postgres does not answer; try again shortly.") from error
    async with connection:
        await configure(connection)
        for statement in QUERIES.create_copies.split(";"):
            await connection.execute(statement)
        await connection.execute(QUERIES.fill_copies, {"namespace": namespace})
        await connection.execute(QUERIES.number_copies)
        yield Rehearsal(postgres.pool, connection)
