"""The graph in Neo4j, in Graphiti's shapes; its errors turned into ours."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, LiteralString

import neo4j
import numpy as np
from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError, ServiceUnavailable, TransientError
from neo4j.vector import Vector
from pgvector import HalfVector

from graphmem.errors import GraphUnavailableError
from graphmem.ledger import episode_uuid, named_uuid
from graphmem.memory import Episode
from graphmem.queries import cypher
from graphmem.settings import Neo4j
from graphmem.stores.postgres import Row

DATABASE = "neo4j"

ROWS = 500
# A server that took a question and is silent for so long is away: nothing else ends the wait when its machine is gone.
MOST_SECONDS = 60.0
PING_SECONDS = 5.0
FOREVER = 2**53
NOTHING_ASKED = {
    **dict.fromkeys(("group_id", "lucene"), "nothing"),
    **{name: list[str]() for name in ("named", "entities", "facts", "episodes")},
    **dict.fromkeys(("limit", "depth", "fan_out", "hop", "touched", "walked", "most", "end_after"), 1),
    "known": datetime(2000, 1, 1, tzinfo=UTC),
    "valid": None,
    "fan_outs": [0, 0, 0],
    "vector": Vector.from_numpy(np.ones(1, np.float32)),
}
ENTITY_LABELS = frozenset({"Person", "Place", "Organisation", "Event", "Thing"})
SAVES = (
    *("save_entities", "save_facts", "save_episodes", "save_session_order"),
    *("save_synapses", "save_communities", "save_members"),
)
FACT_TIMES = ("valid_at", "invalid_at", "stated_invalid_at", "created_at", "expired_at")
SOURCES = {"user": "message", "assistant": "message", "tool": "json", "document": "text", "recalled": "text"}
OUTAGES = (ServiceUnavailable, TransientError, AuthError, DriverError)


@dataclass(frozen=True)
class GraphStore:
    """Reads and writes the graph of one Neo4j server."""

    driver: neo4j.AsyncDriver
    labels: frozenset[str] = ENTITY_LABELS
    prepared: set[str] = field(default_factory=set[str])
    preparing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Neo4j, *, labels: frozenset[str] = frozenset()) -> "AsyncGenerator[GraphStore]":
        """A driver that is open while the block runs; an absent server is no error until it is asked.

        Entities may have these labels besides ours.
        """
        logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)
        async with neo4j.AsyncGraphDatabase.driver(
            settings.uri,
            auth=(settings.user, settings.password),
            connection_timeout=3.0,
            connection_acquisition_timeout=5.0,
            max_transaction_retry_time=3.0,
            telemetry_disabled=True,
        ) as driver:
            yield cls(driver, ENTITY_LABELS | labels)

    async def run(self, query: LiteralString, **parameters: Any) -> list[dict[str, Any]]:
        """All records of one query, in a transaction of its own that Neo4j may retry."""
        try:
            async with asyncio.timeout(MOST_SECONDS):
                result = await self.driver.execute_query(query, parameters, database_=DATABASE)
        except (*OUTAGES, TimeoutError) as error:
            raise GraphUnavailableError(f"Neo4j does not answer ({type(error).__name__}).") from error
        return [record.data() for record in result.records]

    async def prepare(self) -> None:
        """Create our constraints and indexes and have the queries planned, once a process; safe to repeat."""
        async with self.preparing:
            if DATABASE in self.prepared:
                return
            for statement in cypher("schema").split(";"):
                if statement.strip():
                    await self.run(statement)
            # A cold server takes seconds for the first plan of each, which a caller should not have to wait for.
            for query in SAVES:
                await self.run(cypher(f"ingest/{query}"), group_id="", rows=[])
            for query in ("facts_near_question", "neighbourhood"):
                await self.run(cypher(f"recall/{query}"), **NOTHING_ASKED)
            self.prepared.add(DATABASE)

    async def answers(self) -> str | None:
        """Nothing when the server answers, otherwise why it does not."""
        try:
            async with asyncio.timeout(PING_SECONDS):
                await self.run(cypher("ping"))
        except GraphUnavailableError as error:
            return str(error)
        except TimeoutError:
            return f"Neo4j does not answer within {PING_SECONDS:g} s."
        except (ClientError, Neo4jError) as error:
            return f"Neo4j refuses ({error.code})."
        return None

    async def save_entities(self, namespace: str, rows: Sequence[Row]) -> None:
        """Write entities as the ledger has them."""
        await self.save("ingest/save_entities", namespace, [entity_properties(row, self.labels) for row in rows])

    async def save_facts(self, namespace: str, rows: Sequence[Row]) -> None:
        """Write facts as the ledger has them; their entities must be there."""
        await self.save("ingest/save_facts", namespace, [fact_properties(namespace, row) for row in rows])

    async def save_episodes(self, episodes: Sequence[Episode], links: Mapping[str, Row]) -> None:
        """Write episodes of one namespace with what they mention; the entities must be there."""
        rows = [episode_properties(episode, links.get(episode.id)) for episode in episodes]
        await self.save("ingest/save_episodes", episodes[0].namespace, rows)

    async def save_session_order(self, namespace: str, episodes: Collection[str], order: Sequence[Row]) -> None:
        """Link episodes to what was said next in their sessions; those that nothing follows lose their link."""
        follows = {row["id"]: row for row in order}
        rows = [link_properties(namespace, one, follows.get(one)) for one in sorted({*episodes, *follows})]
        await self.save("ingest/save_session_order", namespace, rows)

    async def save_synapses(self, namespace: str, rows: Sequence[Row]) -> None:
        """Tie what was recalled together; a tie whose ends are not both there is left out."""
        await self.save("ingest/save_synapses", namespace, [synapse_properties(namespace, row) for row in rows])

    async def save_communities(self, namespace: str, rows: Sequence[Row]) -> None:
        """Write communities as they are; their members are there, or follow."""
        await self.save("ingest/save_communities", namespace, [community_properties(row) for row in rows])
        members = [
            {"entity": entity, "community": row["id"], "created_at": row["created_at"]}
            for row in rows
            for entity in row["members"]
        ]
        await self.save_members(namespace, members)

    async def save_members(self, namespace: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Make entities members of their communities."""
        linked = [{**row, "uuid": named_uuid("member", row["community"], row["entity"])} for row in rows]
        await self.save("ingest/save_members", namespace, linked)

    async def save(self, query: str, namespace: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows, some hundreds a transaction."""
        for start in range(0, len(rows), ROWS):
            await self.run(cypher(query), group_id=namespace, rows=rows[start : start + ROWS])

    async def remove_entities(self, namespace: str, uuids: Collection[str]) -> None:
        """Take entities out, with all that hangs on them."""
        await self.run(cypher("ingest/remove_entities"), group_id=namespace, uuids=list(uuids))

    async def remove_facts(self, namespace: str, uuids: Collection[str]) -> None:
        """Take facts out; those that are not there do no harm."""
        await self.run(cypher("ingest/remove_facts"), group_id=namespace, uuids=list(uuids))

    async def remove_episodes(self, namespace: str, ids: Sequence[str]) -> None:
        """Take episodes out by their ids; those that are not there do no harm."""
        uuids = [episode_uuid(namespace, episode_id) for episode_id in ids]
        await self.run(cypher("ingest/remove_episodes"), group_id=namespace, uuids=uuids)

    async def remove_synapses(self, namespace: str, ends: Collection[str]) -> None:
        """Untie these, given as both ends with a blank between; those that are not tied do no harm."""
        uuids = [synapse_uuid(namespace, *one.split(" ")) for one in ends]
        await self.run(cypher("ingest/remove_synapses"), group_id=namespace, uuids=uuids)

    async def remove_communities(self, namespace: str, uuids: Collection[str]) -> None:
        """Take communities out; those that are not there do no harm."""
        await self.run(cypher("ingest/remove_communities"), group_id=namespace, uuids=list(uuids))

    async def empty(self, namespace: str) -> None:
        """Take everything of a namespace out."""
        try:
            async with self.driver.session(database=DATABASE) as session:
                await (await session.run(cypher("ingest/empty_namespace"), group_id=namespace)).consume()
        except OUTAGES as error:
            raise GraphUnavailableError(f"Neo4j does not answer ({type(error).__name__}).") from error

    async def count(self, namespace: str) -> int:
        """How many nodes of the namespace there are."""
        rows = await self.run(cypher("ingest/count_namespace"), group_id=namespace)
        return rows[0]["nodes"]


def entity_properties(row: Row, labels: frozenset[str]) -> dict[str, Any]:
    """An entity as the graph keeps it."""
    kind = str(row["type"] or "thing").capitalize()
    return {
        "uuid": row["id"],
        "name": row["name"],
        "labels": ["Entity", kind if kind in labels else "Thing"],
        "summary": row["summary"],
        "created_at": row["created_at"],
        "vector": as_vector(row["vector"]),
    }


def fact_properties(namespace: str, row: Row) -> dict[str, Any]:
    """A fact as the graph keeps it; `end` is a number, so that an index can compare it, `until` is its caption."""
    return {
        "uuid": row["id"],
        "source": row["source"],
        "target": row["target"],
        "name": row["relation"],
        "fact": row["fact"],
        "episodes": [episode_uuid(namespace, episode) for episode in row["episodes"]],
        "end": milliseconds(row["invalid_at"]) if row["invalid_at"] else FOREVER,
        "until": f"to {row['invalid_at'].astimezone(UTC):%Y-%m}" if row["invalid_at"] else None,
        "confirmed": milliseconds(row["confirmed_at"]),
        "retired_by": row["retired_by"],
        "vector": as_vector(row["vector"]),
    } | {name: row[name] for name in FACT_TIMES}


def episode_properties(episode: Episode, links: Row | None) -> dict[str, Any]:
    """An episode as the graph keeps it."""
    return {
        "uuid": episode_uuid(episode.namespace, episode.id),
        "id": episode.id,
        "name": episode.title or episode.id,
        "source": SOURCES[episode.origin],
        "source_description": episode.origin,
        "content": f"{episode.speaker}: {episode.content}" if episode.speaker else episode.content,
        "valid_at": episode.occurred_at,
        "created_at": episode.created_at,
        "entity_edges": links["facts"] if links else [],
        "mentions": links["entities"] if links else [],
    }


def link_properties(namespace: str, episode_id: str, follows: Row | None) -> dict[str, Any]:
    """The link from an episode to what was said next, if anything was."""
    uuid = episode_uuid(namespace, episode_id)
    if follows is None or follows["next"] is None:
        return {"source": uuid, "target": None, "uuid": None, "created_at": None}
    target = episode_uuid(namespace, follows["next"])
    link = named_uuid("next", uuid, target)
    return {"source": uuid, "target": target, "uuid": link, "created_at": follows["created_at"]}


def synapse_properties(namespace: str, row: Row) -> dict[str, Any]:
    """A synapse as the graph keeps it."""
    return {
        "uuid": synapse_uuid(namespace, row["one"], row["other"]),
        "one": node_uuid(namespace, row["one"]),
        "other": node_uuid(namespace, row["other"]),
        "weight": row["weight"],
        "at": milliseconds(row["at"]),
    }


def synapse_uuid(namespace: str, one: str, other: str) -> str:
    """A synapse's uuid in the graph."""
    return named_uuid("synapse", namespace, one, other)


def node_uuid(namespace: str, node: str) -> str:
    """The uuid in the graph of one end of a synapse."""
    kind, _, identity = node.partition("/")
    return identity if kind == "entity" else episode_uuid(namespace, identity)


def community_properties(row: Row) -> dict[str, Any]:
    """A community as the graph keeps it."""
    kept = {name: row[name] for name in ("name", "summary", "created_at", "members")}
    return kept | {"uuid": row["id"], "vector": as_vector(row["vector"])}


def milliseconds(moment: datetime) -> int:
    """A time as a number that an index can compare."""
    return round(moment.timestamp() * 1000)


def as_vector(vector: HalfVector | None) -> Vector | None:
    """A stored vector in the form that travels best."""
    return None if vector is None else Vector.from_numpy(vector.to_numpy().astype(np.float32))
