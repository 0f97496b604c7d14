"""The graph in Neo4j, in Graphiti's shapes; its errors turned into ours."""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, LiteralString

import neo4j
from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError, ServiceUnavailable, TransientError

from graphmem.errors import GraphUnavailableError
from graphmem.ledger import episode_uuid
from graphmem.memory import Episode
from graphmem.queries import cypher
from graphmem.settings import Neo4j

DATABASE = "neo4j"

SOURCES = {"user": "message", "assistant": "message", "tool": "json", "document": "text", "recalled": "text"}
OUTAGES = (ServiceUnavailable, TransientError, AuthError, DriverError)


@dataclass(frozen=True)
class GraphStore:
    """Reads and writes the graph of one Neo4j server."""

    driver: neo4j.AsyncDriver
    prepared: set[str] = field(default_factory=set[str])

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Neo4j) -> "AsyncGenerator[GraphStore]":
        """A driver that is open while the block runs; an absent server is no error until it is asked."""
        logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)
        async with neo4j.AsyncGraphDatabase.driver(
            settings.uri,
            auth=(settings.user, settings.password),
            connection_timeout=3.0,
            connection_acquisition_timeout=5.0,
            max_transaction_retry_time=3.0,
            telemetry_disabled=True,
        ) as driver:
            yield cls(driver)

    async def run(self, query: LiteralString, **parameters: Any) -> list[dict[str, Any]]:
        """All records of one query, in a transaction of its own that Neo4j may retry."""
        try:
            result = await self.driver.execute_query(query, parameters, database_=DATABASE)
        except OUTAGES as error:
            raise GraphUnavailableError(f"Neo4j does not answer ({type(error).__name__}).") from error
        return [record.data() for record in result.records]

    async def prepare(self) -> None:
        """Create our constraints and indexes, once a process; safe to repeat."""
        if DATABASE in self.prepared:
            return
        for statement in cypher("schema").split(";"):
            if statement.strip():
                await self.run(statement)
        self.prepared.add(DATABASE)

    async def answers(self) -> str | None:
        """Nothing when the server answers, otherwise why it does not."""
        try:
            await self.run(cypher("ping"))
        except GraphUnavailableError as error:
            return str(error)
        except (ClientError, Neo4jError) as error:
            return f"Neo4j refuses ({error.code})."
        return None

    async def save_episodes(self, episodes: Sequence[Episode]) -> None:
        """Write episodes of one namespace; writing them again changes nothing."""
        rows = [
            {
                "uuid": episode_uuid(episode.namespace, episode.id),
                "name": episode.title or episode.id,
                "source": SOURCES[episode.origin],
                "source_description": episode.origin,
                "content": f"{episode.speaker}: {episode.content}" if episode.speaker else episode.content,
                "valid_at": episode.occurred_at,
                "created_at": episode.created_at,
            }
            for episode in episodes
        ]
        await self.run(cypher("ingest/save_episodes"), group_id=episodes[0].namespace, rows=rows)

    async def remove_episodes(self, namespace: str, ids: Sequence[str]) -> None:
        """Take episodes out by their ids; those that are not there do no harm."""
        uuids = [episode_uuid(namespace, episode_id) for episode_id in ids]
        await self.run(cypher("ingest/remove_episodes"), group_id=namespace, uuids=uuids)

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
