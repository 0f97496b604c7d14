"""Search and context: what is remembered."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, JSONBody, QueryParameter
from msgspec import UNSET, Meta, Struct, UnsetType

from graphmem.errors import InvalidError
from graphmem.http.access import Access
from graphmem.http.metrics import observe_recall
from graphmem.http.problems import problem_specs
from graphmem.ingest.own_words import fingerprints
from graphmem.memory import (
    NO_NUL_PATTERN,
    QUERY_PATTERN,
    Filters,
    Kind,
    Missing,
    Mode,
    Name,
    Namespace,
    Origin,
    Query,
    QueryText,
    Recalled,
    Time,
    new_id,
    utc,
)
from graphmem.recall.context import Budget, Format, Order, pack
from graphmem.recall.pipeline import Answer
from graphmem.recall.profiles import DEFAULT, Tuning
from graphmem.service import Service
from graphmem.stores.filters import Scope

Ids = Annotated[tuple[Annotated[str, Meta(max_length=128, pattern=NO_NUL_PATTERN)], ...], Meta(max_length=10_000)]
Names = Annotated[tuple[Name, ...], Meta(max_length=1000)]
SearchLimit = Annotated[int, Meta(ge=1, le=100)]
ContextChars = Annotated[int, Meta(ge=1, le=1_000_000)]


class Asked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What search and context have in common."""

    namespace: Namespace | None = None
    limit: SearchLimit | UnsetType = UNSET
    mode: Mode = "auto"
    profile: Name | None = None
    tuning: Tuning | None = None  # pyright: ignore[reportInvalidTypeForm]
    kinds: Annotated[tuple[Kind, ...], Meta(min_length=1, max_length=2)] = ("episode", "fact")
    sessions: Names | None = None
    project: Name | None = None
    origins: Annotated[tuple[Origin, ...], Meta(max_length=5)] | None = None
    types: Names | None = None
    archived: bool = False
    duplicates: bool = False
    exclude: Ids = ()
    since: Time | None = None
    until: Time | None = None
    valid_as_of: Time | None = None
    known_as_of: Time | None = None
    hyde: bool | None = None
    skip_retry_ladder: bool = False
    touch: bool = True
    trace: bool = False


class SearchRequest(Asked, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question."""

    query: QueryText


class ContextRequest(Asked, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question whose answer goes into a prompt; without one, a briefing."""

    query: QueryText | None = None
    max_chars: ContextChars = 2000
    max_tokens: Annotated[int, Meta(ge=1, le=250_000)] | None = None
    format: Format = "xml"
    order: Order = "relevance"
    dates: bool = False


class SearchAnswer(Struct, frozen=True, kw_only=True):
    """The memories that matter, best first."""

    results: list[Recalled]
    search_id: str
    answerable: bool | None
    missing_legs: list[Missing]
    fell_back: Literal["keyword"] | None
    took_ms: float
    trace: dict[str, Any] | None = None


class ContextAnswer(Struct, frozen=True, kw_only=True):
    """A block to append to a system prompt."""

    text: str
    results: list[Recalled]
    truncated: bool
    missing_legs: list[Missing]


@post("/v1/search", opt={"role": "reader"}, status_code=200, responses=problem_specs())
async def search(
    data: JSONBody[SearchRequest], access: NamedDependency[Access], service: NamedDependency[Service]
) -> SearchAnswer:
    """The memories that answer a question."""
    answer = await recall(service, data, data.query, access.namespace)
    if data.touch:
        service.accesses.note(access.namespace, answer.search_id, answer.results, now=access.now)
    return SearchAnswer(
        results=answer.results,
        search_id=answer.search_id,
        answerable=answer.answerable,
        missing_legs=answer.missing,
        fell_back=answer.fell_back,
        took_ms=answer.took_ms,
        trace=answer.trace if data.trace else None,
    )


@post("/v1/context", opt={"role": "reader"}, status_code=200, responses=problem_specs())
async def make_context(
    data: JSONBody[ContextRequest], access: NamedDependency[Access], service: NamedDependency[Service]
) -> ContextAnswer:
    """The answer to a question as a block for a prompt."""
    return await context(service, data, access)


@get("/v1/context", opt={"role": "reader"}, responses=problem_specs())
async def show_context(  # noqa: PLR0913, PLR0917 - each is a query parameter
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    question: Annotated[str | None, QueryParameter(name="query", max_length=10_000, pattern=QUERY_PATTERN)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=100)] = 10,
    max_chars: Annotated[int, QueryParameter(ge=1, le=1_000_000)] = 2000,
    format: FromQuery[Format] = "xml",  # noqa: A002 - the parameter's name in the API
) -> ContextAnswer:
    """The same, for callers that prefer a GET."""
    asked = ContextRequest(query=question, limit=limit, max_chars=max_chars, format=format)
    return await context(service, asked, access)


async def context(service: Service, asked: ContextRequest, access: Access) -> ContextAnswer:
    """Recall, then pack; without a question, what a conversation should begin with."""
    if asked.query is None:
        scope, limit = Scope(access.namespace, filters_of(asked), asked.exclude), asked.limit or DEFAULT.limit
        results = await service.briefer.brief(scope, kinds=asked.kinds, limit=limit, now=access.now)
        missing, answer_id = list[Missing](), new_id()
    else:
        answer = await recall(service, asked, asked.query, access.namespace)
        results, missing, answer_id = answer.results if answer.relevant else [], answer.missing, answer.search_id
    budget = Budget(asked.max_chars, asked.max_tokens)
    packed = pack(results, budget=budget, form=asked.format, order=asked.order, dates=asked.dates)
    if asked.touch:
        service.accesses.note(access.namespace, answer_id, packed.results, now=access.now)
        service.handed_out.note(access.namespace, fingerprints(packed.text))
    return ContextAnswer(text=packed.text, results=packed.results, truncated=packed.truncated, missing_legs=missing)


async def recall(service: Service, asked: Asked, text: str, namespace: str) -> Answer:
    """Ask the service, in its own terms."""
    tuning: dict[str, Any] = msgspec.to_builtins(asked.tuning) if asked.tuning is not None else {}
    profile = await service.preferences.profile(namespace, asked.profile, tuning)
    query = Query(
        namespace=namespace,
        text=text,
        limit=asked.limit or (profile if asked.profile else DEFAULT).limit,
        mode=asked.mode,
        kinds=asked.kinds,
        filters=filters_of(asked),
        exclude=asked.exclude,
        hyde=asked.hyde,
        skip_retry_ladder=asked.skip_retry_ladder,
        aliases=await service.preferences.aliases(namespace),
    )
    answer = await service.recaller.recall(query, profile, now=datetime.now(UTC))
    observe_recall(answer.trace, answer.missing, service.embedder.model if service.embedder else "none")
    return answer


def filters_of(asked: Asked) -> Filters:
    """The filters of a request; an interval that ends before it begins is refused."""
    if asked.since and asked.until and asked.since > asked.until:
        raise InvalidError.of("since", "must not be later than until")
    return Filters(
        sessions=asked.sessions,
        project=asked.project,
        origins=asked.origins,
        types=asked.types,
        since=moment(asked.since, "since"),
        until=moment(asked.until, "until"),
        valid_as_of=moment(asked.valid_as_of, "valid_as_of"),
        known_as_of=moment(asked.known_as_of, "known_as_of"),
        archived=asked.archived,
        duplicates=asked.duplicates,
    )


def moment(time: datetime | None, field: str) -> datetime | None:
    """A time in UTC, if it can be told there."""
    try:
        return utc(time) if time else None
    except OverflowError as error:
        raise InvalidError.of(field, "must lie between the years 1 and 9999 in UTC") from error


HANDLERS = [search, make_context, show_context]
