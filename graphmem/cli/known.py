"""Known questions from a file, asked with a bar: what `eval` and `tune` have in common."""

from collections.abc import Awaitable, Callable
from typing import BinaryIO, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from graphmem.evaluate.questions import Case, read
from graphmem.evaluate.replay import Progress as Asked

T = TypeVar("T")
MOST_IN_A_FILE = 100_000

questions_argument = click.argument("questions", type=click.File("rb"))
namespace_option = click.option("--namespace", default="default", show_default=True, help="Where they are asked.")
profile_option = click.option("--profile", help="The recipe to ask with; the namespace's own if left out.")
kind_option = click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["episode", "fact"]),
    default=("episode", "fact"),
    show_default=True,
    help="What answers may hold; name the kind that the gold ids are of, so that no other takes its place.",
)


def cases_of(file: BinaryIO) -> list[Case]:
    """The questions of a file; one that cannot be read ends the command with every bad line's number."""
    return read(file, most=MOST_IN_A_FILE)


async def with_bar(work: Callable[[Asked], Awaitable[T]], console: Console) -> T:
    """Do the work while a bar shows how far it is."""
    columns = (TextColumn("asking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("asking", total=None)

        async def progress(asked: int, of: int) -> None:
            bar.update(task, completed=asked, total=of)

        return await work(progress)
