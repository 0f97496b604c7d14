"""`graphmem serve`: the API alone."""

import click
import uvicorn

from graphmem.cli.running import load_settings, wait_for
from graphmem.service import open_service
from graphmem.settings import Settings

DRAIN_SECONDS = 10


@click.command()
def command() -> None:
    """Run the API on GRAPHMEM_HTTP__HOST and GRAPHMEM_HTTP__PORT, on databases that are already there."""
    settings = load_settings()
    wait_for(checked(settings))
    uvicorn.run(
        "graphmem.http.app:create_app",
        factory=True,
        host=settings.http.host,
        port=settings.http.port,
        workers=settings.http.workers if settings.http.workers > 1 else None,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )


async def checked(settings: Settings) -> None:
    """Refuse what cannot work with a sentence, before a server starts."""
    async with open_service(settings) as service:
        await service.claim_vectors()
