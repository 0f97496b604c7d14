"""The API as an ASGI application."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import litestar_offline_docs
from litestar import Litestar, Router
from litestar.config.cors import CORSConfig
from litestar.exceptions import HTTPException
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import SwaggerRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.static_files import create_static_files_router  # pyright: ignore[reportUnknownVariableType]

from graphmem import settings as settings_module
from graphmem.errors import GraphmemError, GraphUnavailableError, UnavailableError
from graphmem.http import (
    aliases,
    consolidations,
    entities,
    episodes,
    evaluations,
    facts,
    feedback,
    guide,
    health,
    imports,
    operations,
    preferences,
    search,
)
from graphmem.http.access import Buckets, allowed
from graphmem.http.bodies import StrictBody
from graphmem.http.dependencies import DEPENDENCIES
from graphmem.http.guide import open_to_browsers
from graphmem.http.problems import on_graphmem_error, on_http_exception, on_unexpected
from graphmem.http.requests import around_requests
from graphmem.logs import configure_logs
from graphmem.service import Service, open_service
from graphmem.settings import Settings

log = logging.getLogger(__name__)
MOST_BODY_BYTES = 16 * 1024 * 1024
FLUSH_SECONDS = 10
PREPARE_SECONDS = 2
ASSETS = Path(litestar_offline_docs.__file__).parent / "static"


def create_app() -> Litestar:
    """The application of this process, from its environment."""
    settings = settings_module.load()
    configure_logs(settings.log)
    return application(settings)


def application(settings: Settings) -> Litestar:
    """The application with these settings."""

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncGenerator[None]:
        async with open_service(settings) as service:
            await service.claim_vectors()
            app.state.service = service
            app.state.buckets = Buckets(settings.http.rate_limit_per_second)
            async with background(service):
                yield

    guarded = Router(
        "/",
        guards=[allowed],
        dto=StrictBody,
        return_dto=None,
        security=[{"key": []}],
        route_handlers=[
            *episodes.HANDLERS,
            *imports.HANDLERS,
            *search.HANDLERS,
            *facts.HANDLERS,
            *entities.HANDLERS,
            *operations.HANDLERS,
            *preferences.HANDLERS,
            *aliases.HANDLERS,
            *feedback.HANDLERS,
            *consolidations.HANDLERS,
            *evaluations.HANDLERS,
        ],
    )
    assets = create_static_files_router("/docs/assets", [ASSETS], include_in_schema=False)
    app = Litestar(
        [guarded, assets, *health.HANDLERS, *guide.HANDLERS],
        lifespan=[lifespan],
        dependencies=DEPENDENCIES,
        exception_handlers={
            GraphmemError: on_graphmem_error,  # pyright: ignore[reportArgumentType]
            HTTPException: on_http_exception,  # pyright: ignore[reportArgumentType]
            Exception: on_unexpected,
        },
        request_max_body_size=MOST_BODY_BYTES,
        cors_config=CORSConfig(allow_origins=list(settings.http.cors_origins)) if settings.http.cors_origins else None,
        openapi_config=openapi(),
        logging_config=None,
    )
    # Around the router itself: a middleware of the framework never sees a request without a route.
    app.asgi_handler = around_requests(open_to_browsers(app.asgi_handler))
    return app


def openapi() -> OpenAPIConfig:
    """The description of the API, and a page that shows it without the internet."""
    page = SwaggerRenderPlugin(
        path="/",
        js_url="/docs/assets/swagger-ui-bundle.js",
        css_url="/docs/assets/swagger-ui.css",
        standalone_preset_js_url="/docs/assets/swagger-ui-standalone-preset.js",
        favicon="<link rel='icon' href='data:,'>",
    )
    bearer = SecurityScheme(type="http", scheme="bearer", description="A key: gm_…")
    return OpenAPIConfig(
        title="graphmem",
        version="1",
        description="A memory service for AI assistants.",
        path="/docs",
        render_plugins=[page],
        components=Components(security_schemes={"key": bearer}),
    )


@asynccontextmanager
async def background(service: Service) -> AsyncGenerator[None]:
    """What runs beside the requests: wake-ups for the worker, notes of what was used, the graph made ready."""
    beside = (service.waker, service.accesses, service.handed_out)
    work = (*(part.run() for part in beside), flush_keys(service), prepare_graph(service))
    tasks = [asyncio.create_task(one) for one in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(UnavailableError):
            await service.keys.flush()
            await service.accesses.flush()
            await service.handed_out.flush()


async def flush_keys(service: Service) -> None:
    """Write down the use of keys every now and then; an outage only delays it."""
    while True:
        await asyncio.sleep(FLUSH_SECONDS)
        with contextlib.suppress(UnavailableError):
            await service.keys.flush()


async def prepare_graph(service: Service) -> None:
    """Have the graph ready before the first fact is stated; while Neo4j is away, try again and again."""
    while service.graph is not None and not service.graph.prepared:
        with contextlib.suppress(GraphUnavailableError):
            await service.graph.prepare()
        await asyncio.sleep(PREPARE_SECONDS)
