"""Ports: kept while they are free, refused when they were asked for and are not."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.errors import SettingsError
from graphmem.servers.ports import remembered_ports


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_free_port_is_chosen_once_and_kept(tmp_path: Path) -> None:
    first = remembered_ports(tmp_path / "ports.json", {"BOLT": 0, "HTTP": 0})

    assert remembered_ports(tmp_path / "ports.json", {"BOLT": 0, "HTTP": 0}) == first
    assert len(set(first.values())) == 2


def test_a_kept_port_that_another_took_is_replaced(tmp_path: Path, busy_port: int) -> None:
    (tmp_path / "ports.json").write_text(f'{{"BOLT": {busy_port}}}')

    assert remembered_ports(tmp_path / "ports.json", {"BOLT": 0})["BOLT"] not in (0, busy_port)


def test_a_port_that_was_asked_for_and_is_in_use_is_refused(tmp_path: Path, busy_port: int) -> None:
    with pytest.raises(SettingsError, match=f"Port {busy_port} is in use.*BOLT"):
        remembered_ports(tmp_path / "ports.json", {"BOLT": busy_port})
