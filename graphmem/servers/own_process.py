"""This program again, as a child: the parts that stay (API, worker) and the commands that run once."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from graphmem.errors import UnavailableError
from graphmem.servers import leftovers, process
from graphmem.servers.process import Command, Process

START_SECONDS = 120.0
SHUTDOWN_SECONDS = 20.0


@dataclass
class OwnProcess:
    """`graphmem <words>` as a child; ready when `health` answers, or at once if it has none."""

    name: str
    words: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    health: str = ""
    process: Process | None = field(default=None, init=False)

    @property
    def pid_file(self) -> Path:
        """Who runs, beside the log."""
        return self.log.with_suffix(".pid")

    async def start(self) -> None:
        """Run it until it is ready."""
        await leftovers.end_leftover(self.pid_file, grace_seconds=SHUTDOWN_SECONDS)
        self.process = process.spawn(own_command(self.words, self.environment, self.log.parent), self.log)
        leftovers.remember(self.process, self.pid_file)
        if self.health:
            await self.answers(self.process)

    async def stop(self) -> None:
        """Let it finish what it has begun, then end it."""
        if self.process is not None:
            await process.stop(self.process, ask=signal.SIGTERM, grace_seconds=SHUTDOWN_SECONDS)
            leftovers.forget(self.pid_file)

    def hurry(self) -> None:
        """End it at once."""
        if self.process is not None:
            process.kill(self.process)

    async def ended(self) -> int:
        """The exit code, once it has ended."""
        return await process.ended(self.process) if self.process is not None else 0

    async def answers(self, running: Process) -> None:
        """Wait for its first answer; one that ends or hangs instead is an error."""
        deadline = asyncio.get_running_loop().time() + START_SECONDS
        async with httpx.AsyncClient(timeout=5, trust_env=False) as client:
            while running.poll() is None and asyncio.get_running_loop().time() < deadline:
                try:
                    if (await client.get(self.health)).is_success:
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(process.POLL_SECONDS)
        await process.stop(running, ask=signal.SIGTERM, grace_seconds=SHUTDOWN_SECONDS)
        raise UnavailableError(f"{self.name} did not start: {process.last_line(self.log)} (its log is {self.log}).")


def own_command(words: Sequence[str], environment: Mapping[str, str], cwd: Path) -> Command:
    """`graphmem <words>`, in the same Python."""
    return Command((sys.executable, "-m", "graphmem", *words), {**os.environ, **environment}, cwd)


async def output(words: Sequence[str], environment: Mapping[str, str], cwd: Path) -> str:
    """What `graphmem <words>` writes, once it has run to its end; its failure is ours."""
    command = own_command(words, environment, cwd)
    child = await asyncio.create_subprocess_exec(
        *map(str, command.words),
        env=dict(command.environment),
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        said, complained = await child.communicate()
    finally:
        if child.returncode is None:
            child.kill()
    if child.returncode != 0:
        reason = (complained.decode(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
        raise UnavailableError(f"`graphmem {words[0]}` failed: {reason}")
    return said.decode().strip()
