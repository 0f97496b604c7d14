"""Facts: stated by callers, ended, listed, with their history."""

from typing import Annotated

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from graphmem.errors import InvalidError, NotFoundError
from graphmem.http.access import Access
from graphmem.http.cursors import cursor_of, position_of
from graphmem.http.dependencies import Limit
from graphmem.http.episodes import zoned
from graphmem.http.problems import problem_specs
from graphmem.ingest.extract import Names
from graphmem.ingest.stating import Stated
from graphmem.ledger import as_uuid
from graphmem.memory import BATCH_SIZE, QUERY_PATTERN, Namespace, NewFact, Time
from graphmem.relations import canonical
from graphmem.service import Service
from graphmem.stores.knowledge import Clocks, KnownFact, Told

Uuid = Annotated[str, Meta(pattern=r"^[0-9a-f-]{36}(?!\n)$")]
AsOf = Annotated[str | None, QueryParameter(format="date-time")]


class StatedAnswer(KnownFact, frozen=True, kw_only=True):
    """A fact that was stated or ended; `job` will show it in the graph, where that could not be done at once."""

    job: str | UnsetType = UNSET


class NewFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """Many facts, stored together or not at all."""

    facts: Annotated[list[NewFact], Meta(min_length=1, max_length=BATCH_SIZE)]
    namespace: Namespace | None = None


class StatedOfBatch(Struct, frozen=True):
    """One fact of a batch."""

    id: str
    created: bool


class StatedBatch(Struct, frozen=True):
    """All facts of a batch, in its order."""

    facts: list[StatedOfBatch]
    job: str | UnsetType = UNSET


class Ending(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Since when a fact no longer holds, and why."""

    invalid_at: Time | None = None
    reason: Annotated[str, Meta(min_length=1, max_length=4000, pattern=QUERY_PATTERN)] | None = None
    namespace: Namespace | None = None


class FactPage(Struct, frozen=True):
    """A page of facts, newest first."""

    facts: list[KnownFact]
    cursor: str | None


class FactDetail(KnownFact, frozen=True, kw_only=True):
    """A fact with all that was said of it, and the facts whose place it took."""

    history: list[Told]
    retired: list[KnownFact]


LATER = ResponseSpec(StatedAnswer, generate_examples=False, description="In the ledger; the graph follows by the job")
AGAIN = ResponseSpec(StatedAnswer, generate_examples=False, description="It was there already")


@post("/v1/facts", opt={"role": "writer"}, responses={200: AGAIN, 202: LATER, **problem_specs()})
async def state_fact(
    data: JSONBody[NewFact], access: NamedDependency[Access], service: NamedDependency[Service]
) -> Response[StatedAnswer]:
    """State a fact: in the ledger and in the graph when this answers 201."""
    stated = await service.stater.state(access.namespace, [data], now=access.now)
    return await stated_answer(service, access, stated, status=201 if stated.outcomes[0].created else 200)


@post("/v1/facts/batch", opt={"role": "writer"}, responses=problem_specs())
async def state_facts(
    data: JSONBody[NewFacts], access: NamedDependency[Access], service: NamedDependency[Service]
) -> StatedBatch:
    """State up to 1,000 facts, all or nothing."""
    for place, new in enumerate(data.facts):
        if new.namespace is not None and new.namespace != access.namespace:
            raise InvalidError.of(f"facts[{place}].namespace", "must be the batch's namespace, or left out")
    stated = await service.stater.state(access.namespace, data.facts, now=access.now, path="facts[{}].")
    return StatedBatch([StatedOfBatch(*one) for one in stated.outcomes], stated.job or UNSET)


@post(
    "/v1/facts/{fact_id:str}/invalidate",
    opt={"role": "writer"},
    status_code=200,
    responses={202: LATER, **problem_specs(404)},
)
async def invalidate_fact(
    fact_id: FromPath[str],
    data: JSONBody[Ending],
    access: NamedDependency[Access],
    service: NamedDependency[Service],
) -> Response[StatedAnswer]:
    """A fact no longer holds, from `invalid_at` on or from now."""
    stated = await service.stater.invalidate(
        access.namespace,
        known_uuid(fact_id, "fact"),
        invalid_at=data.invalid_at,
        reason=data.reason or "invalidated",
        now=access.now,
    )
    return await stated_answer(service, access, stated, status=200)


async def stated_answer(service: Service, access: Access, stated: Stated, *, status: int) -> Response[StatedAnswer]:
    """A fact as it is now; 202 while the graph does not show it."""
    fact = await fact_in(service, access, stated.outcomes[0].id)
    answer = StatedAnswer(**structs.asdict(fact), job=stated.job or UNSET)
    return Response(answer, status_code=202 if stated.job else status)


@get("/v1/facts", opt={"role": "reader"}, responses=problem_specs())
async def list_facts(  # noqa: PLR0913, PLR0917 - each is a query parameter
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    entity: FromQuery[str | None] = None,
    relation: FromQuery[str | None] = None,
    valid_as_of: AsOf = None,
    known_as_of: AsOf = None,
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> FactPage:
    """Facts that are believed, or were at other times; newest first."""
    facts = await service.knowledge.page(
        access.namespace,
        clocks(access, valid_as_of, known_as_of),
        limit=limit,
        after=position_of(cursor, tuple[Time, Uuid]),
        entity=None if entity is None else await meant(service, access, entity),
        relation=None if relation is None else canonical(relation),
    )
    last = facts[-1] if len(facts) == limit else None
    return FactPage(facts, cursor_of(last.created_at, last.id) if last else None)


@get("/v1/facts/{fact_id:str}", opt={"role": "reader"}, responses=problem_specs(404))
async def show_fact(
    fact_id: FromPath[str], access: NamedDependency[Access], service: NamedDependency[Service]
) -> FactDetail:
    """One fact: its episodes, what was said of it, and what it took the place of."""
    fact = await fact_in(service, access, known_uuid(fact_id, "fact"))
    return FactDetail(
        **structs.asdict(fact),
        history=await service.knowledge.history(access.namespace, fact.id),
        retired=await service.knowledge.retired(access.namespace, fact.id),
    )


async def fact_in(service: Service, access: Access, fact_id: str) -> KnownFact:
    """The fact, which the namespace must have."""
    found = await service.knowledge.facts(access.namespace, [fact_id])
    if not found:
        raise NotFoundError("There is no such fact in this namespace.")
    return found[0]


async def meant(service: Service, access: Access, entity: str) -> str:
    """The id of the entity that a request means by its id or by a name."""
    return await service.ledger.meaning(access.namespace, as_uuid(entity) or Names(access.namespace).entity(entity))


def known_uuid(text: str, noun: str) -> str:
    """An id from a path; what cannot be one is not found."""
    identity = as_uuid(text)
    if identity is None:
        raise NotFoundError(f"There is no such {noun} in this namespace.")
    return identity


def clocks(access: Access, valid_as_of: str | None, known_as_of: str | None) -> Clocks:
    """The times a request is about; what is known now where it names none."""
    valid = zoned(valid_as_of, "valid_as_of") if valid_as_of is not None else None
    return Clocks(valid, zoned(known_as_of, "known_as_of") if known_as_of is not None else access.now)


HANDLERS = [state_fact, state_facts, invalidate_fact, list_facts, show_fact]
