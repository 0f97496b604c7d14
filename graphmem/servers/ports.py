"""Ports on loopback: which are free, and which we took last time."""

import secrets
import socket
from pathlib import Path

import msgspec

from graphmem.errors import SettingsError

# Below the range the kernel hands out for outgoing connections, so that a port is still ours after a restart.
LOWEST, HIGHEST = 20_000, 32_000


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Whether a server could listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port nobody listens on."""
    while not is_free(port := LOWEST + secrets.randbelow(HIGHEST - LOWEST)):
        pass
    return port


def remembered_ports(file: Path, wanted: dict[str, int]) -> dict[str, int]:
    """A port for each setting: the one it names, or for 0 that of last time while free, or a free one; noted in `file`.

    A port that a setting names and another process holds is refused.
    """
    before = msgspec.json.decode(file.read_bytes(), type=dict[str, int]) if file.exists() else {}
    chosen = {setting: port or kept(before.get(setting, 0)) for setting, port in wanted.items()}
    for setting, port in chosen.items():
        if not is_free(port):
            raise SettingsError(f"Port {port} is in use: end what listens there, or give {setting} another port.")
    file.write_bytes(msgspec.json.encode(chosen))
    return chosen


def kept(port: int) -> int:
    """The same port if it is still free, otherwise another."""
    return port if port and is_free(port) else free_port()
