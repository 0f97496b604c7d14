"""`graphmem key`: make, list and revoke API keys."""

import re
from typing import get_args

import click
from rich.console import Console
from rich.table import Table

from graphmem.cli.running import with_service
from graphmem.errors import InvalidError, NotFoundError
from graphmem.memory import NAMESPACE_PATTERN, Key, Role
from graphmem.service import Service


@click.group()
def command() -> None:
    """Make, list and revoke API keys."""


@command.command()
@click.option("--role", type=click.Choice(get_args(Role)), required=True, help="What the key may do.")
@click.option("--namespaces", default="default", show_default=True, help="Comma separated; * is all of them.")
@click.option("--name", default="", help="A note for people.")
@click.option("--print-key-only", is_flag=True, help="Print the key and nothing else.")
def create(role: Role, namespaces: str, name: str, print_key_only: bool) -> None:
    """Make a key; it is shown this once."""
    reach = [part.strip() for part in namespaces.split(",") if part.strip()]
    wrong = [part for part in reach if part != "*" and re.search(NAMESPACE_PATTERN, part) is None]
    if wrong or not reach:
        raise InvalidError.of("--namespaces", "must be * or names of 1 to 64 of a-z, 0-9 and _, comma separated")

    async def work(service: Service) -> tuple[Key, str]:
        return await service.keys.create(role=role, namespaces=reach, name=name)

    key, secret = with_service(work)
    click.echo(secret if print_key_only else f"{secret}\n(id {key.id}; keep the key, it cannot be shown again)")


@command.command(name="list")
def show() -> None:
    """List keys, without their secrets."""

    async def work(service: Service) -> list[Key]:
        return await service.keys.page(limit=1000, after=None)

    table = Table("id", "name", "role", "namespaces", "made", "last used")
    for key in with_service(work):
        used = f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never"
        table.add_row(key.id, key.name, key.role, ", ".join(key.namespaces), f"{key.created_at:%Y-%m-%d}", used)
    Console().print(table)


@command.command()
@click.argument("key_id")
def revoke(key_id: str) -> None:
    """Make a key worthless."""

    async def work(service: Service) -> bool:
        return await service.keys.revoke(key_id)

    if not with_service(work):
        raise NotFoundError(f"There is no key {key_id}; `graphmem key list` shows those there are.")
    click.echo("Revoked.")
