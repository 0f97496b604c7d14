"""Who may do what where: checked before anything of the request is believed."""

import ipaddress
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.exceptions import HTTPException
from litestar.handlers import BaseRouteHandler
from litestar.params import QueryParameter

from graphmem.errors import ForbiddenError, InvalidError, TooManyError, UnauthenticatedError
from graphmem.ingest.complaints import DECODING_ERRORS, RULES
from graphmem.memory import NAMESPACE_PATTERN, NO_NUL_PATTERN, Key, Role
from graphmem.service import Service

ROLES: dict[Role, int] = {"reader": 0, "writer": 1, "admin": 2}
JSON_METHODS = frozenset({"POST", "PUT", "PATCH"})
MOST_BUCKETS = 100_000


@dataclass(frozen=True)
class Access:
    """A request that passed: whose it is, which namespace it is about, and its moment."""

    key: Key
    namespace: str
    now: datetime


class Peek(msgspec.Struct):
    """The one field of a body that decides who may send it."""

    namespace: Any = None


@dataclass
class Buckets:
    """A token bucket for each key, in this process."""

    per_second: float
    filled: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])

    def take(self, key_id: str) -> None:
        """Take one token, or say when the next one comes."""
        now = time.monotonic()
        burst = max(1.0, self.per_second)
        if len(self.filled) >= MOST_BUCKETS:
            self.filled.clear()
        tokens, since = self.filled.get(key_id, (burst, now))
        tokens = min(burst, tokens + (now - since) * self.per_second)
        if tokens < 1:
            raise TooManyError("This key asks faster than its limit.", retry_after_seconds=1 / self.per_second)
        self.filled[key_id] = (tokens - 1, now)


async def allowed(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Key (401), limit (429), role and namespace (403), media type (415), then the parameters (400)."""
    if connection.scope.get("method") == "OPTIONS":
        return  # The framework's own answer: which methods a path has.
    service: Service = connection.app.state.service
    key = await authenticated(connection, service)
    if service.settings.http.rate_limit_per_second > 0:
        connection.app.state.buckets.take(key.id)
    role: Role = handler.opt["role"]
    if ROLES[key.role] < ROLES[role]:
        raise ForbiddenError(f"This key has the role {key.role}; {role} is needed.")
    namespace = await requested_namespace(connection, handler, key)
    refuse_unknown_parameters(connection, handler)
    refuse_nul(connection)
    connection.state["access"] = Access(key, namespace, datetime.now(UTC))


async def authenticated(connection: ASGIConnection[Any, Any, Any, Any], service: Service) -> Key:
    """The key the request carries."""
    scheme, _, secret = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret:
        raise UnauthenticatedError("Send a key: Authorization: Bearer gm_…")
    key = await service.keys.check(secret.strip())
    if key is None:
        raise UnauthenticatedError("This key is not known; it may have been revoked.")
    return key


async def requested_namespace(
    connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler, key: Key
) -> str:
    """The namespace the request is about, which the key must reach."""
    named: list[str] = connection.query_params.getall("namespace", [])
    if "namespace" in connection.path_params:
        named = [*named, connection.path_params["namespace"]]
    if connection.scope.get("method") in JSON_METHODS and handler.opt.get("body", "json") == "json":
        named = [*named, *await namespace_in_body(connection)]
    for name in named:
        if not key.reaches(name):
            raise ForbiddenError(f"This key does not reach the namespace {name[:64]}.")
        if re.search(NAMESPACE_PATTERN, name) is None:
            raise InvalidError.of("namespace", RULES[NAMESPACE_PATTERN])
    if len(set(named)) > 1:
        raise InvalidError.of("namespace", "must be the same wherever the request names it")
    namespace = named[0] if named else key.home
    if not key.reaches(namespace):
        raise ForbiddenError(f"This key does not reach the namespace {namespace}; name one of its own.")
    return namespace


async def namespace_in_body(connection: ASGIConnection[Any, Any, Any, Any]) -> list[str]:
    """The body's namespace if it has one that is text; everything else about the body is judged later."""
    assert isinstance(connection, Request)
    body = await connection.body()
    if body and media_type(connection) != "application/json":
        raise HTTPException(status_code=415)
    try:
        namespace = msgspec.json.decode(body, type=Peek).namespace if body else None
    except DECODING_ERRORS:
        return []
    return [namespace] if isinstance(namespace, str) else []


def media_type(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    """What the body is said to be, without its parameters."""
    return connection.headers.get("content-type", "").partition(";")[0].strip().lower()


def refuse_unknown_parameters(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """A misspelt query parameter is an error, not silence."""
    unknown = sorted(set(connection.query_params) - parameter_names(handler))
    if unknown:
        raise InvalidError(
            "The query has unknown parameters.", [(name[:100], "is not a parameter") for name in unknown]
        )


def refuse_nul(connection: ASGIConnection[Any, Any, Any, Any]) -> None:
    """The one character that Postgres cannot keep, and so never has."""
    for name, value in (*connection.query_params.multi_items(), *connection.path_params.items()):
        if "\x00" in str(value):
            raise InvalidError.of(name, RULES[NO_NUL_PATTERN])


def parameter_names(handler: BaseRouteHandler) -> set[str]:
    """The query parameters a handler takes; the namespace may always be named."""
    fields = handler.parsed_fn_signature.parameters
    declared = ((name, item.kwarg_definition) for name, item in fields.items())
    return {kind.name or name for name, kind in declared if isinstance(kind, QueryParameter)} | {"namespace"}


def is_loopback(connection: ASGIConnection[Any, Any, Any, Any]) -> bool:
    """Whether the caller sits on this machine."""
    host = connection.client.host if connection.client else ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
