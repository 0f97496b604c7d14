"""Around every request: an id that comes back in a header, one log line, one measurement."""

import logging
import re
import time
from contextvars import ContextVar
from typing import Any

from litestar.datastructures import MutableScopeHeaders
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from graphmem.http.metrics import REQUEST_SECONDS, REQUESTS
from graphmem.memory import new_id

log = logging.getLogger("graphmem.access")
HEADER = b"x-request-id"
ACCEPTED_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
CURRENT: ContextVar[str] = ContextVar("request_id", default="-")


def request_id() -> str:
    """The id of the request this task works for."""
    return CURRENT.get()


def chosen_id(scope: Scope) -> str:
    """The caller's own id if it is harmless, otherwise a new one."""
    given = next((value.decode("latin-1") for name, value in scope["headers"] if name == HEADER), "")
    return given if ACCEPTED_ID.fullmatch(given) else new_id()


def route_of(scope: Scope) -> str:
    """The route's pattern, never the path itself: paths hold what callers typed.

    A handler's second path only stands in for a value of its first; the pattern, with its brace, sorts last.
    """
    handler: Any = scope.get("route_handler")
    return max(handler.paths) if handler is not None and handler.paths else "unknown"


def around_requests(app: ASGIApp) -> ASGIApp:
    """The middleware."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        identity = chosen_id(scope)
        token = CURRENT.set(identity)
        begun = time.perf_counter()
        status = 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableScopeHeaders.from_message(message)["X-Request-Id"] = identity
            await send(message)

        try:
            await app(scope, receive, send_with_id)
        finally:
            note(scope, status, time.perf_counter() - begun)
            CURRENT.reset(token)

    return middleware


def note(scope: Scope, status: int, seconds: float) -> None:
    """Count and log one answered request."""
    route, method = route_of(scope), str(scope.get("method"))
    REQUESTS.labels(method, route, str(status)).inc()
    REQUEST_SECONDS.labels(method, route).observe(seconds)
    log.info("%s %s %s", method, route, status, extra={"took_ms": round(seconds * 1000, 2), "request": request_id()})
