"""Entities: who and what facts are about, their time lines, and the graph around them."""

from datetime import datetime
from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter
from msgspec import Struct, structs

from graphmem.errors import InvalidError, NotFoundError
from graphmem.http.access import Access
from graphmem.http.browser import browser_link, written_out
from graphmem.http.cursors import cursor_of, position_of
from graphmem.http.dependencies import Limit
from graphmem.http.facts import AsOf, Uuid, clocks, known_uuid, meant
from graphmem.http.problems import problem_specs
from graphmem.memory import Name, Time
from graphmem.service import Service
from graphmem.stores.knowledge import Clocks, KnownEntity, KnownFact, ListedEntity, NamedEntity, Neighbour

Hops = Annotated[int, QueryParameter(ge=1, le=3, description="how far to go")]
PartOfName = Annotated[str | None, QueryParameter(name="query", max_length=500, description="part of a name")]


class EntityPage(Struct, frozen=True):
    """A page of entities, by name."""

    entities: list[ListedEntity]
    cursor: str | None


class EntityDetail(KnownEntity, frozen=True, kw_only=True):
    """One entity with the facts that are shown, those that are over or have not begun, and those it is tied to."""

    facts: list[KnownFact]
    past_facts: list[KnownFact]
    neighbours: list[Neighbour]


class Moment(KnownFact, frozen=True, kw_only=True):
    """A fact on a time line: where it begins there, and whether it is believed still."""

    begins_at: datetime
    current: bool


class Timeline(Struct, frozen=True):
    """A page of what is known of an entity, in the order in which it began."""

    entity: NamedEntity
    facts: list[Moment]
    cursor: str | None


class Node(Struct, frozen=True):
    """An entity to draw, and how many of the drawn edges it has."""

    id: str
    name: str
    type: str | None
    degree: int


class Line(Struct, frozen=True, kw_only=True):
    """A fact to draw, between two nodes."""

    id: str
    source: str
    target: str
    relation: str
    fact: str
    valid_at: datetime | None
    invalid_at: datetime | None
    episodes: list[str]


class Drawing(Struct, frozen=True, kw_only=True):
    """The graph around an entity, and how to see the same in Neo4j Browser."""

    nodes: list[Node]
    edges: list[Line]
    truncated: bool
    cypher: str
    browser_url: str | None


@get("/v1/entities", opt={"role": "reader"}, responses=problem_specs())
async def list_entities(  # noqa: PLR0913, PLR0917 - each is a query parameter
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    part: PartOfName = None,
    entity_type: Annotated[str | None, QueryParameter(name="type", max_length=500)] = None,
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> EntityPage:
    """Entities by name; with `query`, those whose name holds it."""
    entities, more = await service.knowledge.entities(
        access.namespace, limit=limit, after=position_of(cursor, tuple[Name, Uuid]), part=part, type=entity_type
    )
    return EntityPage(entities, cursor_of(*more) if more else None)


@get("/v1/entities/{entity_id:str}", opt={"role": "reader"}, responses=problem_specs(404))
async def show_entity(
    entity_id: FromPath[str],
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    valid_as_of: AsOf = None,
    known_as_of: AsOf = None,
) -> EntityDetail:
    """One entity: its names, its facts now and before, those it is tied to."""
    times = clocks(access, valid_as_of, known_as_of)
    entity = await entity_in(service, access, known_uuid(entity_id, "entity"))
    asked = (access.namespace, entity.id, times)
    return EntityDetail(
        **structs.asdict(entity),
        facts=await service.knowledge.facts_of_entity(*asked, shown=True),
        past_facts=await service.knowledge.facts_of_entity(*asked, shown=False),
        neighbours=await service.knowledge.neighbours(*asked),
    )


@get("/v1/entities/{entity_id:str}/timeline", opt={"role": "reader"}, responses=problem_specs(404))
async def show_timeline(  # noqa: PLR0913, PLR0917 - each is a parameter of the request
    entity_id: FromPath[str],
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    known_as_of: AsOf = None,
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> Timeline:
    """What is known of an entity, in the order in which it began."""
    known, after = clocks(access, None, known_as_of).known, position_of(cursor, tuple[Time, Uuid])
    entity = await entity_in(service, access, known_uuid(entity_id, "entity"))
    placed = await service.knowledge.timeline(access.namespace, entity.id, known, limit=limit, after=after)
    moments = [Moment(**structs.asdict(f), begins_at=row["place"], current=row["current"]) for f, row in placed]
    last = moments[-1] if len(moments) == limit else None
    named = NamedEntity(entity.id, entity.name, entity.type)
    return Timeline(named, moments, cursor_of(last.begins_at, last.id) if last else None)


@get("/v1/graph", opt={"role": "reader"}, responses=problem_specs(404))
async def draw_graph(
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    entity: Annotated[str | None, QueryParameter(description="its id or name; required")] = None,
    hops: Hops = 1,
    limit: Limit = 50,
) -> Drawing:
    """The nodes and edges that are believed now around an entity, ready to draw."""
    if entity is None:
        raise InvalidError.of("entity", "is required")
    centre = await entity_in(service, access, await meant(service, access, entity))
    now = Clocks(None, access.now)
    facts, truncated = await service.knowledge.around(access.namespace, centre.id, now, hops=hops, limit=limit)
    text = written_out("browser/around_entity", uuid=centre.id, group_id=access.namespace, hops=hops, limit=limit)
    return Drawing(
        nodes=nodes_of(NamedEntity(centre.id, centre.name, centre.type), facts),
        edges=[line_of(fact) for fact in facts],
        truncated=truncated,
        cypher=text,
        browser_url=browser_link(service.settings.neo4j.browser, text),
    )


def nodes_of(centre: NamedEntity, facts: list[KnownFact]) -> list[Node]:
    """The entities that facts touch, the centre first; each with how many of them touch it."""
    ends = [end for fact in facts for end in {fact.source.id: fact.source, fact.target.id: fact.target}.values()]
    degrees: dict[str, int] = {}
    for end in ends:
        degrees[end.id] = degrees.get(end.id, 0) + 1
    named = {entity.id: entity for entity in (centre, *ends)}
    return [Node(one.id, one.name, one.type, degrees.get(one.id, 0)) for one in named.values()]


def line_of(fact: KnownFact) -> Line:
    """A fact as an edge."""
    return Line(
        id=fact.id,
        source=fact.source.id,
        target=fact.target.id,
        relation=fact.relation,
        fact=fact.fact,
        valid_at=fact.valid_at,
        invalid_at=fact.invalid_at,
        episodes=fact.episodes,
    )


async def entity_in(service: Service, access: Access, entity_id: str) -> KnownEntity:
    """The entity, which the namespace must have."""
    entity = await service.knowledge.entity(access.namespace, entity_id)
    if entity is None:
        raise NotFoundError("There is no such entity in this namespace.")
    return entity


HANDLERS = [list_entities, show_entity, show_timeline, draw_graph]
