"""The first key: made on the first start, kept in the data folder, made anew for a database that does not know it."""

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

import httpx

from graphmem.errors import UnavailableError
from graphmem.servers import own_process
from graphmem.servers.private import write_private

CREATE = ("key", "create", "--role", "admin", "--namespaces", "*", "--name", "admin", "--print-key-only")


async def admin_key(folder: Path, api: str, environment: Mapping[str, str]) -> str:
    """The kept key if the API takes it, otherwise a new one."""
    file = folder / "admin.key"
    key = kept(file)
    if not key or not await is_known(api, key):
        key = await own_process.output(CREATE, environment, folder)
        write_private(file, f"{key}\n")
    return key


def kept(file: Path) -> str:
    """The key of an earlier start, or nothing."""
    return file.read_text().strip() if file.exists() else ""


async def is_known(api: str, key: str) -> bool:
    """Whether this database knows the key: it may be another than last time."""
    headers = {"Authorization": f"Bearer {key}"}
    try:
        async with httpx.AsyncClient(timeout=30, trust_env=False) as client:
            answer = await client.get(f"{api}/v1/episodes", params={"limit": 1}, headers=headers)
    except httpx.TransportError as error:
        raise UnavailableError(f"The API stopped answering while it was started: {error}") from error
    return answer.status_code != HTTPStatus.UNAUTHORIZED
