"""`graphmem jobs`: what waits, what failed and why."""

from typing import get_args

import click
from rich.console import Console
from rich.table import Table

from graphmem.cli.running import with_service
from graphmem.errors import NotFoundError
from graphmem.memory import Job, JobState
from graphmem.service import Service


@click.command()
@click.option("--namespace", default="default", show_default=True, help="The namespace whose jobs are shown.")
@click.option("--state", type=click.Choice(get_args(JobState)), help="Only jobs in this state.")
@click.option("--limit", default=50, show_default=True, help="At most this many, the newest.")
@click.option("--retry", "retry_id", metavar="JOB", help="Make the failed and dead parts of this job due now.")
def command(namespace: str, state: JobState | None, limit: int, retry_id: str | None) -> None:
    """Show the work that follows writes, newest first."""

    async def work(service: Service) -> list[Job]:
        if retry_id is not None:
            if not await service.jobs.retry(namespace, retry_id):
                raise NotFoundError(f"No failed or dead job {retry_id} in the namespace {namespace}.")
            await service.waker.send(namespace)
        return await service.jobs.page(namespace, state=state, limit=limit, after=None)

    table = Table("id", "kind", "state", "episodes", "attempts", "made", "error")
    for job in with_service(work):
        made = f"{job.created_at:%Y-%m-%d %H:%M:%S}"
        table.add_row(job.id, job.kind, job.state, str(job.episodes), str(job.attempts), made, job.error or "")
    Console().print(table)
