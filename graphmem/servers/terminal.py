"""What `up` shows while it works: a line for each step, moving on a terminal, plain elsewhere."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn


@dataclass
class Step:
    """One step under way."""

    progress: Progress
    task: TaskID

    def watch(self, done: int, total: int) -> None:
        """Show how far it has come."""
        self.progress.update(self.task, completed=done, total=total, detail=f"{done} of {total}")


@dataclass
class Terminal:
    """Where steps and sentences are written; used as a context, so that the cursor comes back."""

    console: Console = field(default_factory=lambda: Console(highlight=False, soft_wrap=True))
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

    def __enter__(self) -> "Terminal":
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def say(self, sentence: str) -> None:
        """Write one line, above what moves."""
        self.console.print(sentence, markup=False)

    @contextmanager
    def step(self, name: str) -> Generator[Step]:
        """Show a step while it runs, and that it is done with the time it took."""
        began = time.monotonic()
        task = self.progress.add_task(name, total=None, detail="")
        if not self.console.is_terminal:
            self.say(f"  {name} ...")
        try:
            yield Step(self.progress, task)
        finally:
            self.progress.remove_task(task)
        self.say(f"✓ {name} ({time.monotonic() - began:.1f} s)")
