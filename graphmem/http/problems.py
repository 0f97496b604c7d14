"""Errors as RFC 9457 answers: what is wrong, which field, which rule, and never a query, a stack or stored text."""

import logging
import re
import traceback
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec

from graphmem.errors import (
    ConflictError,
    ForbiddenError,
    GraphmemError,
    InvalidError,
    NotFoundError,
    TooManyError,
    UnauthenticatedError,
    UnavailableError,
)
from graphmem.http.requests import request_id
from graphmem.memory import ID_PATTERN, NAMESPACE_PATTERN, NO_NUL_PATTERN, QUERY_PATTERN

log = logging.getLogger(__name__)
PROBLEM = "application/problem+json"
RETRY_AFTER_SECONDS = 2
UNAUTHENTICATED, INTERNAL = 401, 500

STATUS: tuple[tuple[type[GraphmemError], int, str], ...] = (
    (InvalidError, 400, "The request is not valid"),
    (UnauthenticatedError, 401, "A valid key is needed"),
    (ForbiddenError, 403, "The key does not reach that far"),
    (NotFoundError, 404, "Not found"),
    (ConflictError, 409, "It conflicts with what is stored"),
    (TooManyError, 429, "Too many requests"),
    (UnavailableError, 503, "A part of the service is away"),
)
TITLES = {
    400: "The request is not valid",
    404: "Not found",
    405: "Method not allowed",
    413: "The request is too large",
    415: "The content type is not understood",
}
RULES = {
    NAMESPACE_PATTERN: "must be 1 to 64 of a-z, 0-9 and _",
    ID_PATTERN: "must be 1 to 128 of A-Z, a-z, 0-9, _ . : and -",
    NO_NUL_PATTERN: "must not contain the NUL character",
    QUERY_PATTERN: "must contain something other than white space, and no NUL character",
}
PLACE = re.compile(r" - at `(?:key in )?\$\.?(?P<path>.*)`$", re.DOTALL)
FIELD = re.compile(r"field `(?P<field>.+?)`")


class FieldProblem(msgspec.Struct, frozen=True):
    """One field and the rule it breaks."""

    field: str
    message: str


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, in the form of RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: tuple[FieldProblem, ...] = ()


def problem_specs(*statuses: int) -> dict[int, ResponseSpec]:
    """The error answers of a route, for the API description."""
    always = (400, 401, 403, 413, 415, 429, 500, 503)
    return {
        status: ResponseSpec(
            Problem, generate_examples=False, media_type=PROBLEM, description=TITLES.get(status, "Problem")
        )
        for status in (*always, *statuses)
    }


def explain(error: msgspec.MsgspecError) -> tuple[str, str]:
    """The path of the field a decoder complained about, and the rule it breaks.

    >>> explain(msgspec.ValidationError("Object contains unknown field `x` - at `$.episodes[0]`"))
    ('episodes[0].x', 'is not a field')
    """
    text = str(error)
    place = PLACE.search(text)
    message = PLACE.sub("", text)
    path = place["path"] if place else ""
    if found := FIELD.search(message):
        path = f"{path}.{found['field']}" if path else found["field"]
        message = "is required" if "missing" in message else "is not a field"
    for pattern, rule in RULES.items():
        if repr(pattern) in message:
            message = rule
    return path or "body", message


def invalid(error: msgspec.MsgspecError | RecursionError | UnicodeDecodeError) -> InvalidError:
    """What a decoder complained about, as our error."""
    if isinstance(error, RecursionError):
        return InvalidError.of("body", "is nested too deeply")
    if isinstance(error, UnicodeDecodeError):
        return InvalidError.of("body", "is not valid UTF-8")
    field, message = explain(error)
    return InvalidError.of(field, message)


def answer(
    request: Request[Any, Any, Any], status: int, title: str, detail: str, errors: tuple[FieldProblem, ...] = ()
) -> Response[Problem]:
    """A problem as a response."""
    problem = Problem(f"urn:graphmem:problem:{status}", title, status, detail, request.url.path, errors)
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status in (429, 503) else {}
    if status == UNAUTHENTICATED:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(problem, status_code=status, media_type=PROBLEM, headers=headers)


def on_graphmem_error(request: Request[Any, Any, Any], error: GraphmemError) -> Response[Problem]:
    """Our own errors, by whose move it is."""
    for kind, status, title in STATUS:
        if isinstance(error, kind):
            return answer(request, status, title, str(error), field_problems(error))
    return on_unexpected(request, error)


def field_problems(error: GraphmemError) -> tuple[FieldProblem, ...]:
    """The fields an error names."""
    if isinstance(error, InvalidError):
        return tuple(FieldProblem(field, message) for field, message in error.problems)
    if isinstance(error, ConflictError):
        return (FieldProblem(error.field, "differs from what is stored"),)
    return ()


def on_http_exception(request: Request[Any, Any, Any], error: HTTPException) -> Response[Problem]:
    """The framework's errors: unknown routes and methods, sizes, query parameters."""
    status = error.status_code
    if status >= INTERNAL:
        return on_unexpected(request, error)
    errors: tuple[FieldProblem, ...] = ()
    if isinstance(error, ValidationException) and isinstance(error.extra, list):
        errors = tuple(
            FieldProblem(str(item.get("key", "query")), RULES.get(item["message"], str(item["message"])))
            for item in error.extra
        )
    title = TITLES.get(status, "The request cannot be answered")
    detail = "; ".join(f"{one.field}: {one.message}" for one in errors) or title
    response = answer(request, status, title, detail, errors)
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


def on_unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """A bug of ours: the caller gets the request's id, the log the place, and neither any stored text."""
    places = "".join(traceback.format_tb(error.__traceback__))
    log.error("unexpected %s", type(error).__name__, extra={"request": request_id(), "places": places})
    detail = f"Something went wrong on our side; the log has it under request {request_id()}."
    return answer(request, 500, "Internal error", detail)
