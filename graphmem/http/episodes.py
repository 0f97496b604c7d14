"""Episodes: what was said."""

from datetime import datetime
from typing import Annotated, Any

from litestar import Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody
from msgspec import Meta, Struct, UnsetType

from graphmem.errors import InvalidError, NotFoundError
from graphmem.http.access import Access
from graphmem.http.cursors import cursor_of, position_of
from graphmem.http.dependencies import Limit
from graphmem.http.problems import problem_specs
from graphmem.ingest.pipeline import Outcome
from graphmem.memory import BATCH_SIZE, Episode, EpisodeId, Job, Namespace, NewEpisode
from graphmem.service import Service


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


class EpisodeDetail(Struct, frozen=True, kw_only=True):
    """One episode with what is known of it."""

    episode: Episode
    facts: list[dict[str, Any]]
    entities: list[dict[str, Any]]
    jobs: list[Job]


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


@put("/v1/episodes/{episode_id:str}", opt={"role": "writer"}, responses=problem_specs(404))
async def replace_episode(
    episode_id: FromPath[EpisodeId],
    data: JSONBody[NewEpisode],
    access: NamedDependency[Access],
    service: NamedDependency[Service],
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
    before: FromQuery[Annotated[datetime, Meta(tz=True)] | None] = None,
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> EpisodePage:
    """Episodes, newest first."""
    after = position_of(cursor, tuple[datetime, str])
    only = {"session": session, "project": project, "before": before}
    episodes = await service.episodes.page(access.namespace, limit=limit, after=after, **only)
    last = episodes[-1] if len(episodes) == limit else None
    return EpisodePage(episodes, cursor_of(last.occurred_at, last.id) if last else None)


@get("/v1/episodes/{episode_id:str}", opt={"role": "reader"}, responses=problem_specs(404))
async def show_episode(
    episode_id: FromPath[EpisodeId], access: NamedDependency[Access], service: NamedDependency[Service]
) -> dict[str, Any]:
    """One episode, with its facts, its entities and the state of its jobs."""
    found = await service.episodes.find(access.namespace, [episode_id])
    if episode_id not in found:
        raise NotFoundError(f"There is no episode {episode_id} in this namespace.")
    jobs = await service.jobs.of_episode(access.namespace, episode_id)
    return described(found[episode_id], jobs)


def described(episode: Episode, jobs: list[Job]) -> dict[str, Any]:
    """An episode with what is known of it, as the API shows it."""
    fields = {name: getattr(episode, name) for name in episode.__struct_fields__}
    return fields | {"facts": list(episode.facts), "entities": [], "job": next(iter(jobs), None), "jobs": jobs}


@delete("/v1/episodes/{episode_id:str}", opt={"role": "writer"}, status_code=200, responses=problem_specs(404))
async def forget_episode(
    episode_id: FromPath[EpisodeId], access: NamedDependency[Access], service: NamedDependency[Service]
) -> dict[str, Any]:
    """Forget one episode, and all that only it held."""
    gone = await service.ingester.forget(access.namespace, [episode_id])
    if not gone:
        raise NotFoundError(f"There is no episode {episode_id} in this namespace.")
    return {"removed": {"episodes": len(gone)}, "kept": [], "residue": 0}


HANDLERS = [add_episode, add_batch, replace_episode, list_episodes, show_episode, forget_episode]
