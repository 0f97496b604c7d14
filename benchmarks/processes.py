"""The processes of a running service, as /proc shows them."""

import os
import signal
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
OWN_PARTS = {"serve": "API", "worker": "worker", "up": "supervisor"}


@dataclass(frozen=True)
class Process:
    """One of them: its number, its parent, its words."""

    pid: int
    parent: int
    words: tuple[str, ...]

    @property
    def part(self) -> str:
        """The part of the service it belongs to."""
        if any("neo4j" in word for word in self.words):
            return "Neo4j"
        if "postgres" in self.words[0]:
            return "Postgres"
        return OWN_PARTS.get(self.words[-1], "other")

    @property
    def pss_bytes(self) -> int:
        """Its memory, with its share of what it has in common with others; 0 when it has just ended."""
        try:
            lines = (PROC / str(self.pid) / "smaps_rollup").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            return 0
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)

    @property
    def cpu_seconds(self) -> float:
        """Processor time of it and of its children that have ended; 0 when it has just ended itself."""
        try:
            ticks = (PROC / str(self.pid) / "stat").read_text().rpartition(")")[2].split()[11:15]
        except (FileNotFoundError, ProcessLookupError):
            return 0.0
        return sum(map(int, ticks)) / TICKS_A_SECOND


def cpu_seconds(supervisor: int) -> dict[str, float]:
    """Processor time so far, by part."""
    used: defaultdict[str, float] = defaultdict(float)
    for process in family(supervisor):
        used[process.part] += process.cpu_seconds
    return used


@contextmanager
def paused(supervisor: int, part: str) -> Generator[None]:
    """The part stands still while the block runs."""
    pid = roots(supervisor)[part]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def family(supervisor: int) -> list[Process]:
    """The supervisor and all that descend from it."""
    every = list(processes())
    found = [process for process in every if process.pid == supervisor]
    for process in found:
        found += [child for child in every if child.parent == process.pid]
    return found


def roots(supervisor: int) -> dict[str, int]:
    """The first process of each part: its children end with it."""
    return {process.part: process.pid for process in reversed(family(supervisor)) if process.pid != supervisor}


def processes() -> Iterator[Process]:
    """All that run on this machine and can be seen."""
    for folder in PROC.iterdir():
        if folder.name.isdecimal():
            try:
                words = (folder / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
                # The name in brackets may hold anything, so what follows it is read from the right.
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            yield Process(int(folder.name), parent, tuple(words))
