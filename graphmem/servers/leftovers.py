"""Processes that a killed supervisor left running: known again by number and birth, and ended before a new start."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path

from graphmem.errors import SettingsError
from graphmem.servers.process import POLL_SECONDS, Process


def birth(pid: int) -> str | None:
    """What tells this process from a later one with the same number; None when there is none."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        if Path("/proc/self/stat").exists():
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
            fields = stat.read_text().rpartition(")")[2].split()
            return None if fields[0] == "Z" else f"{boot} {fields[19]}"
        return subprocess.run(  # noqa: S603
            ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def command_line(pid: int) -> str:
    """The words a process was started with, or nothing."""
    words = Path(f"/proc/{pid}/cmdline")
    if words.exists():
        return words.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    listing = subprocess.run(  # noqa: S603
        ["/bin/ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return listing.stdout.strip()


def remember(process: Process, pid_file: Path) -> None:
    """Note who runs, for the next start to find should we be killed."""
    pid_file.write_text(f"{process.pid} {birth(process.pid)}")


async def end_leftover(pid_file: Path, *, ask: signal.Signals = signal.SIGTERM, grace_seconds: float = 30) -> None:
    """End the process an earlier, killed supervisor left running; another one that got its number is let be."""
    if pid := remembered(pid_file):
        await end_stranger(pid, ask=ask, grace_seconds=grace_seconds)
    forget(pid_file)


def remembered(pid_file: Path) -> int | None:
    """The process that was noted, while it is still that very process."""
    pid, _, born = (pid_file.read_text() if pid_file.exists() else "").partition(" ")
    return int(pid) if pid.isdigit() and born and birth(int(pid)) == born else None


def forget(pid_file: Path) -> None:
    """Take the note away."""
    pid_file.unlink(missing_ok=True)


async def end_stranger(pid: int, *, ask: signal.Signals, grace_seconds: float) -> None:
    """End a process that is not our child: ask, wait, kill."""
    born = birth(pid)
    for sign, seconds in ((ask, grace_seconds), (signal.SIGKILL, 10.0)):
        try:
            os.kill(pid, sign)
        except ProcessLookupError:
            return
        except PermissionError as error:
            raise SettingsError(
                f"Process {pid} still holds the data folder and belongs to another user: stop it first."
            ) from error
        for _ in range(round(seconds / POLL_SECONDS)):
            if birth(pid) != born:
                return
            await asyncio.sleep(POLL_SECONDS)
