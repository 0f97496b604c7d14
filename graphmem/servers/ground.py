"""What must hold before anything is started: no leftovers, room on the disk, a free port."""

import os
import shutil
from pathlib import Path

from graphmem.errors import SettingsError
from graphmem.servers import card, leftovers
from graphmem.servers.ports import free_port, is_free
from graphmem.servers.private import private_folder
from graphmem.settings import Settings

LEAST_FREE_BYTES = 500_000_000
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


async def clear_ground(settings: Settings, folder: Path) -> dict[str, str]:
    """End what a killed `up` left of the API and the worker, and return the settings that all parts share."""
    card.remove(folder)
    logs = private_folder(folder / "logs")
    for name in ("api", "worker"):
        await leftovers.end_leftover(logs / f"{name}.pid")
    check_room(folder)
    return shared_settings(settings, folder)


def shared_settings(settings: Settings, folder: Path) -> dict[str, str]:
    """The environment of every part: folders by their full names, the port, and one thread for small matrices.

    The extractor's matrices are so small that more threads only wait for each other: on 2 idle cores for nearly three
    times the processor time at the same speed, on busy ones at half the speed or less.
    """
    return {
        "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1"),
        "GRAPHMEM_DATA_DIR": str(folder),
        "GRAPHMEM_CACHE_DIR": str(Path(settings.cache_dir).absolute()),
        "GRAPHMEM_HTTP__PORT": str(api_port(settings.http.host, settings.http.port)),
    }


def check_room(folder: Path) -> None:
    """Refuse to start on a disk that is nearly full: a database that cannot write stops in the middle of work."""
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        raise SettingsError(
            f"Only {free // 1_000_000} MB are free on the disk of {folder}, and {LEAST_FREE_BYTES // 1_000_000} MB are "
            "needed: make room, or give GRAPHMEM_DATA_DIR a folder on another disk."
        )


def api_port(host: str, port: int) -> int:
    """The port of the API, a free one for 0; refused while another process has it."""
    if port and not is_free(port, host):
        raise SettingsError(
            f"Port {port} is in use on {host}: end what listens there, or give GRAPHMEM_HTTP__PORT another port."
        )
    return port or free_port()


def api_address(host: str, port: str) -> str:
    """Where a client on this machine finds the API.

    >>> api_address("0.0.0.0", "8321"), api_address("::1", "80")
    ('http://127.0.0.1:8321', 'http://[::1]:80')
    """
    reached = EVERYWHERE.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"
