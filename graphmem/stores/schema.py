"""Brings a Postgres database to the current schema."""

import re
from pathlib import Path

import psycopg
from procrastinate.schema import SchemaManager
from psycopg.rows import dict_row

from graphmem.errors import PostgresUnavailableError, SettingsError
from graphmem.queries import project_file, sql
from graphmem.stores.postgres import OUTAGES, Connection, Row

QUERIES = sql(__file__)
NUMBERED = re.compile(r"^(\d{3})_\w+\.sql$")
FIRST_VERSION = 1


def migrations() -> list[tuple[int, Path]]:
    """The migration files by their number."""
    files = project_file("migrations").glob("*.sql")
    return sorted((int(match[1]), file) for file in files if (match := NUMBERED.match(file.name)))


def latest_version() -> int:
    """The version `schema.sql` is at."""
    return max([FIRST_VERSION, *(number for number, _ in migrations())])


async def migrate(dsn: str) -> int:
    """Apply the schema, or what is missing of it, in one transaction; the version the data is at afterwards."""
    try:
        async with await psycopg.AsyncConnection[Row].connect(dsn, row_factory=dict_row) as connection:
            await connection.execute(QUERIES.lock)
            await apply(connection)
            return latest_version()
    except psycopg.errors.UndefinedFile as error:
        raise SettingsError(
            "This Postgres has no pgvector: install the extension `vector`, or let graphmem run its own Postgres."
        ) from error
    except OUTAGES as error:
        raise PostgresUnavailableError("Postgres does not answer: is it running, and is the address right?") from error


async def apply(connection: Connection) -> None:
    """Bring an empty database to the whole schema, and an older one there step by step."""
    if not await has_schema(connection):
        await run_script(connection, project_file("schema.sql").read_text(encoding="utf-8"))
        version = latest_version()
        await connection.execute(QUERIES.set_version, {"version": version})
    else:
        await upgrade(connection)
    if not await truth(connection, QUERIES.has_queue):
        await run_script(connection, SchemaManager.get_schema())


async def has_schema(connection: Connection) -> bool:
    """Whether the schema was ever applied to this database."""
    return await truth(connection, QUERIES.has_schema)


async def upgrade(connection: Connection) -> None:
    """Run the migrations the data has not seen, then the whole schema again for its functions and comments."""
    cursor = await connection.execute(QUERIES.version)
    row = await cursor.fetchone()
    version = row["version"] if row else 0
    if version > latest_version():
        raise SettingsError(
            f"The data was written by a newer graphmem (schema {version}): install that one or a later."
        )
    for number, file in migrations():
        if number > version:
            await run_script(connection, file.read_text(encoding="utf-8"))
            await connection.execute(QUERIES.set_version, {"version": number})
    await run_script(connection, project_file("schema.sql").read_text(encoding="utf-8"))


async def run_script(connection: Connection, script: str) -> None:
    """Execute a file of statements; without parameters, so a `%` in it is only a `%`."""
    await connection.execute(script.encode())


async def truth(connection: Connection, query: str, **parameters: object) -> bool:
    """The `applied` of a one-row query."""
    cursor = await connection.execute(query.encode(), parameters or None)
    row = await cursor.fetchone()
    return bool(row and row["applied"])
