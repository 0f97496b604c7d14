"""Seen from outside: is it alive, is each part ready, what do the numbers say."""

from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from msgspec import Struct

from graphmem.errors import ForbiddenError, UnavailableError
from graphmem.http.access import ROLES, authenticated, is_loopback
from graphmem.http.metrics import exposition
from graphmem.http.problems import problem_specs
from graphmem.service import Service

EXPOSITION = "text/plain; version=0.0.4"


class Part(Struct, frozen=True, omit_defaults=True):
    """One part of the service; `reason` says why it is away, or what it is."""

    state: str
    reason: str | None = None
    model: str | None = None
    languages: tuple[str, ...] = ()


class Readiness(Struct, frozen=True):
    """The parts and what they make of the whole: ready, degraded (some legs are missing) or down."""

    status: str
    parts: dict[str, Part]


@get("/health/live")
async def live() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@get("/health/ready", responses={503: ResponseSpec(Readiness, generate_examples=False, description="Postgres is away")})
async def ready(service: NamedDependency[Service]) -> Response[Readiness]:
    """Each part's state; 503 only when Postgres, without which nothing works, is away."""
    postgres = await service.postgres.answers()
    parts = {
        "postgres": Part("down", postgres) if postgres else Part("ready"),
        "graph": await graph_part(service),
        "embedder": embedder_part(service),
    }
    states = {part.state for part in parts.values()}
    status = "down" if postgres else "degraded" if "down" in states else "ready"
    return Response(Readiness(status, parts), status_code=503 if postgres else 200)


async def graph_part(service: Service) -> Part:
    """Neo4j, if there is one."""
    if service.graph is None:
        return Part("off", "no graph is configured; keyword and vector search work without it")
    reason = await service.graph.answers()
    return Part("down", reason) if reason else Part("ready")


def embedder_part(service: Service) -> Part:
    """The embedder, if there is one; text in other languages than its own is found by keyword alone."""
    if service.embedder is None:
        return Part("off", "no embedder is configured; keyword search works without it")
    reason = service.embedder.ready()
    state = "down" if reason else "ready"
    return Part(state, reason, service.embedder.model, service.embedder.languages)


@get("/metrics", media_type=EXPOSITION, responses=problem_specs())
async def metrics(request: Request[Any, Any, Any], service: NamedDependency[Service]) -> Response[bytes]:
    """Numbers for Prometheus: from this machine without a key, from elsewhere with an admin's.

    Those of the queue are left out while Postgres is away; the others are wanted most just then.
    """
    if not is_loopback(request) and ROLES[(await authenticated(request, service)).role] < ROLES["admin"]:
        raise ForbiddenError("An admin key is needed.")
    try:
        depths = await service.jobs.depth()
    except UnavailableError:
        depths = []
    return Response(exposition(depths), media_type=EXPOSITION)


@get("/openapi.json", include_in_schema=False)
async def description(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """The description of the API."""
    return request.app.openapi_schema.to_schema()


HANDLERS = [live, ready, metrics, description]
