"""What Neo4j Browser loads from us, without a key as it holds no data: a guide with the ready queries, and a style."""

import html
import re
from functools import cache
from pathlib import Path

from litestar import MediaType, Response, get
from litestar.types import ASGIApp, Receive, Scope, Send

from graphmem.queries import cypher

HERE = Path(__file__).parent
QUERY = re.compile(r'<query name="([\w/]+)"></query>')
ANYONE = {"Access-Control-Allow-Origin": "*"}
# Browser asks first, since it sends headers against caching.
PREFLIGHT = ANYONE | {
    "Access-Control-Allow-Methods": "GET",
    "Access-Control-Allow-Headers": "pragma, cache-control",
    "Access-Control-Max-Age": "86400",
}


@cache
def guide() -> str:
    """The guide with every query written out, for clicking."""
    page = (HERE / "guide.html").read_text(encoding="utf-8")
    return QUERY.sub(lambda match: f'<pre class="runnable">{html.escape(cypher(match[1]))}</pre>', page)


@get("/browser/guide.html", media_type=MediaType.HTML, include_in_schema=False)
async def show_guide() -> Response[str]:
    """A guide for `:play`."""
    return Response(guide(), media_type=MediaType.HTML, headers=ANYONE)


@get("/browser/style.grass", media_type=MediaType.TEXT, include_in_schema=False)
async def show_style() -> Response[str]:
    """Colours and captions for `:style`."""
    style = (HERE / "style.grass").read_text(encoding="utf-8")
    return Response(style, media_type=MediaType.TEXT, headers=ANYONE)


HANDLERS = [show_guide, show_style]
PATHS = frozenset(path for handler in HANDLERS for path in handler.paths)


def open_to_browsers(app: ASGIApp) -> ASGIApp:
    """Around the application: whatever origins the API lets in, any page may ask for these two."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "OPTIONS" or scope["path"] not in PATHS:
            await app(scope, receive, send)
            return
        headers = [(name.lower().encode(), value.encode()) for name, value in PREFLIGHT.items()]
        await send({"type": "http.response.start", "status": 204, "headers": headers})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return middleware
