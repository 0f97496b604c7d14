"""`graphmem reembed`: the stored texts through another model."""

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from graphmem.cli.running import with_service
from graphmem.errors import SettingsError
from graphmem.ingest.reembed import Reembedder
from graphmem.service import Service
from graphmem.stores.reembedding import ReembeddingStore


@click.command()
def command() -> None:
    """Make the vectors of every episode anew with the model that GRAPHMEM_EMBEDDER__* names.

    The service goes on with the old vectors until all new ones are there. Interrupted, it continues where it was.
    Restart the service with the new settings when it is done.
    """
    made = with_service(work)
    click.echo(f"{made} vectors made; restart the service with these settings.", err=True)


async def work(service: Service) -> int:
    """Re-embed with a bar."""
    if service.embedder is None:
        raise SettingsError("GRAPHMEM_EMBEDDER__KIND is none: name the model to change to.")
    reembedder = Reembedder(ReembeddingStore(service.postgres), service.embedder)
    columns = (TextColumn("reembed"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    made = 0
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reembed", total=None)
        async for progress in reembedder.run():
            made = progress.made
            bar.update(task, completed=made, total=progress.episodes)
    return made
