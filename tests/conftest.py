"""Real servers for the whole run: one Postgres, one Neo4j, a database of its own for each test."""

import asyncio
import contextlib
import json
import os
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import psycopg
import pytest
from psycopg import sql

from graphmem import settings as settings_module
from graphmem.errors import GraphUnavailableError
from graphmem.servers.artifacts import neo4j_jars
from graphmem.servers.neo4j import EmbeddedNeo4j
from graphmem.servers.postgres import EmbeddedPostgres
from graphmem.service import Service, open_service
from graphmem.settings import Settings
from graphmem.stores.schema import migrate

FOLDER = "GRAPHMEM_TEST_FOLDER"
TEMPLATE = "template_graphmem"
API = "http://127.0.0.1:8321"


@dataclass
class Servers:
    """What the first process of a test run starts, and ends."""

    folder: Path
    postgres: EmbeddedPostgres
    neo4j: EmbeddedNeo4j | None = None
    stopping: threading.Event = field(default_factory=threading.Event)
    starter: threading.Thread | None = None

    def start(self) -> None:
        dsn = asyncio.run(self.postgres.start())
        (self.folder / "postgres.dsn").write_text(dsn)
        template = with_database(dsn, TEMPLATE)
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(TEMPLATE)))
        asyncio.run(migrate(template))
        self.starter = threading.Thread(target=self.start_neo4j_when_wanted, daemon=True)
        self.starter.start()

    def start_neo4j_when_wanted(self) -> None:
        """Java takes ten seconds and a gigabyte: not for a run that needs no graph."""
        while not (self.folder / "neo4j.wanted").exists():
            if self.stopping.wait(0.1):
                return
        with contextlib.suppress(GraphUnavailableError):
            self.start_neo4j()

    def start_neo4j(self) -> None:
        jars = asyncio.run(neo4j_jars(Path(settings_module.load({}).cache_dir)))
        self.neo4j = EmbeddedNeo4j(self.folder / "neo4j", jars, flags=("-XX:TieredStopAtLevel=1",), api=API)
        uri = asyncio.run(self.neo4j.start())
        ready = {"uri": uri, "password": self.neo4j.password}
        (self.folder / "neo4j.ready").write_text(json.dumps(ready))
        (self.folder / "neo4j.ready").rename(self.folder / "neo4j.json")

    def stop(self) -> None:
        self.stopping.set()
        if self.starter is not None:
            self.starter.join()
        if self.neo4j is not None:
            self.neo4j.hurry()
        self.postgres.hurry()
        asyncio.run(self.postgres.ended())
        shutil.rmtree(self.folder, ignore_errors=True)


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    folder = Path(tempfile.mkdtemp(prefix="graphmem-test-"))
    os.environ[FOLDER] = str(folder)
    config.stash[SERVERS] = Servers(folder, EmbeddedPostgres(folder / "postgres"))
    config.stash[SERVERS].start()


def pytest_unconfigure(config: pytest.Config) -> None:
    if SERVERS in config.stash:
        config.stash[SERVERS].stop()


SERVERS = pytest.StashKey[Servers]()


def with_database(dsn: str, name: str) -> str:
    """The same server, another database."""
    return dsn.replace("/graphmem?", f"/{name}?")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server_dsn() -> str:
    return (Path(os.environ[FOLDER]) / "postgres.dsn").read_text()


@pytest.fixture
def dsn(server_dsn: str) -> "AsyncIterator[str]":
    """A database of its own, made from the schema's template in some 30 ms."""
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server_dsn, autocommit=True) as connection:
        connection.execute(
            sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(TEMPLATE))
        )
    yield with_database(server_dsn, name)
    with psycopg.connect(server_dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def neo4j_settings() -> settings_module.Neo4j:
    """The one Neo4j; tests keep apart by their namespaces."""
    ready = Path(os.environ[FOLDER]) / "neo4j.json"
    ready.with_suffix(".wanted").touch()
    deadline = time.monotonic() + 240
    while not ready.exists():
        assert time.monotonic() < deadline, "Neo4j did not start"
        time.sleep(0.1)
    return settings_module.Neo4j(**json.loads(ready.read_text()))


@pytest.fixture
def namespace() -> str:
    """A namespace no other test has."""
    return f"t_{uuid.uuid4().hex[:16]}"


@pytest.fixture
def settings(dsn: str) -> Settings:
    """Postgres and the local embedder, no graph."""
    base = settings_module.load({})
    return msgspec.structs.replace(base, postgres=msgspec.structs.replace(base.postgres, dsn=dsn, pool_size=6))


@pytest.fixture
async def service(settings: Settings) -> AsyncIterator[Service]:
    """A service on a database of its own, without the graph."""
    async with open_service(settings) as opened:
        await opened.claim_vectors()
        yield opened
