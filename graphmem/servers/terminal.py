"""What `up` shows while it works: a line for each step, moving on a terminal, plain elsewhere."""

import contextlib
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@dataclass
class Terminal:
    """Where steps and sentences are written; nothing moves while no step is under way."""

    console: Console = field(default_factory=lambda: Console(highlight=False, markup=False, emoji=False))
    progress: Progress = field(init=False)

    def __post_init__(self) -> None:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(20),
            TextColumn("{task.fields[detail]}"),
        )
        self.progress = Progress(
            *columns, TimeElapsedColumn(), console=self.console, transient=True, disable=not self.console.is_terminal
        )

    def say(self, sentence: str) -> None:
        """Write it, never broken into lines; a terminal that went away is no reason to stop."""
        with contextlib.suppress(OSError):
            self.console.print(sentence, soft_wrap=True)

    @contextlib.contextmanager
    def step(self, name: str) -> Generator[Callable[[int, int], None]]:
        """Show a step while it runs, then that it is done; gives what shows how far it has come."""
        began = time.monotonic()
        self.progress.start()
        task = self.progress.add_task(name, total=None, detail="")
        if not self.console.is_terminal:
            self.say(f"  {name} ...")
        try:
            yield lambda done, total: self.progress.update(
                task, completed=done, total=total, detail=f"{done} of {total}"
            )
        finally:
            self.progress.remove_task(task)
            if not self.progress.task_ids:
                self.progress.stop()
        self.say(f"✓ {name} ({time.monotonic() - began:.1f} s)")
