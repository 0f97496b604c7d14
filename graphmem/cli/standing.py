"""A Postgres that stands: that of a running service, or the embedded one, started while a command needs it."""

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import msgspec

from graphmem import settings as settings_module
from graphmem.cli.running import load_settings
from graphmem.errors import SettingsError, UnavailableError
from graphmem.servers.lock import sole_user
from graphmem.servers.postgres import EmbeddedPostgres
from graphmem.servers.private import private_folder
from graphmem.servers.terminal import Terminal
from graphmem.settings import Settings


@asynccontextmanager
async def standing(terminal: Terminal) -> AsyncGenerator[Settings]:
    """The settings with the address of a Postgres that runs while the block does."""
    given = settings_module.load()
    if given.postgres.dsn:
        yield load_settings()
        return
    folder = private_folder(Path(given.data_dir))
    with ExitStack() as stack:
        try:
            stack.enter_context(sole_user(folder))
        except SettingsError:
            yield running(load_settings())
            return
        server = EmbeddedPostgres(folder / "postgres", given.postgres)
        try:
            with terminal.step("Postgres"):
                dsn = await server.start()
            yield msgspec.structs.replace(given, postgres=msgspec.structs.replace(given.postgres, dsn=dsn))
        finally:
            with terminal.step("Stopping Postgres"):
                await server.stop()


def running(settings: Settings) -> Settings:
    """The settings of a `graphmem up` that holds the data folder, once it has said where everything is."""
    if not settings.postgres.dsn:
        raise UnavailableError(f"`graphmem up` is starting or stopping on {settings.data_dir}; try again shortly.")
    return settings
