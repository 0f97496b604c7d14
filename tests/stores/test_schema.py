"""The schema: safe to run again, the same from every earlier version, and led by the namespace."""

import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from graphmem.errors import SettingsError
from graphmem.servers.postgres import installed_binaries
from graphmem.stores.schema import latest_version, migrate

pytestmark = pytest.mark.anyio
EARLIER = {file.stem: file.read_bytes() for file in sorted((Path(__file__).parent / "schemas").glob("*.sql"))}
AN_EPISODE = """
    with home as (insert into namespace (namespace) values ('n') returning namespace)
    insert into episode
        (namespace, id, content, origin, type, importance, occurred_at, created_at, metadata, facts, words)
    select namespace, 'kept', 'what was said', 'user', 'message', 'normal', now(), now(), '{}', '[]', '' from home
"""
UNLED = {"vector_space", "api_key", "schema_version"}


def dump(dsn: str) -> str:
    """The schema of a database as text."""
    command = [str(installed_binaries() / "pg_dump"), "--schema-only", "--no-owner", dsn]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return "\n".join(line for line in lines if not line.startswith(("\\restrict", "\\unrestrict", "--")))


@pytest.fixture
def empty_dsn(server_dsn: str) -> Iterator[str]:
    """A database with nothing in it."""
    name = f"empty_{uuid.uuid4().hex}"
    with psycopg.connect(server_dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
        yield server_dsn.replace("/graphmem?", f"/{name}?")
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


async def test_applying_it_twice_changes_nothing(dsn: str) -> None:
    before = dump(dsn)

    await migrate(dsn)

    assert dump(dsn) == before


@pytest.mark.parametrize("version", EARLIER)
async def test_every_earlier_schema_with_data_becomes_the_current_one(dsn: str, empty_dsn: str, version: str) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute(EARLIER[version])
        connection.execute(sql.SQL("insert into schema_version (version) values ({})").format(int(version)))
        connection.execute(AN_EPISODE)

    assert await migrate(empty_dsn) == latest_version()

    with psycopg.connect(empty_dsn) as connection:
        found = connection.execute("select content from episode where id = 'kept'").fetchall()
    assert found == [("what was said",)]
    assert dump(empty_dsn) == dump(dsn)


async def test_data_of_a_newer_graphmem_is_refused(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("insert into schema_version (version) values (9999)")

    with pytest.raises(SettingsError, match="newer graphmem"):
        await migrate(dsn)


def test_every_table_and_index_of_a_namespaces_data_leads_with_the_namespace(dsn: str) -> None:
    query = """
        select c.relname as table_name, i.relname as index_name,
            pg_get_indexdef(i.oid, 1, false) as leads, am.amname as kind
        from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
            join pg_am am on am.oid = i.relam
        where c.relnamespace = 'public'::regnamespace and c.relname not like 'procrastinate%'
    """
    with psycopg.connect(dsn) as connection:
        indexes = connection.execute(query.encode()).fetchall()
    led = [(table, index, leads) for table, index, leads, kind in indexes if table not in UNLED and kind == "btree"]

    assert [row for row in led if row[2] != "namespace"] == []
