"""Keeps the parts running: one that dies is started again, after a wait that grows while it keeps dying."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from graphmem.errors import GraphmemError

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0
STEADY_SECONDS = 60.0


class Part(Protocol):
    """A process that can be started, watched and stopped; starting it again keeps its address."""

    name: str

    async def start(self) -> object:
        """Run it until it is ready."""
        ...

    async def ended(self) -> int:
        """The exit code, once it has ended."""
        ...

    async def stop(self) -> None:
        """End it, with everything it holds on disk."""
        ...

    def hurry(self) -> None:
        """End it at once."""
        ...


@dataclass
class Backoff:
    """How long to wait before the next start: doubles with each death, and starts over after a steady minute.

    >>> backoff = Backoff()
    >>> [backoff.after(lived_seconds=2) for _ in range(7)]
    [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    >>> backoff.after(lived_seconds=61)
    1.0
    """

    wait_seconds: float = 0.0

    def after(self, *, lived_seconds: float) -> float:
        """The wait after a death at this age."""
        fresh = self.wait_seconds == 0 or lived_seconds >= STEADY_SECONDS
        self.wait_seconds = FIRST_WAIT_SECONDS if fresh else min(self.wait_seconds * 2, LONGEST_WAIT_SECONDS)
        return self.wait_seconds


async def keep_running(part: Part, say: Callable[[str], None]) -> None:
    """Watch a started part for ever, and start it again whenever it ends; every turn is said."""
    backoff, clock = Backoff(), asyncio.get_running_loop().time
    began = clock()
    while True:
        reason = f"ended ({meaning(await part.ended())})"
        while reason:
            wait = backoff.after(lived_seconds=clock() - began)
            say(f"{part.name} {reason}; starting it again in {wait:g} s.")
            await asyncio.sleep(wait)
            began = clock()
            reason = await reason_not_started(part)
        say(f"{part.name} runs again.")


async def reason_not_started(part: Part) -> str:
    """Start it; empty when that went well. A full disk is a reason to try again, not to give up the other parts."""
    try:
        await part.start()
    except (GraphmemError, OSError) as error:
        return f"did not start ({error})"
    return ""


def meaning(code: int) -> str:
    """What an exit code says.

    >>> meaning(3), meaning(-9)
    ('exit code 3', 'signal 9')
    """
    return f"signal {-code}" if code < 0 else f"exit code {code}"
