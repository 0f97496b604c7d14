"""`graphmem export`: episodes as JSON lines that import back to the same ids."""

from collections.abc import AsyncIterator
from typing import Any

import click
import msgspec

from graphmem.cli.running import with_service
from graphmem.memory import Episode
from graphmem.service import Service

PAGE = 500
NOT_EXPORTED = frozenset({"namespace", "created_at"})


@click.command()
@click.option("--namespace", default="default", show_default=True, help="What is exported.")
@click.option("--output", type=click.File("wb"), default="-", help="File to write; standard output by default.")
def command(namespace: str, output: Any) -> None:
    """Write every episode of a namespace, one JSON object a line, in the order they were stored."""

    async def work(service: Service) -> int:
        count = 0
        async for episode in exported(service, namespace):
            output.write(line_of(episode))
            count += 1
        return count

    count = with_service(work)
    click.echo(f"{count} episodes written.", err=True)


async def exported(service: Service, namespace: str) -> AsyncIterator[Episode]:
    """All episodes, page by page."""
    after = 0
    while True:
        episodes, after = await service.episodes.export_page(namespace, after=after, limit=PAGE)
        for episode in episodes:
            yield episode
        if len(episodes) < PAGE:
            return


def line_of(episode: Episode) -> bytes:
    """One episode as import takes it."""
    fields = {name: getattr(episode, name) for name in episode.__struct_fields__ if name not in NOT_EXPORTED}
    return msgspec.json.encode(fields) + b"\n"
