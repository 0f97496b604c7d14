"""Fills namespaces through the service's own insert, with vectors at hand: the same rows in a fraction of the time."""

import asyncio
from collections.abc import Sequence

import numpy as np
import psycopg
from rich.progress import Progress

from benchmarks.made_up import MadeUp
from graphmem.memory import Episode, new_id
from graphmem.settings import load
from graphmem.stores.episodes import EpisodeStore, Vectors, WriteJobs
from graphmem.stores.postgres import Connection, Postgres

BATCH = 500
WRITERS = 2


async def fill(dsn: str, made_up: MadeUp, sizes: dict[str, int], bar: Progress) -> None:
    """Bring namespaces to their sizes."""
    task = bar.add_task("filling", total=sum(sizes.values()))
    async with Postgres.open(dsn, pool_size=WRITERS) as postgres:
        batches = ((name, start) for name, size in sizes.items() for start in range(0, size, BATCH))

        async def write() -> None:
            for namespace, start in batches:
                count = min(BATCH, sizes[namespace] - start)
                await insert(postgres, *made_up.episodes(namespace, start, count))
                bar.advance(task, count)

        await asyncio.gather(*(write() for _ in range(WRITERS)))


async def insert(postgres: Postgres, episodes: Sequence[Episode], vectors: np.ndarray) -> None:
    """One batch, as the write path stores it once it is embedded."""
    named = Vectors(load().embedder.model, [episode.id for episode in episodes], vectors, [False] * len(episodes))

    async def work(connection: Connection) -> dict[str, bool]:
        async with connection.transaction():
            jobs = WriteJobs(extract=new_id(), embed=new_id())
            return await EpisodeStore(postgres).insert(connection, episodes, named, jobs=jobs)

    stored = await postgres.run(work)
    assert len(stored) == len(episodes)
    assert all(stored.values()), "vectors were not taken: is the model another one?"


def tidy(dsn: str) -> None:
    """What autovacuum does after a while."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")
