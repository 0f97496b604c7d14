"""`graphmem tune`: better numbers for a profile, if there are any that hold out."""

from datetime import UTC, datetime
from typing import BinaryIO

import click
import msgspec
from rich.console import Console

from graphmem.cli.known import cases_of, kind_option, namespace_option, profile_option, questions_argument, with_bar
from graphmem.cli.running import with_service
from graphmem.evaluate.replay import Asking, Way
from graphmem.evaluate.tuning import Advice, advice, candidates
from graphmem.memory import Kind
from graphmem.service import Service


@click.command()
@questions_argument
@namespace_option
@profile_option
@kind_option
@click.option("--trials", default=40, show_default=True, type=click.IntRange(2, 500), help="How much is tried.")
@click.option("--folds", default=5, show_default=True, type=click.IntRange(2, 20), help="Parts of the questions.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed, the same trials."
)
def command(  # noqa: PLR0913, PLR0917 - each is an option
    questions: BinaryIO,
    namespace: str,
    profile: str | None,
    kinds: tuple[Kind, ...],
    trials: int,
    folds: int,
    seed: int,
) -> None:
    """Look for numbers that answer the questions of QUESTIONS better, by nDCG@10.

    What is chosen on some of the questions is judged on the others; what does not hold out is not recommended. Nothing
    is changed: the request that would change it is printed. The questions are written as for `graphmem eval`.
    """
    cases = [case for case in cases_of(questions) if case.gold]
    bars = Console(stderr=True)

    async def work(service: Service) -> tuple[str, Advice]:
        evaluator = service.evaluations.evaluator
        chosen = await evaluator.profile(namespace, Way(profile=profile))
        tried = candidates(chosen, trials=trials, seed=seed)
        asking = Asking(namespace, kinds, datetime.now(UTC))
        marks = await with_bar(lambda progress: evaluator.marks(asking, cases, tried, progress=progress), bars)
        return chosen.name, advice(chosen, tried, marks, folds=folds, seed=seed)

    name, found = with_service(work)
    click.echo("\n".join(said(found, namespace, name)))


def said(found: Advice, namespace: str, profile: str) -> list[str]:
    """The advice in words, and the request that would follow it."""
    lines = [found.reason]
    if found.held_out is not None:
        mean, low, high = found.held_out
        lines.append(f"nDCG@10 is {found.now:.3f} now, and {found.best:.3f} with the best that was tried.")
        lines.append(f"Chosen without the questions it is judged by: {mean:+.3f} [{low:+.3f}, {high:+.3f}].")
    if found.changes:
        body = msgspec.json.encode({"namespace": namespace, "profile": profile} | found.changes).decode()
        lines += ["", "PATCH /v1/settings", body]
    return lines
