"""The supervisor: what dies is started again, and what an earlier one left is found."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from graphmem.errors import UnavailableError
from graphmem.servers import leftovers, process, supervisor
from graphmem.servers.process import Command, Process
from graphmem.servers.supervisor import keep_running

FOR_EVER = "import time; time.sleep(600)"


@dataclass
class Child:
    """A part that runs a line of Python; it counts its starts."""

    folder: Path
    program: str
    name: str = "child"
    starts: int = 0
    failures: int = 0
    started_thrice: asyncio.Event = field(default_factory=asyncio.Event)
    process: Process | None = None

    async def start(self) -> None:
        self.starts += 1
        if self.starts == 3:
            self.started_thrice.set()
        if self.starts <= self.failures:
            raise UnavailableError("not yet")
        words = (sys.executable, "-c", self.program)
        self.process = process.spawn(Command(words, os.environ, self.folder), self.folder / "child.log")

    async def ended(self) -> int:
        return await process.ended(self.process) if self.process else 1

    async def stop(self) -> None:
        if self.process:
            await process.stop(self.process, ask=signal.SIGTERM, grace_seconds=5)

    def hurry(self) -> None: ...


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_WAIT_SECONDS", 0.01)


@pytest.fixture
def stranger() -> Iterator[Process]:
    with subprocess.Popen([sys.executable, "-c", FOR_EVER], start_new_session=True) as running:
        yield running
        running.kill()


async def said_until_started_thrice(child: Child) -> list[str]:
    said: list[str] = []
    watching = asyncio.create_task(keep_running(child, said.append))
    await child.started_thrice.wait()
    watching.cancel()
    await child.stop()
    return said


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - another process decides
            await asyncio.sleep(0.01)


def test_a_part_that_dies_is_started_again_and_said_so(tmp_path: Path) -> None:
    said = asyncio.run(said_until_started_thrice(Child(tmp_path, "raise SystemExit(3)")))

    assert said[1:3] == ["child runs again.", "child ended (exit code 3); starting it again in 0.02 s."]


def test_a_part_that_does_not_start_is_tried_again(tmp_path: Path) -> None:
    said = asyncio.run(said_until_started_thrice(Child(tmp_path, FOR_EVER, failures=2)))

    assert said[1] == "child did not start (not yet); starting it again in 0.02 s."


def test_a_child_that_ignores_the_request_to_end_is_killed_with_all_it_started(tmp_path: Path) -> None:
    program = (
        "import signal, subprocess, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"grandchild = subprocess.Popen([sys.executable, '-c', {FOR_EVER!r}]); print(grandchild.pid, flush=True);"
        "signal.pause()"
    )
    log = tmp_path / "child.log"

    async def stubborn() -> int:
        running = process.spawn(Command((sys.executable, "-c", program), os.environ, tmp_path), log)
        await until(lambda: bool(log.read_text().strip()))
        await process.stop(running, ask=signal.SIGTERM, grace_seconds=0.2)
        await until(lambda: leftovers.birth(int(log.read_text())) is None)
        return await process.ended(running)

    assert asyncio.run(stubborn()) == -signal.SIGKILL


def test_a_process_left_by_a_killed_supervisor_is_ended(tmp_path: Path, stranger: Process) -> None:
    leftovers.remember(stranger, tmp_path / "part.pid")

    asyncio.run(leftovers.end_leftover(tmp_path / "part.pid"))

    assert stranger.wait() == -signal.SIGTERM
    assert not (tmp_path / "part.pid").exists()


def test_a_process_that_only_has_the_number_of_one_of_ours_is_let_be(tmp_path: Path, stranger: Process) -> None:
    (tmp_path / "part.pid").write_text(f"{stranger.pid} born at another time")

    asyncio.run(leftovers.end_leftover(tmp_path / "part.pid"))

    assert stranger.poll() is None


def test_a_log_that_has_grown_large_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "LOG_BYTES", 3)
    (tmp_path / "part.log").write_text("long")

    process.rotate(tmp_path / "part.log")

    assert [file.name for file in tmp_path.iterdir()] == ["part.log.1"]
