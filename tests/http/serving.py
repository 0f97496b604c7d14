"""The real application behind a real socket, in the event loop of the tests."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpx
import msgspec
import psycopg
import uvicorn
from litestar import Litestar
from psycopg import sql

from graphmem import settings as settings_module
from graphmem.http.app import application
from graphmem.memory import Role
from graphmem.service import Service
from graphmem.settings import Settings

TEMPLATE = "template_graphmem"


@dataclass(frozen=True)
class Running:
    """A server that answers, and the service inside it."""

    url: str
    app: Litestar
    settings: Settings

    @property
    def service(self) -> Service:
        return self.app.state.service

    @property
    def dsn(self) -> str:
        return self.settings.postgres.dsn

    async def secret(self, role: Role, namespaces: Sequence[str]) -> str:
        """A new key."""
        return (await self.service.keys.create(role=role, namespaces=namespaces, name="test"))[1]

    @asynccontextmanager
    async def caller(self, role: Role = "admin", *namespaces: str) -> AsyncIterator[httpx.AsyncClient]:
        """A client with a key of its own; without namespaces it reaches all."""
        async with self.client(await self.secret(role, namespaces or ("*",))) as client:
            yield client

    def client(self, secret: str | None = None) -> httpx.AsyncClient:
        """A client with that key, or with none."""
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        limits = httpx.Limits(max_connections=100)
        return httpx.AsyncClient(
            base_url=self.url, headers=headers, timeout=60, verify=False, trust_env=False, limits=limits
        )


class Server(uvicorn.Server):
    """Uvicorn that leaves the signals to pytest."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Running]:
    """The application on a free port of the loopback, while the block runs."""
    app = application(settings)
    config = uvicorn.Config(
        app, port=0, http="httptools", ws="none", lifespan="on", log_config=None, access_log=False,
        server_header=False, timeout_graceful_shutdown=5,
    )  # fmt: skip
    server = Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.wait([task], timeout=0.01)
        assert not task.done(), "the server ended instead of starting"
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Running(f"http://127.0.0.1:{port}", app, settings)
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await task


@contextmanager
def a_database(server_dsn: str) -> Iterator[str]:
    """The address of a database of its own, while the block runs."""
    name = sql.Identifier(f"http_{uuid.uuid4().hex}")
    with psycopg.connect(server_dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {} template {}").format(name, sql.Identifier(TEMPLATE)))
        yield server_dsn.replace("/graphmem?", f"/{name.as_string().strip(chr(34))}?")
        connection.execute(sql.SQL("drop database {} with (force)").format(name))


def settings_for(dsn: str, **groups: msgspec.Struct) -> Settings:
    """Postgres there and no graph; other groups as given."""
    base = settings_module.load({})
    postgres = settings_module.Postgres(dsn=dsn, pool_size=8)
    return msgspec.structs.replace(base, postgres=postgres, **groups)
