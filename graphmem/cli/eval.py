"""`graphmem eval`: how good recall is on questions whose answers are known."""

from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import click
import msgspec
from rich.console import Console
from rich.table import Table

from graphmem.cli.known import cases_of, kind_option, namespace_option, profile_option, questions_argument, with_bar
from graphmem.cli.running import with_service
from graphmem.evaluate.chart import chart
from graphmem.evaluate.replay import Report, Way
from graphmem.evaluate.report import figures, headline, markdown
from graphmem.memory import Kind
from graphmem.service import Service


@click.command()
@questions_argument
@namespace_option
@profile_option
@kind_option
@click.option("--ablate", is_flag=True, help="Leave out each leg and stage in turn, and tell what it adds.")
@click.option(
    "--output",
    default="evaluation",
    show_default=True,
    type=click.Path(path_type=Path),
    help="The folder of the report.",
)
def command(  # noqa: PLR0913 - each is an option
    questions: BinaryIO, namespace: str, profile: str | None, kinds: tuple[Kind, ...], output: Path, *, ablate: bool
) -> None:
    """Ask the questions of QUESTIONS again, and tell how good the answers are.

    Each line is a JSON object: "query" and "gold", the ids that answer it (an empty list when nothing does), and if
    you like "stale" (ids that no longer do), "id", "category", "valid_as_of", "known_as_of", "since", "until".
    Writes evaluation.json, evaluation.md and evaluation.svg into the folder.
    """
    cases = cases_of(questions)
    way = Way(profile=profile, kinds=kinds, ablate=ablate)
    bars = Console(stderr=True)

    async def work(service: Service) -> Report:
        evaluator = service.evaluations.evaluator
        return await with_bar(
            lambda progress: evaluator.evaluate(namespace, cases, way, now=datetime.now(UTC), progress=progress), bars
        )

    report = with_service(work)
    write(report, output)
    show(report, output)


def write(report: Report, folder: Path) -> None:
    """The report in its three forms."""
    folder.mkdir(parents=True, exist_ok=True)
    written = msgspec.json.format(msgspec.json.encode(report), indent=2)
    (folder / "evaluation.json").write_bytes(written + b"\n")
    (folder / "evaluation.md").write_text(markdown(report), encoding="utf-8")
    (folder / "evaluation.svg").write_text(chart(report), encoding="utf-8")


def show(report: Report, folder: Path) -> None:
    """The tables on the terminal."""
    console = Console(highlight=False)
    console.print(headline(report), markup=False)
    for one in figures(report):
        table = Table(*one.headings, title=one.title, title_justify="left")
        for row in one.rows:
            table.add_row(*row)
        console.print(table)
    console.print(f"Written to {folder}.", markup=False)
