"""`graphmem graph`: make the graph again from the ledger."""

from collections.abc import Sequence

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from graphmem.cli.running import with_service
from graphmem.errors import SettingsError
from graphmem.service import Service

PAGE = 1000


@click.group()
def command() -> None:
    """Look after the graph."""


@command.command()
@click.option("--namespace", help="Only this one; all of them by default.")
def rebuild(namespace: str | None) -> None:
    """Make the graph in Neo4j again from the ledger in Postgres, to the same ids; no model is asked.

    The service may run meanwhile. Interrupted, a worker does the rest.
    """

    async def work(service: Service) -> int:
        return await rebuild_namespaces(service, [namespace] if namespace else await every_namespace(service))

    click.echo(f"{with_service(work)} entities, facts and episodes written.", err=True)


async def rebuild_namespaces(service: Service, wanted: Sequence[str]) -> int:
    """One after the other, with a bar for each."""
    if service.rebuilder is None:
        raise SettingsError("No graph is configured: set GRAPHMEM_NEO4J__URI, or start everything with `graphmem up`.")
    columns = (TextColumn("rebuild {task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = 0
    with Progress(*columns, console=Console(stderr=True)) as bar:
        for one in wanted:
            task = bar.add_task(one, total=None)
            shown += await service.rebuilder.rebuild(
                one, lambda done, total, task=task: bar.update(task, completed=done, total=total)
            )
            bar.update(task, visible=len(wanted) == 1)
    return shown


async def every_namespace(service: Service) -> list[str]:
    """All namespaces by name."""
    names: list[str] = []
    while page := await service.namespaces.page(limit=PAGE, after=names[-1] if names else None, reach=None):
        names += [one.namespace for one in page]
    return names
