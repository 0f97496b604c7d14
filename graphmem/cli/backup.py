"""`graphmem backup`: everything into one file."""

import asyncio
from pathlib import Path

import click

from graphmem.cli.standing import standing
from graphmem.servers.dumps import backup
from graphmem.servers.terminal import Terminal

MEGABYTE = 1_000_000


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def command(file: Path) -> None:
    """Write all that Postgres holds into FILE, as it is at this moment; the graph follows from it.

    The service may run meanwhile or not. FILE is there whole or not at all, and takes the place of an older one.
    """
    asyncio.run(work(file))


async def work(file: Path) -> None:
    """Dump with a line that shows how far it is."""
    terminal = Terminal()
    async with standing(terminal) as settings:
        with terminal.step("Backup") as watch:
            await backup(settings.postgres.dsn, file, watch)
    terminal.say(f"{size_of(file) / MEGABYTE:.1f} MB written to {file}.")


def size_of(file: Path) -> int:
    """Its bytes."""
    return file.stat().st_size
