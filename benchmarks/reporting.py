"""What a benchmark shows: progress while it runs, tables at its end, its section of docs/benchmarks.md if asked."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table as ShownTable

from benchmarks.running import CHECKOUT

PAGE = CHECKOUT / "docs" / "benchmarks.md"
# Tables are wider than the 80 columns a pipe is taken for.
console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
report_option = click.option("--report", is_flag=True, help="Write the figures into docs/benchmarks.md.")


@dataclass(frozen=True)
class Table:
    """Figures with a heading for each column."""

    headings: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list[Sequence[str]])

    def add(self, *cells: str | float) -> None:
        """One more row."""
        self.rows.append([cell if isinstance(cell, str) else f"{cell:.3g}" for cell in cells])

    def shown(self) -> ShownTable:
        """For a terminal."""
        table = ShownTable(*self.headings)
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """For a page."""
        written = [self.headings, ["---"] * len(self.headings), *self.rows]
        return "\n".join(f"| {' | '.join(row)} |" for row in written)


@dataclass(frozen=True)
class Bar:
    """What must hold, what was measured, and whether it holds."""

    text: str
    measured: str
    holds: bool

    def __str__(self) -> str:
        return f"{'✓' if self.holds else '✗'} {self.text}: {self.measured}"


def progress() -> Progress:
    """A bar with a count and the time that is left."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console)


def conclude(name: str, parts: Sequence[Table | str], bars: Sequence[Bar], *, report: bool) -> None:
    """Show the figures, write them down if asked, and fail when a bar is missed."""
    for part in parts:
        console.print(part.shown() if isinstance(part, Table) else part)
    for bar in bars:
        console.print(str(bar))
    if report:
        texts = [part.markdown() if isinstance(part, Table) else part for part in parts]
        section = "\n\n".join([*texts, "\n".join(f"- {bar}" for bar in bars)])
        PAGE.write_text(with_section(PAGE.read_text(), name, section))
    if not all(bar.holds for bar in bars):
        raise SystemExit(1)


def with_section(page: str, name: str, section: str) -> str:
    """The page with the figures of one benchmark in place of its old ones; the sentence under its heading stays.

    >>> print(with_section("# All\\n\\n## One\\n\\nWhat it asks.\\n\\nold\\n\\n## Two\\n", "One", "new"))
    # All
    <BLANKLINE>
    ## One
    <BLANKLINE>
    What it asks.
    <BLANKLINE>
    new
    <BLANKLINE>
    ## Two
    <BLANKLINE>
    """
    old = re.compile(rf"(^## {name}\n\n[^\n]+\n).*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    return old.sub(lambda found: f"{found[1]}\n{section}\n\n", page).rstrip("\n") + "\n"
