"""`graphmem undo`: put back what the night did."""

from datetime import UTC, datetime

import click

from graphmem.cli.running import with_service
from graphmem.errors import NotFoundError
from graphmem.ledger import as_uuid
from graphmem.service import Service


@click.command()
@click.argument("identity", metavar="RUN|CHANGE")
@click.option("--namespace", default="default", show_default=True, help="The namespace it belongs to.")
@click.option("--cascade", is_flag=True, help="First put back the later changes that build on it.")
def command(identity: str, namespace: str, cascade: bool) -> None:
    """Put back one change, or all that a run did: both stores are then as they were.

    What is put back is not proposed again until new evidence speaks for it.
    """

    async def work(service: Service) -> int:
        known, now = as_uuid(identity), datetime.now(UTC)
        if known is None:
            raise NotFoundError("That is the id of neither a run nor a change.")
        if await service.consolidator.runs.find(namespace, known) is not None:
            return await service.consolidator.undo_run(namespace, known, now=now, cascade=cascade)
        return len(await service.consolidator.undo(namespace, known, now=now, cascade=cascade))

    click.echo(f"{with_service(work)} changes put back.", err=True)
