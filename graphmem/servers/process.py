"""Child processes: each in its own session, its words in a log file."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Process: TypeAlias = subprocess.Popen[bytes]

POLL_SECONDS = 0.1
LOG_BYTES = 10_000_000


@dataclass(frozen=True)
class Command:
    """What to run, where, with which environment, and as whom (ourselves unless said)."""

    words: Sequence[str | Path]
    environment: Mapping[str, str]
    cwd: Path
    uid: int | None = None
    gid: int | None = None


def spawn(command: Command, log: Path) -> Process:
    """Start it away from the terminal, so that Ctrl-C reaches the supervisor alone."""
    rotate(log)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        return subprocess.Popen(  # noqa: S603 - the words are ours
            [str(word) for word in command.words],
            env=dict(command.environment),
            cwd=command.cwd,
            user=command.uid,
            group=command.gid,
            extra_groups=None if command.uid is None else [],
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
        )
    finally:
        os.close(descriptor)


async def run(command: Command, log: Path) -> int:
    """Run it to its end and return its exit code; cancelled, it is killed."""
    process = spawn(command, log)
    try:
        return await ended(process)
    finally:
        kill(process)


async def ended(process: Process) -> int:
    """Its exit code, once it has one; asked for, not awaited, so that it survives a change of event loop."""
    while (code := process.poll()) is None:  # noqa: ASYNC110 - there is nothing to wait on
        await asyncio.sleep(POLL_SECONDS)
    return code


async def stop(process: Process, *, ask: signal.Signals, grace_seconds: float) -> None:
    """Ask it to end, and kill it with all it started when it has not after the grace."""
    if process.poll() is None:
        process.send_signal(ask)
    try:
        await asyncio.wait_for(ended(process), grace_seconds)
    except TimeoutError:
        kill(process)
        await ended(process)


def kill(process: Process) -> None:
    """End it and all it started, at once."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def rotate(log: Path) -> None:
    """Set a log that has grown large aside, in place of the one set aside before."""
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_name(f"{log.name}.1"))


def last_line(log: Path) -> str:
    """The last words of a log, for a sentence that says why something ended."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
