"""Locks between processes, on a file; each falls with its holder, however that ends."""

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from graphmem.errors import SettingsError


@asynccontextmanager
async def locked(file: Path) -> AsyncGenerator[None]:
    """Wait for the lock and hold it."""
    with file.open("w") as opened:
        while not taken(opened.fileno()):  # noqa: ASYNC110 - another process holds it
            await asyncio.sleep(0.2)
        yield


@contextmanager
def sole_user(folder: Path) -> Generator[None]:
    """Hold the data folder, or say who does."""
    with (folder / "up.lock").open("a+") as opened:
        if not taken(opened.fileno()):
            opened.seek(0)
            raise SettingsError(
                f"{folder} is in use by another `graphmem up` (process {opened.read().strip()}): "
                "stop that one, or give GRAPHMEM_DATA_DIR another folder."
            )
        opened.truncate(0)
        opened.write(str(os.getpid()))
        opened.flush()
        yield


def taken(descriptor: int) -> bool:
    """Try to take the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
