"""Fills namespaces with rows of their own, in both stores: what extraction would leave, in a fraction of the time.

Each block is written whole or not at all into Postgres, then into the graph, and noted; run again, it goes on.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import psycopg
from rich.progress import Progress, TaskID

from benchmarks.made_up import BLOCK, Block, MadeUp, Row
from graphmem.errors import GraphUnavailableError
from graphmem.memory import new_id
from graphmem.settings import load
from graphmem.stores.episodes import EpisodeStore, Vectors, WriteJobs
from graphmem.stores.graph import GraphStore
from graphmem.stores.postgres import Connection, Postgres

WRITERS = 2
PAUSES_SECONDS = (1, 5, 20)
Places: TypeAlias = Iterator[tuple[str, int]]
Save: TypeAlias = Callable[[Block], Awaitable[None]]
ENTITIES = """
    with given as (
        select * from jsonb_to_recordset(%(facts)s::jsonb) as row(
            id uuid, episode text, source uuid, source_name text, target uuid, target_name text, relation text,
            fact text, valid_at timestamptz, invalid_at timestamptz, created_at timestamptz, expired_at timestamptz,
            confirmed_at timestamptz, vector text
        )
    ),
    ends as (
        select distinct on (episode, id) episode, id, name, created_at from (
            select episode, source, source_name, created_at from given
            union all select episode, target, target_name, created_at from given
        ) as either(episode, id, name, created_at)
    ),
    people as (
        insert into entity (namespace, id, name, type, created_at)
        select distinct on (id) %(namespace)s, id, name, 'thing', created_at from ends order by id
        on conflict do nothing
    ),
    named as (
        insert into mention (namespace, episode, entity, name, type, created_at, named)
        select %(namespace)s, episode, id, name, 'thing', created_at, id from ends
        on conflict do nothing
    ),
    said as (
        insert into statement (namespace, id, episode, source, relation, target, text, valid_at, invalid_at, ends,
            origin, fact, created_at, named_source, named_target)
        select %(namespace)s, id, episode, source, relation, target, fact, valid_at, invalid_at, false, 'local',
            id, created_at, source, target
        from given
        on conflict do nothing
    )
    insert into fact (namespace, id, source, relation, target, fact, valid_at, invalid_at, created_at, expired_at,
        confirmed_at, origin, vector, space)
    select %(namespace)s, id, source, relation, target, fact, valid_at, invalid_at, created_at, expired_at,
        confirmed_at, 'local', vector::halfvec, (select space from vector_space where active)
    from given
    on conflict do nothing
"""
DONE = "update job set state = 'done', finished_at = now() where namespace = %(namespace)s and id = %(id)s::uuid"


@dataclass(frozen=True)
class Filling:
    """Writes blocks; `notes` says which are written."""

    postgres: Postgres
    graph: GraphStore
    made_up: MadeUp
    notes: Path

    async def fill(self, sizes: dict[str, int], bar: Progress) -> None:
        """Bring namespaces to their sizes, first in Postgres, then in the graph."""
        written = set(json.loads(self.notes.read_text())) if self.notes.exists() else set[str]()
        wanted = [(name, number) for name, size in sizes.items() for number in range(-(-size // BLOCK))]
        stores = {"Postgres": self.insert, "graph": self.project}
        if any(note(store, *place) not in written for store in stores for place in wanted):
            await self.without_vector_indexes()
        for store, save in stores.items():
            missing = [place for place in wanted if note(store, *place) not in written]
            waiting = iter(missing)
            task = bar.add_task(f"filling {store}", total=len(missing))

            async def write(
                store: str = store, save: Save = save, waiting: Places = waiting, task: TaskID = task
            ) -> None:
                for name, number in waiting:
                    await save(await asyncio.to_thread(self.made_up.block, name, number, of=sizes[name]))
                    written.add(note(store, name, number))
                    self.notes.write_text(json.dumps(sorted(written)))
                    bar.advance(task)

            await asyncio.gather(*(write() for _ in range(WRITERS)))

    async def without_vector_indexes(self) -> None:
        """Make them at the end: all at once is quicker than row by row."""
        await self.postgres.rows("drop index if exists embedding_vector")
        await self.graph.run("DROP INDEX gm_fact_vector IF EXISTS")

    async def insert(self, block: Block) -> None:
        """One block into Postgres."""
        await self.postgres.run(lambda connection: insert(connection, self.postgres, block))

    async def project(self, block: Block) -> None:
        """One block into the graph; two blocks may be in each other's way, and to write one again changes nothing."""
        for pause_seconds in PAUSES_SECONDS:
            try:
                await project(self.graph, block)
            except GraphUnavailableError:
                await asyncio.sleep(pause_seconds)
            else:
                return
        await project(self.graph, block)


def note(store: str, name: str, number: int) -> str:
    """What says that a block is in a store."""
    return f"{store}/{name}/{number}"


async def insert(connection: Connection, postgres: Postgres, block: Block) -> None:
    """As the write path stores episodes once they are embedded, and a worker what it reads in them."""
    namespace, job = block.episodes[0].namespace, new_id()
    model = load().embedder.model
    vectors = Vectors(model, [one.id for one in block.episodes], block.vectors, [False] * len(block.episodes))
    async with connection.transaction():
        stored = await EpisodeStore(postgres).insert(
            connection, block.episodes, vectors, jobs=WriteJobs(extract=job, embed=job)
        )
        assert all(stored.values()), "vectors were not taken: is the model another one?"
        await connection.execute(DONE, {"namespace": namespace, "id": job})
        await connection.execute(ENTITIES, {"namespace": namespace, "facts": as_json(block.facts)})


async def project(graph: GraphStore, block: Block) -> None:
    """As the projection shows it in the graph."""
    namespace = block.episodes[0].namespace
    names = {fact[end]: fact[f"{end}_name"] for fact in block.facts for end in ("source", "target")}
    created = block.episodes[0].created_at
    entities = [
        {"id": one, "name": name, "type": "thing", "summary": "", "created_at": created, "vector": None}
        for one, name in sorted(names.items())
    ]
    links: dict[str, Row] = {episode.id: {"facts": [], "entities": []} for episode in block.episodes}
    for fact in block.facts:
        link = links[fact["episode"]]
        link["facts"].append(fact["id"])
        link["entities"] = sorted({*link["entities"], fact["source"], fact["target"]})
    order = [
        {"id": one.id, "next": after.id if after.session == one.session else None, "created_at": after.created_at}
        for one, after in zip(block.episodes, block.episodes[1:], strict=False)
    ]
    await graph.save_entities(namespace, entities)
    await graph.save_facts(namespace, block.facts)
    await graph.save_episodes(block.episodes, links)
    await graph.save_session_order(namespace, [], order)


def as_json(facts: Sequence[Row]) -> str:
    """Rows as Postgres reads them."""

    def plain(value: Any) -> Any:
        return str(value.to_text())

    return msgspec.json.encode(facts, enc_hook=plain).decode()


def tidy(dsn: str) -> None:
    """What autovacuum does after a while."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")
