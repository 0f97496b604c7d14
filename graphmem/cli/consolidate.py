"""`graphmem consolidate`: tidy what is remembered."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import cast

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from graphmem.cli.graph import every_namespace
from graphmem.cli.running import with_service
from graphmem.consolidate.report import report
from graphmem.night import STEPS, Change, Consolidation, StepName
from graphmem.service import Service

MOST_CHANGES = 1000
FORMS = ("text", "markdown", "json")


@click.command()
@click.option("--namespace", help="Only this one; all of them by default.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--step", "steps", multiple=True, type=click.Choice(STEPS), help="Only this step; may be given again.")
@click.option(
    "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", help="Of the report."
)
def command(namespace: str | None, dry_run: bool, steps: Sequence[str], form: str) -> None:
    """Tidy what is remembered: merge what is the same, settle what contradicts, keep what is confirmed.

    Everything is written down with its reason and can be put back with `graphmem undo`. The service may run meanwhile.
    Interrupted, a worker does the rest.
    """
    wanted = cast("Sequence[StepName]", steps or STEPS)

    async def work(service: Service) -> None:
        for one in [namespace] if namespace else await every_namespace(service):
            click.echo(written(*await consolidated(service, one, wanted, dry_run=dry_run), form), nl=False)

    with_service(work)


async def consolidated(
    service: Service, namespace: str, steps: Sequence[StepName], *, dry_run: bool
) -> tuple[Consolidation, list[Change]]:
    """A run over one namespace, with a bar; the run as it ended and the first of its changes."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(namespace, total=None)

        def watch(step: str, done: int, total: int) -> None:
            bar.update(task, description=f"{namespace} {step}", completed=done, total=total)

        run = await service.consolidator.ask(namespace, now=datetime.now(UTC), steps=steps, dry_run=dry_run)
        run = await service.consolidator.finish_here(run, watch)
    return run, await service.consolidator.changes.page(namespace, limit=MOST_CHANGES, after=0, run=run.id)


def written(run: Consolidation, changes: list[Change], form: str) -> str:
    """The report in one of its forms; as JSON one line a run."""
    if form == "json":
        return msgspec.json.encode({"run": run, "changes": changes}).decode() + "\n"
    return report(run, changes, markdown=form == "markdown")
