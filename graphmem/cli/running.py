"""Finds the service that runs here, so that a command needs no settings of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from graphmem import settings as settings_module
from graphmem.logs import configure_logs
from graphmem.service import Service, open_service
from graphmem.settings import Settings

T = TypeVar("T")


def load_settings() -> Settings:
    """The settings of this process; what they leave open is taken from the card of a running `graphmem up`."""
    settings = settings_module.load()
    card_file = Path(settings.data_dir) / "card.json"
    if not card_file.exists():
        return settings
    card: dict[str, Any] = msgspec.json.decode(card_file.read_bytes())
    if settings.postgres.dsn not in ("", card["postgres_dsn"]):
        return settings
    postgres = msgspec.structs.replace(settings.postgres, dsn=card["postgres_dsn"])
    graph = {"uri": card["neo4j_uri"], "user": card["neo4j_user"], "password": card["neo4j_password"]}
    neo4j = msgspec.structs.replace(settings.neo4j, **graph) if card["neo4j_uri"] else settings.neo4j
    return msgspec.structs.replace(settings, postgres=postgres, neo4j=neo4j)


def with_service(work: Callable[[Service], Awaitable[T]]) -> T:
    """Open the service, do the work, close it."""

    async def run() -> T:
        settings = load_settings()
        configure_logs(msgspec.structs.replace(settings.log, level="WARNING"))
        async with open_service(settings) as service:
            return await work(service)

    return asyncio.run(run())


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run one coroutine to its end."""
    return asyncio.run(work)
