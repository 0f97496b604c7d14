"""One server for all tests of the API; they keep apart by their namespaces, which also proves isolation."""

from collections.abc import AsyncIterator

import httpx
import pytest

from graphmem.settings import Embedder
from tests.http.serving import Running, a_database, serving, settings_for


@pytest.fixture(scope="session")
async def server(server_dsn: str, anyio_backend: str) -> AsyncIterator[Running]:
    """A server on a database of its own, with the local embedder and no graph."""
    with a_database(server_dsn) as dsn:
        async with serving(settings_for(dsn)) as running:
            yield running


@pytest.fixture(scope="session")
async def plain_server(server_dsn: str, anyio_backend: str) -> AsyncIterator[Running]:
    """A server without an embedder, for tests that write much."""
    with a_database(server_dsn) as dsn:
        async with serving(settings_for(dsn, embedder=Embedder(kind="none"))) as running:
            yield running


@pytest.fixture
async def plain(plain_server: Running, namespace: str) -> AsyncIterator[httpx.AsyncClient]:
    """An admin of a fresh namespace on the server without an embedder."""
    async with plain_server.caller("admin", namespace) as client:
        yield client


@pytest.fixture(scope="session")
async def root(server: Running) -> AsyncIterator[httpx.AsyncClient]:
    """A caller whose key reaches everything."""
    async with server.caller("admin") as client:
        yield client


@pytest.fixture
async def api(server: Running, namespace: str) -> AsyncIterator[httpx.AsyncClient]:
    """An admin of a fresh namespace, which needs no naming: it is the key's only one."""
    async with server.caller("admin", namespace) as client:
        yield client
