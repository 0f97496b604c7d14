"""`graphmem worker`: a worker alone."""

import click

from graphmem.cli.running import load_settings, wait_for
from graphmem.logs import configure_logs
from graphmem.service import open_service
from graphmem.settings import Settings
from graphmem.worker import WorkerProcess


@click.command()
def command() -> None:
    """Turn stored episodes into knowledge, until stopped; any number of workers may run."""
    settings = load_settings()
    configure_logs(settings.log)
    wait_for(work(settings))


async def work(settings: Settings) -> None:
    """One worker on an open service."""
    async with open_service(settings) as service:
        await service.claim_vectors()
        await WorkerProcess(service).run()
