"""`graphmem up`: run the whole service here."""

import asyncio

import click

from graphmem import settings
from graphmem.servers.terminal import Terminal
from graphmem.servers.up import up


@click.command
def command() -> None:
    """Run the whole service here: Postgres, Neo4j, the API and a worker, until Ctrl-C.

    A database is left out when its address is set (GRAPHMEM_POSTGRES__DSN, GRAPHMEM_NEO4J__URI). Data, logs and
    secrets are kept in GRAPHMEM_DATA_DIR.
    """
    asyncio.run(up(settings.load(), Terminal()))
