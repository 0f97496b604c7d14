"""`graphmem up`, from outside: a process, its card, its signals."""

import fcntl
import json
import os
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphmem.servers.leftovers import birth

ROOT = Path(__file__).parent.parent.parent
COMMAND = (sys.executable, "-m", "graphmem", "up")
PATIENCE_SECONDS = 240
SMALL = {"GRAPHMEM_NEO4J__ENABLED": "false", "GRAPHMEM_EMBEDDER__KIND": "none"}


@dataclass
class Up:
    """A running `graphmem up`."""

    process: "subprocess.Popen[bytes]"
    folder: Path
    output: Path

    @property
    def card(self) -> dict[str, Any]:
        return json.loads((self.folder / "card.json").read_text())

    def wait_for(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            assert self.process.poll() is None, self.output.read_text()
            assert time.monotonic() < deadline, self.output.read_text()
            time.sleep(0.05)

    @property
    def pids(self) -> dict[str, int]:
        files = {"API": "logs/api.pid", "worker": "logs/worker.pid", "Postgres": "postgres/data/postmaster.pid"}
        return {part: int((self.folder / file).read_text().split()[0]) for part, file in files.items()}

    def store(self) -> str:
        """Store the card's memory and return its id."""
        return pasted(self.commands[0])["id"]

    def search(self, query: str = "vacation in March") -> dict[str, Any]:
        """Ask the card's search something."""
        return pasted(self.commands[1].replace("When is the vacation?", query))

    @property
    def commands(self) -> list[str]:
        return [line for line in self.output.read_text().splitlines() if line.startswith("curl ")]


def environment(folder: Path, **values: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GRAPHMEM_")}
    ours = {"GRAPHMEM_DATA_DIR": str(folder), "GRAPHMEM_HTTP__PORT": "0", "PYTHONPATH": str(ROOT)}
    return inherited | ours | values


@contextmanager
def running(folder: Path, **values: str) -> Generator[Up]:
    """Run it until its card is there, and end it the way a terminal does, unless it was killed before."""
    output = folder.with_suffix(".out")
    with output.open("wb") as opened:
        process = subprocess.Popen(COMMAND, env=environment(folder, **values), stdout=opened, stderr=subprocess.STDOUT)
    up = Up(process, folder, output)
    try:
        up.wait_for((folder / "card.json").exists)
        yield up
    finally:
        process.send_signal(signal.SIGINT)
        code = process.wait(PATIENCE_SECONDS)
    assert code in (0, -signal.SIGKILL), output.read_text()


def refused(folder: Path, **values: str) -> str:
    """What it says when it cannot start, which is one sentence and never a stack."""
    done = subprocess.run(COMMAND, env=environment(folder, **values), capture_output=True, check=False)
    assert done.returncode == 5, done.stderr
    assert b"Traceback" not in done.stderr
    return done.stderr.decode()


def pasted(line: str) -> dict[str, Any]:
    """The answer to a line of the card, as a shell runs it."""
    return json.loads(subprocess.run(shlex.split(line), capture_output=True, check=True).stdout)


def path_without_maven(folder: Path) -> str:
    """A PATH with nothing on it but what lets root hand over Postgres."""
    folder.mkdir()
    (folder / "setpriv").symlink_to(shutil.which("setpriv") or "/usr/bin/setpriv")
    return str(folder)


def test_the_two_commands_of_the_card_work_and_everything_stops(tmp_path: Path) -> None:
    with running(tmp_path / "data") as up:
        stored = pasted(up.commands[0])
        found = pasted(up.commands[1])
        card, pids = up.card, up.pids
        mode = stat.S_IMODE((up.folder / "card.json").stat().st_mode)

    assert found["results"][0]["id"] == stored["id"]
    assert list(card) == ["api", "docs", "browser", "neo4j_uri", "neo4j_user", "neo4j_password", "postgres_dsn", "key"]
    assert all(card.values())
    assert mode == 0o600
    assert not (tmp_path / "data" / "card.json").exists()
    assert [birth(pid) for pid in pids.values()] == [None, None, None]


def test_without_maven_it_says_so_and_serves_what_it_can(tmp_path: Path) -> None:
    path = path_without_maven(tmp_path / "bin")

    with running(tmp_path / "data", GRAPHMEM_CACHE_DIR=str(tmp_path / "cache"), PATH=path) as up:
        stored = up.store()
        found = up.search()
        card, said = up.card, up.output.read_text()

    assert "without the graph, keyword and vector search go on" in said
    assert "without vectors, keyword search goes on" in said
    assert [card["browser"], card["neo4j_uri"], card["neo4j_user"], card["neo4j_password"]] == [None] * 4
    assert found["results"][0]["id"] == stored


def test_what_is_killed_comes_back_with_what_was_stored_the_supervisor_too(tmp_path: Path) -> None:
    with running(tmp_path / "data", **SMALL) as up:
        stored, key, first_pids = up.store(), up.card["key"], up.pids
        for pid in first_pids.values():
            os.kill(pid, signal.SIGKILL)
        up.wait_for(lambda: all(f"{part} runs again." in up.output.read_text() for part in first_pids))
        found, left = up.search(), up.pids
        up.process.kill()
        up.process.wait()
    (tmp_path / "data" / "card.json").unlink()

    with running(tmp_path / "data", **SMALL) as next_up:
        found_again, next_key = next_up.search(), next_up.card["key"]

    assert [hit["id"] for hit in found["results"]] == [stored]
    assert [hit["id"] for hit in found_again["results"]] == [stored]
    assert next_key == key
    assert [birth(pid) for pid in left.values()] == [None, None, None]


def test_a_key_that_this_database_does_not_know_is_made_anew(tmp_path: Path, dsn: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "admin.key").write_text("gm_of_another_database")

    with running(tmp_path / "data", GRAPHMEM_POSTGRES__DSN=dsn, **SMALL) as up:
        card, stored = up.card, up.store()

    assert stored
    assert card["postgres_dsn"] == dsn
    assert (tmp_path / "data" / "admin.key").read_text().strip() == card["key"]
    assert stat.S_IMODE((tmp_path / "data" / "admin.key").stat().st_mode) == 0o600


def test_a_port_in_use_is_refused_with_the_setting_to_change(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        said = refused(tmp_path / "data", GRAPHMEM_HTTP__PORT=str(port))

    assert f"Port {port} is in use" in said
    assert "GRAPHMEM_HTTP__PORT" in said


def test_a_data_folder_in_use_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "up.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        said = refused(tmp_path)

    assert "in use by another `graphmem up`" in said


def test_a_data_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert "choose another GRAPHMEM_DATA_DIR" in refused(tmp_path / "file" / "data")
