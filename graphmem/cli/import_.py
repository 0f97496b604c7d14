"""`graphmem import`: episodes from a file of JSON lines."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from graphmem.cli.running import with_service
from graphmem.ingest.importing import Importer
from graphmem.ingest.importing import Progress as Imported
from graphmem.service import Service

CHUNK = 256 * 1024


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option("--namespace", default="default", show_default=True, help="Where the episodes go.")
def command(file: BinaryIO, namespace: str) -> None:
    """Store the episodes of FILE, one JSON object a line; - reads standard input.

    A line that cannot be stored is reported with its number and skipped. Running it again stores nothing twice.
    """
    console = Console(stderr=True)
    last = with_service(lambda service: store(service, file, namespace, console))
    console.print(
        f"{last.lines} lines: {last.created} stored, {last.existing} there already, {last.failed} not stored."
    )
    if last.failed:
        raise SystemExit(1)


async def store(service: Service, file: BinaryIO, namespace: str, console: Console) -> Imported:
    """Import with a bar that follows the bytes read."""
    columns = (TextColumn("import"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    importer = Importer(service.ingester, namespace, datetime.now(UTC))
    last = Imported(0, 0, 0, 0, done=True, job=importer.job)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("import", total=size_of(file))
        async for last in importer.run(chunks_of(file, bar, task)):
            for bad in last.errors:
                console.print(f"line {bad.line}: {bad.error}", markup=False, highlight=False)
    await service.waker.send(namespace)
    return last


def size_of(file: BinaryIO) -> int | None:
    """How many bytes there are to read, if that can be known."""
    path = Path(str(file.name))
    return path.stat().st_size if path.is_file() else None


async def chunks_of(file: BinaryIO, bar: Progress, task: TaskID) -> AsyncIterator[bytes]:
    """The file in pieces; the bar moves with each."""
    while chunk := file.read(CHUNK):
        yield chunk
        bar.advance(task, len(chunk))
