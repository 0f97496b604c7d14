"""Episodes: what was said."""

from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromQuery, JSONBody, PathParameter, QueryParameter
from msgspec import UNSET, Meta, Struct, UnsetType, field, structs

from graphmem.errors import InvalidError, NotFoundError
from graphmem.http.access import Access
from graphmem.http.cursors import cursor_of, position_of
from graphmem.http.dependencies import Limit
from graphmem.http.problems import problem_specs
from graphmem.ingest.pipeline import Outcome
from graphmem.memory import BATCH_SIZE, ID_PATTERN, Episode, EpisodeId, Job, Namespace, NewEpisode, Time
from graphmem.service import Service
from graphmem.stores.knowledge import KnownFact, NamedEntity

# The one word that an episode's path shares with another route.
BATCH = "batch"
PATHS = ["/v1/episodes/{episode_id:str}", f"/v1/episodes/{BATCH}"]
PathId = Annotated[str, PathParameter(pattern=ID_PATTERN)]


class Stored(Struct, frozen=True, omit_defaults=True):
    """An episode was stored, or was there already; `pending` names what follows later."""

    id: str
    namespace: str
    created: bool
    job: str | None
    pending: tuple[str, ...] = ()


class NewBatch(Struct, frozen=True, forbid_unknown_fields=True):
    """Many episodes, stored together or not at all."""

    episodes: Annotated[list[NewEpisode], Meta(min_length=1, max_length=BATCH_SIZE)]
    namespace: Namespace | None = None


class StoredOfBatch(Struct, frozen=True, omit_defaults=True):
    """One episode of a batch."""

    id: str
    created: bool
    pending: tuple[str, ...] = ()


class StoredBatch(Struct, frozen=True):
    """All episodes of a batch, in its order."""

    episodes: list[StoredOfBatch]
    job: str


class EpisodePage(Struct, frozen=True):
    """A page of episodes, newest first."""

    episodes: list[Episode]
    cursor: str | None


class EpisodeDetail(Episode, frozen=True, kw_only=True):
    """One episode with what is known of it, and the work that follows it: the first of its jobs, and all of them.

    Since when it is archived; the episode that is shown in its place, as it says the same; those it is shown for.
    """

    facts: list[KnownFact]  # pyright: ignore[reportIncompatibleVariableOverride, reportGeneralTypeIssues]
    entities: list[NamedEntity]
    job: Job | None
    jobs: list[Job]
    archived_at: datetime | None
    duplicate_of: str | None
    duplicates: tuple[str, ...]


class Removed(Struct, frozen=True):
    """How much was removed."""

    episodes: int
    vectors: int | UnsetType = UNSET


class Forgotten(Struct, frozen=True):
    """What was forgotten, what had to stay, and how much of the forgotten is left: nothing."""

    removed: Removed
    kept: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    residue: int = 0


def stored(outcome: Outcome, access: Access, job: str | None) -> Stored:
    """The answer for one episode."""
    return Stored(outcome.id, access.namespace, outcome.created, job, outcome.pending)


@post(
    "/v1/episodes",
    opt={"role": "writer"},
    responses={
        200: ResponseSpec(Stored, generate_examples=False, description="It was there already"),
        **problem_specs(409),
    },
)
async def add_episode(
    data: JSONBody[NewEpisode], access: NamedDependency[Access], service: NamedDependency[Service]
) -> Response[Stored]:
    """Store one episode: on disk and findable when this answers."""
    outcome, job = await service.ingester.add(access.namespace, data, now=access.now)
    if not outcome.created:
        job = next(
            (one.id for one in await service.jobs.of_episode(access.namespace, outcome.id) if one.kind == "extract"),
            job,
        )
    return Response(stored(outcome, access, job), status_code=201 if outcome.created else 200)


@post("/v1/episodes/batch", opt={"role": "writer"}, responses=problem_specs(409))
async def add_batch(
    data: JSONBody[NewBatch], access: NamedDependency[Access], service: NamedDependency[Service]
) -> StoredBatch:
    """Store up to 1,000 episodes, all or nothing."""
    for place, new in enumerate(data.episodes):
        if isinstance(new.namespace, str) and new.namespace != access.namespace:
            raise InvalidError.of(f"episodes[{place}].namespace", "must be the batch's namespace, or left out")
    written = await service.ingester.add_batch(access.namespace, data.episodes, now=access.now)
    return StoredBatch([StoredOfBatch(one.id, one.created, one.pending) for one in written.outcomes], written.job)


@put(PATHS, opt={"role": "writer"}, responses=problem_specs(404))
async def replace_episode(
    data: JSONBody[NewEpisode],
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    episode_id: PathId = BATCH,
) -> Stored:
    """Put another text in an episode's place; what only the old text supported is retracted."""
    if not isinstance(data.id, UnsetType) and data.id != episode_id:
        raise InvalidError.of("id", "must be the id in the path, or left out")
    outcome, job = await service.ingester.replace(access.namespace, episode_id, data, now=access.now)
    return stored(outcome, access, job)


@get("/v1/episodes", opt={"role": "reader"}, responses=problem_specs())
async def list_episodes(  # noqa: PLR0913, PLR0917 - each is a query parameter
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    session: FromQuery[str | None] = None,
    project: FromQuery[str | None] = None,
    before: Annotated[str | None, QueryParameter(format="date-time")] = None,
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> EpisodePage:
    """Episodes, newest first."""
    after = position_of(cursor, tuple[Time, EpisodeId])
    only = {"session": session, "project": project, "before": zoned(before, "before") if before is not None else None}
    episodes = await service.episodes.page(access.namespace, limit=limit, after=after, **only)
    last = episodes[-1] if len(episodes) == limit else None
    return EpisodePage(episodes, cursor_of(last.occurred_at, last.id) if last else None)


def zoned(text: str, name: str) -> datetime:
    """The moment a query parameter names; it must say in which zone."""
    try:
        return msgspec.convert(text, Time)
    except msgspec.ValidationError as error:
        raise InvalidError.of(name, f"{error}, such as 2026-02-21T09:30:00Z") from error


@get(PATHS, opt={"role": "reader"}, responses=problem_specs(404))
async def show_episode(
    access: NamedDependency[Access], service: NamedDependency[Service], episode_id: PathId = BATCH
) -> EpisodeDetail:
    """One episode, with its facts, its entities and the state of its jobs."""
    found = await service.episodes.find(access.namespace, [episode_id])
    if episode_id not in found:
        raise NotFoundError(f"There is no episode {episode_id} in this namespace.")
    jobs = await service.jobs.of_episode(access.namespace, episode_id)
    kept = structs.asdict(found[episode_id])
    kept["facts"] = await service.knowledge.facts_of_episode(access.namespace, episode_id)
    entities = await service.knowledge.entities_of_episode(access.namespace, episode_id)
    standing = structs.asdict(await service.archive.standing(access.namespace, episode_id))
    return EpisodeDetail(**kept, **standing, entities=entities, job=next(iter(jobs), None), jobs=jobs)


@delete(PATHS, opt={"role": "writer"}, status_code=200, responses=problem_specs(404))
async def forget_episode(
    access: NamedDependency[Access], service: NamedDependency[Service], episode_id: PathId = BATCH
) -> Forgotten:
    """Forget one episode, and all that only it held."""
    gone = await service.ingester.forget(access.namespace, [episode_id])
    if not gone:
        raise NotFoundError(f"There is no episode {episode_id} in this namespace.")
    return Forgotten(Removed(len(gone)))


HANDLERS = [add_episode, add_batch, replace_episode, list_episodes, show_episode, forget_episode]
