"""Errors as RFC 9457 answers: what is wrong, which field, which rule, and never a query, a stack or stored text."""

import logging
import math
import traceback
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, InternalServerException, ValidationException
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
from graphmem.ingest.complaints import rule_of

log = logging.getLogger(__name__)
PROBLEM = "application/problem+json"
RETRY_AFTER_SECONDS = 2
UNAUTHENTICATED, TOO_MANY, INTERNAL, UNAVAILABLE = 401, 429, 500, 503

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


def answer(
    request: Request[Any, Any, Any], status: int, title: str, detail: str, errors: tuple[FieldProblem, ...] = ()
) -> Response[Problem]:
    """A problem as a response."""
    problem = Problem(f"urn:graphmem:problem:{status}", title, status, detail, request.url.path, errors)
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status in (TOO_MANY, UNAVAILABLE) else {}
    if status == UNAUTHENTICATED:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(problem, status_code=status, media_type=PROBLEM, headers=headers)


def on_graphmem_error(request: Request[Any, Any, Any], error: GraphmemError) -> Response[Problem]:
    """Our own errors, by whose move it is."""
    for kind, status, title in STATUS:
        if isinstance(error, kind):
            response = answer(request, status, title, str(error), field_problems(error))
            if isinstance(error, TooManyError):
                response.headers["Retry-After"] = str(math.ceil(error.retry_after_seconds))
            return response
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
    if isinstance(error, InternalServerException) and "disconnected" in error.detail:
        return answer(request, 400, TITLES[400], "The connection ended before the request did.")
    if status >= INTERNAL:
        return on_unexpected(request, error)
    errors = parameter_problems(request, error) if isinstance(error, ValidationException) else ()
    title = TITLES.get(status, "The request cannot be answered")
    detail = "; ".join(f"{one.field}: {one.message}" for one in errors) or title
    response = answer(request, status, title, detail, errors)
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


def parameter_problems(request: Request[Any, Any, Any], error: ValidationException) -> tuple[FieldProblem, ...]:
    """The parameters the framework complains about, by the names callers know; without a body it misses `data`."""
    declared = request.route_handler.parsed_fn_signature.parameters
    problems: list[FieldProblem] = []
    for item in error.extra if isinstance(error.extra, list) else ():
        name = str(item.get("key", "query"))
        if name == "data":
            problems.append(FieldProblem("body", "is required"))
            continue
        kind = declared[name].kwarg_definition if name in declared else None
        problems.append(FieldProblem(getattr(kind, "name", None) or name, rule_of(str(item["message"]))))
    return tuple(problems)


def on_unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """A bug of ours: the caller gets the request's id, the log the place, and neither any stored text."""
    places = "".join(traceback.format_tb(error.__traceback__))
    log.error("unexpected %s", type(error).__name__, extra={"request": request_id(), "places": places})
    detail = f"Something went wrong on our side; the log has it under request {request_id()}."
    return answer(request, 500, "Internal error", detail)
