"""Backups of the database: a dump of `pg_dump`, and a database made from one that takes the place of what is there.

What a dump becomes is made beside the database, brought to our schema, and takes its place in one transaction: whatever
fails before leaves everything as it was.
"""

import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from graphmem.errors import PostgresUnavailableError, SettingsError
from graphmem.servers.client_programs import program, reaching, run, server_version
from graphmem.stores.schema import latest_version

Watch = Callable[[int, int], None]

FORMAT = b"PGDMP"
OURS = ("schema_version", "episode", "namespace")
# Wake-ups are hints; those of long ago would only wake workers for nothing.
LEFT_OUT = "procrastinate_*"
VERSION_ROW = re.compile(r"^(\d+)\t", re.MULTILINE)
JOBS = 2


async def backup(dsn: str, file: Path, watch: Watch) -> None:
    """Write everything the database holds at this moment into a file, which is there whole or not at all."""
    dump = program("pg_dump", at_least=await server_version(dsn))
    address, environment = reaching(dsn)
    unfinished = file.with_name(f"{file.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        words = (dump, "--format=custom", "--no-owner", "--no-privileges", "--verbose")
        more = (f"--exclude-table-data={LEFT_OUT}", f"--file={unfinished}", f"--dbname={address}")
        await run((*words, *more), environment, counted("dumping contents of table", len(OURS), watch))
        await version_in(unfinished)
        flushed(unfinished)
        unfinished.replace(file)
    except OSError as error:
        raise SettingsError(f"{file} cannot be written ({error.strerror}).") from error
    finally:
        unfinished.unlink(missing_ok=True)


def flushed(file: Path) -> None:
    """Have it on disk."""
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())


def counted(words: str, least: int, watch: Watch) -> Callable[[str], None]:
    """What hears the lines of a program and tells how many had these words, of at least so many."""
    seen = 0

    def hear(line: str) -> None:
        nonlocal seen
        if words in line:
            seen += 1
            watch(seen, max(seen, least))

    return hear


async def version_in(file: Path) -> int:
    """The schema version of a backup; refused when it is none of ours, or newer than we know."""
    try:
        with file.open("rb") as opened:
            begins = opened.read(len(FORMAT))
    except OSError as error:
        raise SettingsError(f"{file} cannot be read ({error.strerror}).") from error
    restore = program("pg_restore", at_least=1)
    listed = await run((restore, "--list", file), dict(os.environ)) if begins == FORMAT else ""
    if not all(f"TABLE public {table} " in listed for table in OURS):
        raise SettingsError(f"{file} is not a backup of graphmem: `graphmem backup` writes one.")
    rows = await run((restore, "--data-only", "--table=schema_version", "--file=-", file), dict(os.environ))
    version = max([int(row) for row in VERSION_ROW.findall(rows)], default=0)
    if version > latest_version():
        raise SettingsError(
            f"{file} was written by a newer graphmem (schema {version}, this one knows {latest_version()}): "
            "install that one or a later."
        )
    return version


@asynccontextmanager
async def restored(dsn: str, file: Path, watch: Watch) -> AsyncGenerator[str]:
    """The address of a database made from a backup, beside ours; gone after the block unless it took our place."""
    restore = program("pg_restore", at_least=await server_version(dsn))
    name = f"{database_of(dsn)}_restoring"
    beside = make_conninfo(dsn, dbname=name)
    entries = (await run((restore, "--list", file), dict(os.environ))).count(" TABLE DATA ")
    await drop(dsn, name)
    try:
        await make(dsn, name)
        address, environment = reaching(beside)
        words = (restore, "--no-owner", "--no-privileges", "--exit-on-error", "--verbose", f"--jobs={JOBS}")
        hear = counted("finished item", entries, watch)
        await run((*words, f"--dbname={address}", file), environment, hear)
        yield beside
    finally:
        await drop(dsn, name)


async def take_place(dsn: str) -> None:
    """Put the restored database in the place of ours, from one moment to the next, and drop what was there."""
    ours, new, old = (sql.Identifier(f"{database_of(dsn)}{end}") for end in ("", "_restoring", "_replaced"))
    await drop(dsn, f"{database_of(dsn)}_replaced")
    async with maintenance(dsn) as connection:
        await connection.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(ours))
        try:
            await connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ANY(%s)",
                [[database_of(dsn), f"{database_of(dsn)}_restoring"]],
            )
            async with connection.transaction():
                await connection.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(ours, old))
                await connection.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(new, ours))
        finally:
            # After the exchange this is the new one, which was open all along.
            await connection.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(ours))
    await drop(dsn, f"{database_of(dsn)}_replaced")


def database_of(dsn: str) -> str:
    """The name of our database."""
    parts = conninfo_to_dict(dsn)
    return str(parts.get("dbname") or parts.get("user") or "postgres")


async def make(dsn: str, name: str) -> None:
    """Make an empty database that orders text as ours does."""
    locale = "ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'"
    async with maintenance(dsn) as connection:
        query = sql.SQL("CREATE DATABASE {} TEMPLATE template0 " + locale)
        await connection.execute(query.format(sql.Identifier(name)))


async def drop(dsn: str, name: str) -> None:
    """Drop a database that is not ours any more, or not yet."""
    async with maintenance(dsn) as connection:
        await connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@asynccontextmanager
async def maintenance(dsn: str) -> AsyncGenerator[psycopg.AsyncConnection]:
    """A connection to the same server that stands beside our database."""
    address = make_conninfo(dsn, dbname="postgres")
    try:
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
            yield connection
    except psycopg.errors.InsufficientPrivilege as error:
        raise SettingsError("The role of GRAPHMEM_POSTGRES__DSN may not make databases: give it CREATEDB.") from error
    except psycopg.OperationalError as error:
        raise PostgresUnavailableError(f"Postgres does not answer, or is in use: {error}") from error
