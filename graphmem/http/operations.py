"""Running it: jobs, keys, namespaces, forgetting."""

import uuid
from typing import Annotated

from litestar import delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from msgspec import Meta, Struct

from graphmem.errors import ForbiddenError, InvalidError, NotFoundError
from graphmem.http.access import Access
from graphmem.http.cursors import cursor_of, position_of
from graphmem.http.dependencies import Limit
from graphmem.http.episodes import Forgotten, Removed
from graphmem.http.problems import problem_specs
from graphmem.memory import EpisodeId, Job, JobState, Key, Name, Namespace, Role
from graphmem.service import Service
from graphmem.stores.namespaces import NamespaceInfo


class JobPage(Struct, frozen=True):
    """A page of jobs, newest first."""

    jobs: list[Job]
    cursor: str | None


class NewKey(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key to be made."""

    role: Role
    namespaces: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^(\*|[a-z0-9_]{1,64})(?!\n)$")], ...], Meta(min_length=1, max_length=1000)
    ]
    name: Name = ""
    namespace: Namespace | None = None


class MadeKey(Struct, frozen=True):
    """A new key; the only time it is shown."""

    id: str
    key: str
    role: Role
    namespaces: tuple[str, ...]
    name: str


class KeyPage(Struct, frozen=True):
    """A page of keys, without their secrets."""

    keys: list[Key]
    cursor: str | None


class NamespacePage(Struct, frozen=True):
    """A page of namespaces."""

    namespaces: list[NamespaceInfo]
    cursor: str | None


class Forget(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be forgotten: some episodes, or everything."""

    episodes: Annotated[tuple[EpisodeId, ...], Meta(min_length=1, max_length=1000)] | None = None
    everything: bool = False
    dry_run: bool = False
    namespace: Namespace | None = None


class Plan(Struct, frozen=True):
    """What would be forgotten."""

    plan: Removed


@get("/v1/jobs", opt={"role": "reader"}, responses=problem_specs())
async def list_jobs(
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    job_state: Annotated[JobState | None, QueryParameter(name="state")] = None,
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> JobPage:
    """The work that follows writes, newest first."""
    after = position_of(cursor, tuple[uuid.UUID])
    jobs = await service.jobs.page(
        access.namespace, state=job_state, limit=limit, after=str(after[0]) if after else None
    )
    return JobPage(jobs, cursor_of(jobs[-1].id) if len(jobs) == limit else None)


@get("/v1/jobs/{job_id:str}", opt={"role": "reader"}, responses=problem_specs(404))
async def show_job(job_id: FromPath[str], access: NamedDependency[Access], service: NamedDependency[Service]) -> Job:
    """One job."""
    job = await service.jobs.by_id(access.namespace, str(known_uuid(job_id)))
    if job is None:
        raise NotFoundError("There is no such job in this namespace.")
    return job


@post("/v1/jobs/{job_id:str}/retry", opt={"role": "writer"}, status_code=200, responses=problem_specs(404))
async def retry_job(job_id: FromPath[str], access: NamedDependency[Access], service: NamedDependency[Service]) -> Job:
    """Make the failed and dead parts of a job due now."""
    identity = str(known_uuid(job_id))
    await service.jobs.retry(access.namespace, identity)
    job = await service.jobs.by_id(access.namespace, identity)
    if job is None:
        raise NotFoundError("There is no such job in this namespace.")
    service.waker.wake(access.namespace)
    return job


def known_uuid(text: str) -> uuid.UUID:
    """A job's id; what cannot be one is not found."""
    try:
        return uuid.UUID(text)
    except ValueError as error:
        raise NotFoundError("There is no such job in this namespace.") from error


@post("/v1/keys", opt={"role": "admin"}, responses=problem_specs())
async def create_key(
    data: JSONBody[NewKey], access: NamedDependency[Access], service: NamedDependency[Service]
) -> MadeKey:
    """A new key, within the reach of the one that makes it."""
    for namespace in data.namespaces:
        if not access.key.reaches(namespace):
            raise ForbiddenError(f"This key cannot make one that reaches {namespace}.")
    key, secret = await service.keys.create(role=data.role, namespaces=data.namespaces, name=data.name)
    return MadeKey(key.id, secret, key.role, key.namespaces, key.name)


@get("/v1/keys", opt={"role": "admin"}, responses=problem_specs())
async def list_keys(
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> KeyPage:
    """The keys that reach no further than this one."""
    after = position_of(cursor, tuple[EpisodeId])
    keys = await service.keys.page(limit=limit, after=after[0] if after else None, reach=reach_of(access.key))
    return KeyPage(keys, cursor_of(keys[-1].id) if len(keys) == limit else None)


@delete("/v1/keys/{key_id:str}", opt={"role": "admin"}, status_code=204, responses=problem_specs(404))
async def revoke_key(key_id: FromPath[str], access: NamedDependency[Access], service: NamedDependency[Service]) -> None:
    """Make a key worthless."""
    key = await service.keys.find(key_id)
    if key is None or not all(access.key.reaches(namespace) for namespace in key.namespaces):
        raise NotFoundError("There is no such key.")
    await service.keys.revoke(key_id)


@get("/v1/namespaces", opt={"role": "admin"}, responses=problem_specs())
async def list_namespaces(
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> NamespacePage:
    """The namespaces this key reaches that were ever written."""
    after = position_of(cursor, tuple[Namespace])
    found = await service.namespaces.page(limit=limit, after=after[0] if after else None, reach=reach_of(access.key))
    return NamespacePage(found, cursor_of(found[-1].namespace) if len(found) == limit else None)


def reach_of(key: Key) -> tuple[str, ...] | None:
    """The namespaces a key is bound to; none when it reaches all."""
    return None if "*" in key.namespaces else key.namespaces


@delete("/v1/namespaces/{namespace:str}", opt={"role": "admin"}, status_code=200, responses=problem_specs())
async def forget_namespace(
    namespace: FromPath[Namespace],  # noqa: ARG001 - the guard took it from the path
    access: NamedDependency[Access],
    service: NamedDependency[Service],
) -> Forgotten:
    """Forget everything of a namespace."""
    return Forgotten(Removed(**await service.ingester.forget_namespace(access.namespace)))


@post("/v1/forget", opt={"role": "admin"}, status_code=200, responses=problem_specs())
async def forget(
    data: JSONBody[Forget], access: NamedDependency[Access], service: NamedDependency[Service]
) -> Forgotten | Plan:
    """Forget some episodes or everything; with `dry_run`, only say what would go."""
    if (data.episodes is None) != data.everything:
        raise InvalidError.of("episodes", "name episodes, or set everything to true, and not both")
    if data.episodes is None:
        if data.dry_run:
            return Plan(Removed(**await service.namespaces.count(access.namespace)))
        return Forgotten(Removed(**await service.ingester.forget_namespace(access.namespace)))
    if data.dry_run:
        found = await service.episodes.find(access.namespace, data.episodes)
        return Plan(Removed(len(found)))
    return Forgotten(Removed(len(await service.ingester.forget(access.namespace, data.episodes))))


HANDLERS = [
    list_jobs,
    show_job,
    retry_job,
    create_key,
    list_keys,
    revoke_key,
    list_namespaces,
    forget_namespace,
    forget,
]
