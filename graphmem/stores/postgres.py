"""The connections to Postgres: one pool a process, its errors turned into ours."""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from graphmem.errors import PostgresUnavailableError
from graphmem.queries import sql

QUERIES = sql(__file__)
POOL_WAIT_SECONDS = 5.0
# The pauses between tries grow; after this long a request begins them anew, so that a server that is back is found.
RECONNECT_SECONDS = 3.0

Row: TypeAlias = dict[str, Any]
Connection: TypeAlias = psycopg.AsyncConnection[Row]
Result = TypeVar("Result")

# The server went away, or is not there yet: not the request's fault.
OUTAGES = (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout, PoolClosed)
# Two writers met; the same statement may succeed the next time.
COLLISIONS = (
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
    psycopg.errors.ForeignKeyViolation,
)
COLLISION_PAUSES_SECONDS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)


async def configure(connection: Connection) -> None:
    """Prepare a new connection of the pool, once, so that a search needs no SET of its own."""
    await register_vector_async(connection)
    for statement in QUERIES.configure.split(";"):
        await connection.execute(statement)


@dataclass(frozen=True)
class Postgres:
    """A pool of connections in autocommit mode, their time zone UTC."""

    pool: AsyncConnectionPool[Connection]

    @classmethod
    @asynccontextmanager
    async def open(cls, dsn: str, *, pool_size: int) -> "AsyncGenerator[Postgres]":
        """A pool that is open while the block runs; an absent server is no error until it is asked."""
        pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            dsn,
            min_size=1,
            max_size=pool_size,
            timeout=POOL_WAIT_SECONDS,
            kwargs={"autocommit": True, "row_factory": dict_row},
            configure=configure,
            open=False,
            reconnect_timeout=RECONNECT_SECONDS,
        )
        await pool.open()
        try:
            yield cls(pool)
        finally:
            await pool.close(timeout=2)

    async def run(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """What `work` gives on a connection; tried again when the connection was dead or two writers collided.

        The work must be safe to repeat: a read, or one transaction whose effect is the same the second time.
        """
        try:
            return await self.despite_collisions(work)
        except PoolTimeout as error:
            raise PostgresUnavailableError("Postgres does not answer; try again shortly.") from error
        except OUTAGES:
            await self.pool.check()
        try:
            return await self.despite_collisions(work)
        except OUTAGES as error:
            raise PostgresUnavailableError("Postgres does not answer; try again shortly.") from error

    async def despite_collisions(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """What `work` gives once no other writer is in its way; a pause of random length lets one of them go first."""
        for pause_seconds in COLLISION_PAUSES_SECONDS:
            try:
                async with self.pool.connection() as connection:
                    return await work(connection)
            except COLLISIONS:
                await asyncio.sleep(random.uniform(0, pause_seconds))  # noqa: S311 - not for a secret
        raise PostgresUnavailableError("Too many writers are in each other's way; try again shortly.")

    @asynccontextmanager
    async def connection(self) -> "AsyncGenerator[Connection]":
        """A connection of one's own while the block runs; an outage, also one inside the block, is ours."""
        try:
            async with self.pool.connection() as connection:
                yield connection
        except OUTAGES as error:
            raise PostgresUnavailableError("Postgres does not answer; try again shortly.") from error

    async def rows(self, query: Any, **parameters: Any) -> list[Row]:
        """All rows of one statement."""

        async def work(connection: Connection) -> list[Row]:
            cursor = await connection.execute(query, parameters)
            return await cursor.fetchall() if cursor.description else []

        return await self.run(work)

    async def row(self, query: Any, **parameters: Any) -> Row | None:
        """The first row of one statement, if there is one."""
        rows = await self.rows(query, **parameters)
        return rows[0] if rows else None

    async def answers(self) -> str | None:
        """Nothing when the server answers, otherwise why it does not."""
        try:
            await self.row(QUERIES.ping)
        except PostgresUnavailableError as error:
            return str(error)
        return None
