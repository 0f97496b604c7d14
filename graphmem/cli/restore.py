"""`graphmem restore`: everything from one file."""

import asyncio
from pathlib import Path

import click
import msgspec

from graphmem.cli.graph import rebuild_namespaces
from graphmem.cli.standing import standing
from graphmem.errors import ConflictError
from graphmem.logs import configure_logs
from graphmem.servers.dumps import restored, take_place, version_in
from graphmem.servers.terminal import Terminal
from graphmem.service import open_service
from graphmem.settings import Settings
from graphmem.stores.contents import Contents, ask_to_rebuild, contents
from graphmem.stores.schema import latest_version, migrate


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Let it take the place of the data that is there.")
def command(file: Path, *, replace: bool) -> None:
    """Put back what `graphmem backup` wrote into FILE, and make the graph again from it.

    The service may run meanwhile or not. Keys are as they were when FILE was written. Whatever fails leaves the data
    as it was.
    """
    asyncio.run(work(file, replace=replace))


async def work(file: Path, *, replace: bool) -> None:
    """Check, restore beside what is there, exchange, rebuild."""
    terminal = Terminal()
    version = await version_in(file)
    async with standing(terminal) as settings:
        configure_logs(msgspec.structs.replace(settings.log, level="WARNING"))
        here = await contents(settings.postgres.dsn)
        if here.holds_data and not replace:
            raise ConflictError("The database holds data: --replace puts the backup in its place.", "--replace")
        namespaces = await exchange(terminal, settings, file, here)
        if version < latest_version():
            terminal.say(f"The schema was brought from version {version} to {latest_version()}.")
        await follow(terminal, settings, namespaces)


async def exchange(terminal: Terminal, settings: Settings, file: Path, here: Contents) -> list[str]:
    """Put the backup in the place of what is here; the namespaces whose graphs are to be made again."""
    dsn = settings.postgres.dsn
    with terminal.step("Restore") as watch:
        async with restored(dsn, file, watch) as beside:
            await migrate(beside)
            namespaces = sorted({*here.namespaces, *(await contents(beside)).namespaces})
            await ask_to_rebuild(beside, namespaces)
            await take_place(dsn)
    return namespaces


async def follow(terminal: Terminal, settings: Settings, namespaces: list[str]) -> None:
    """Make the graphs again now, or leave it to the worker of the next start."""
    if not (settings.neo4j.enabled and settings.neo4j.uri):
        terminal.say("Restored; the graph follows when the service runs.")
        return
    async with open_service(settings) as service:
        shown = await rebuild_namespaces(service, namespaces)
    terminal.say(f"Restored; {shown} entities, facts and episodes are in the graph.")
