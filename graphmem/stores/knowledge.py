"""Reading what is known, from the ledger in Postgres: entities, facts, and what ties them."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from graphmem.ledger import StatementOrigin
from graphmem.queries import sql
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)
MOST_FACTS = 1000
MOST_NEIGHBOURS = 100
FAN_OUT = 50


class Clocks(NamedTuple):
    """The times a question is about: in the world, or none for what is believed; and in this memory."""

    valid: datetime | None
    known: datetime


class NamedEntity(Struct, frozen=True):
    """An entity as others refer to it."""

    id: str
    name: str
    type: str | None


class KnownFact(Struct, frozen=True, kw_only=True):
    """A fact with both clocks, and the episodes it was stated in."""

    id: str
    source: NamedEntity
    relation: str
    target: NamedEntity
    fact: str
    valid_at: datetime | None
    invalid_at: datetime | None
    created_at: datetime
    expired_at: datetime | None
    confirmed_at: datetime
    origin: StatementOrigin
    retired_by: str | None
    episodes: list[str]


class Told(Struct, frozen=True, kw_only=True):
    """One thing that was said of a fact: that it holds, or with `ends` that it no longer does."""

    episode: str | None
    text: str
    valid_at: datetime | None
    invalid_at: datetime | None
    ends: bool
    origin: StatementOrigin
    created_at: datetime
    replaced_by: str | None


class ListedEntity(Struct, frozen=True, kw_only=True):
    """An entity as it is listed."""

    id: str
    name: str
    type: str | None
    summary: str
    created_at: datetime
    mentions: int


class KnownEntity(ListedEntity, frozen=True, kw_only=True):
    """An entity with its other names."""

    aliases: list[str]


class Neighbour(Struct, frozen=True, kw_only=True):
    """An entity that facts tie to another: how many, and by which relations."""

    id: str
    name: str
    type: str | None
    facts: int
    relations: list[str]


class Edge(NamedTuple):
    """A fact as a line between two entities."""

    id: str
    source: str
    target: str


@dataclass(frozen=True)
class KnowledgeStore:
    """Answers what is known, of one namespace at a time."""

    postgres: Postgres

    async def facts(self, namespace: str, ids: Sequence[str]) -> list[KnownFact]:
        """Those of the ids that are facts, in the order of the ids."""
        rows = await self.postgres.rows(QUERIES.facts, namespace=namespace, ids=list(ids)) if ids else []
        found = {row["id"]: msgspec.convert(row, KnownFact) for row in rows}
        return [found[one] for one in ids if one in found]

    async def page(
        self, namespace: str, clocks: Clocks, *, limit: int, after: tuple[datetime, str] | None, **only: str | None
    ) -> list[KnownFact]:
        """Facts that are shown, newest first; `only` may hold the id of an entity, and a relation."""
        after_time, after_id = after or (None, None)
        place = {"after_time": after_time, "after_id": after_id, "limit": limit}
        bounds = {"entity": None, "relation": None} | only
        return await self.facts_by(QUERIES.page, namespace, **clocks._asdict(), **place, **bounds)

    async def history(self, namespace: str, fact_id: str) -> list[Told]:
        """What was said that a fact follows from, oldest first."""
        rows = await self.postgres.rows(QUERIES.history, namespace=namespace, id=fact_id, limit=MOST_FACTS)
        return [msgspec.convert(row, Told) for row in rows]

    async def retired(self, namespace: str, fact_id: str) -> list[KnownFact]:
        """The facts whose place a fact took."""
        return await self.facts_by(QUERIES.retired, namespace, id=fact_id, limit=MOST_FACTS)

    async def facts_of_episode(self, namespace: str, episode: str) -> list[KnownFact]:
        """The facts an episode supports."""
        return await self.facts_by(QUERIES.facts_of_episode, namespace, episode=episode)

    async def entities_of_episode(self, namespace: str, episode: str) -> list[NamedEntity]:
        """The entities an episode names."""
        rows = await self.postgres.rows(QUERIES.entities_of_episode, namespace=namespace, episode=episode)
        return [msgspec.convert(row, NamedEntity) for row in rows]

    async def entities(
        self, namespace: str, *, limit: int, after: tuple[str, str] | None, **only: str | None
    ) -> tuple[list[ListedEntity], tuple[str, str] | None]:
        """Entities by name, and where a full page goes on; `only` may hold a part of the name, and a type."""
        after_name, after_id = after or (None, None)
        bounds = {"part": None, "type": None, "after_name": after_name, "after_id": after_id} | only
        rows = await self.postgres.rows(QUERIES.entities, namespace=namespace, limit=limit, **bounds)
        more = (rows[-1]["place"], rows[-1]["id"]) if len(rows) == limit else None
        return [msgspec.convert(row, ListedEntity) for row in rows], more

    async def entity(self, namespace: str, entity_id: str) -> KnownEntity | None:
        """One entity, if the namespace has it."""
        row = await self.postgres.row(QUERIES.entity, namespace=namespace, id=entity_id)
        return msgspec.convert(row, KnownEntity) if row else None

    async def facts_of_entity(self, namespace: str, entity_id: str, clocks: Clocks, *, shown: bool) -> list[KnownFact]:
        """The facts known of an entity, newest first: those that are shown, or the others."""
        given = clocks._asdict() | {"id": entity_id, "shown": shown, "limit": MOST_FACTS}
        return await self.facts_by(QUERIES.facts_of_entity, namespace, **given)

    async def timeline(
        self, namespace: str, entity_id: str, known: datetime, *, limit: int, after: tuple[datetime, str] | None
    ) -> list[tuple[KnownFact, Row]]:
        """All facts known of an entity in the order in which they begin, each with its place and whether it holds."""
        after_time, after_id = after or (None, None)
        given = {"id": entity_id, "known": known, "limit": limit, "after_time": after_time, "after_id": after_id}
        rows = await self.postgres.rows(QUERIES.timeline, namespace=namespace, **given)
        facts = {fact.id: fact for fact in await self.facts(namespace, [row["id"] for row in rows])}
        return [(facts[row["id"]], row) for row in rows if row["id"] in facts]

    async def neighbours(self, namespace: str, entity_id: str, clocks: Clocks) -> list[Neighbour]:
        """The entities that facts tie to one, those with most facts first."""
        given = clocks._asdict() | {"id": entity_id, "limit": MOST_NEIGHBOURS}
        rows = await self.postgres.rows(QUERIES.neighbours, namespace=namespace, **given)
        return [msgspec.convert(row, Neighbour) for row in rows]

    async def around(
        self, namespace: str, entity_id: str, clocks: Clocks, *, hops: int, limit: int
    ) -> tuple[list[KnownFact], bool]:
        """The facts within some hops of an entity, the nearest first, and whether some were left out."""
        found: dict[str, Edge] = {}
        seen, border = {entity_id}, {entity_id}
        cut = False
        for hop in range(hops):
            fan_out = FAN_OUT if hop else limit + 1
            edges = await self.edges_around(namespace, border, clocks, fan_out=fan_out, limit=limit + 1 + len(found))
            cut = cut or any(count >= fan_out for count in degrees(edges, border).values())
            found |= {edge.id: edge for edge in edges if edge.id not in found}
            border = {end for edge in edges for end in (edge.source, edge.target)} - seen
            seen |= border
            if not border or len(found) > limit:
                break
        return await self.facts(namespace, list(found)[:limit]), cut or len(found) > limit

    async def edges_around(
        self, namespace: str, ids: Collection[str], clocks: Clocks, *, fan_out: int, limit: int
    ) -> list[Edge]:
        """Facts around some entities, at most so many for each."""
        given = clocks._asdict() | {"ids": list(ids), "fan_out": fan_out, "limit": limit}
        rows = await self.postgres.rows(QUERIES.edges_around, namespace=namespace, **given)
        return [Edge(row["id"], row["source"], row["target"]) for row in rows]

    async def facts_by(self, query: str, namespace: str, **parameters: Any) -> list[KnownFact]:
        """The facts whose ids a query gives, in its order."""
        rows = await self.postgres.rows(query, namespace=namespace, **parameters)
        return await self.facts(namespace, [row["id"] for row in rows])


def degrees(edges: Collection[Edge], nodes: Collection[str]) -> Counter[str]:
    """How many of the edges each of the nodes has."""
    return Counter(node for edge in edges for node in {edge.source, edge.target} if node in nodes)
