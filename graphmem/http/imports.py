"""Import: any number of episodes as JSON lines, streamed in and answered with progress as it goes."""

import logging
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from litestar import Request, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException, InternalServerException
from litestar.types import ASGIApp, Receive, Scope, Send

from graphmem.errors import GraphmemError
from graphmem.http.access import Access, media_type
from graphmem.http.problems import problem_specs
from graphmem.http.requests import request_id
from graphmem.ingest.importing import Importer
from graphmem.service import Service

log = logging.getLogger(__name__)
NDJSON = "application/x-ndjson"


@post(
    "/v1/import",
    opt={"role": "writer", "body": "stream"},
    request_max_body_size=None,
    status_code=200,
    responses=problem_specs(),
)
async def import_episodes(
    request: Request[Any, Any, Any], access: NamedDependency[Access], service: NamedDependency[Service]
) -> ASGIApp:
    """Store episodes, one a line; a line that cannot be stored is reported with its number and skipped."""
    if media_type(request) != NDJSON:
        raise HTTPException(status_code=415)
    importer = Importer(service.ingester, access.namespace, access.now)
    return streamed(progress_lines(importer, request.stream()))


def streamed(lines: AsyncIterator[bytes]) -> ASGIApp:
    """An answer that goes out while the request still comes in; the framework's own would read the request away."""

    async def respond(_scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-type", NDJSON.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for line in lines:
            await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return respond


async def progress_lines(importer: Importer, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """A line of progress after each batch; an outage ends the stream with a line that says how far it came."""
    try:
        async for progress in importer.run(chunks):
            yield msgspec.json.encode(progress) + b"\n"
    except GraphmemError as error:
        yield msgspec.json.encode({"error": str(error), "lines": importer.lines, "done": False}) + b"\n"
    except InternalServerException:
        # The framework's word for a caller that hung up; what was stored stays, and nobody listens any more.
        log.info("an import was broken off", extra={"lines": importer.lines, "request": request_id()})


HANDLERS = [import_episodes]
