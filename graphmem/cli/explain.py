"""`graphmem explain`: why a question is answered as it is."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, get_args

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphmem.cli.running import with_service
from graphmem.errors import ModelUnavailableError
from graphmem.memory import Mode, Query, Recalled
from graphmem.recall.context import shortened
from graphmem.recall.pipeline import Answer
from graphmem.recall.profiles import PROFILES
from graphmem.service import Service

TEXT_CHARACTERS = 60


@click.command()
@click.argument("question")
@click.option("--namespace", default="default", show_default=True, help="The namespace that is asked.")
@click.option("--profile", type=click.Choice(list(PROFILES)), help="A recipe; the namespace's own by default.")
@click.option(
    "--mode", type=click.Choice(get_args(Mode)), default="auto", show_default=True, help="Which legs are asked."
)
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="At most this many memories.")
def command(question: str, namespace: str, profile: str | None, mode: Mode, limit: int) -> None:
    """Ask a question and show what each leg found, what each stage did, the way of charge, and the time it took.

    It is not counted as an access.
    """

    async def work(service: Service) -> Answer:
        if service.embedder is not None:
            # The model is loaded first, so that no leg misses its deadline over it.
            with contextlib.suppress(ModelUnavailableError):
                await service.embedder.embed_query("")
        chosen = await service.preferences.profile(namespace, profile, {})
        aliases = await service.preferences.aliases(namespace)
        query = Query(namespace=namespace, text=question, mode=mode, limit=limit, aliases=aliases)
        return await service.recaller.recall(query, chosen, now=datetime.now(UTC))

    show(with_service(work), Console())


def show(answer: Answer, console: Console) -> None:
    """Print the answer's trace as tables."""
    trace = answer.trace
    for title, value in understood(trace):
        console.print(Text.assemble((f"{title:<13}", "bold"), shortened(str(value))))
    console.print(legs(trace, {missing.leg: missing.reason for missing in answer.missing}))
    console.print(memories(answer))
    if any(result.path for result in answer.results):
        console.print(paths(answer.results))
    console.print(times(answer))


def understood(trace: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    """What the question was taken for."""
    query, expansion = trace["query"], trace["expansion"]
    yield "profile", f"{query['profile']}, mode {query['mode']}"
    yield "words", query["compiled"] or "none"
    yield "asks for", ", ".join(name for name, holds in query["intents"].items() if holds) or "nothing in particular"
    if query["time"]:
        yield "in the time", " to ".join(f"{moment:%Y-%m-%d}" for moment in query["time"].values())
    yield "made up", expansion["hypothetical"] or f"nothing ({expansion['skipped_reason']})"
    for attempt in trace["attempts"][1:]:
        yield "tried again", f"{attempt['strategy']}: {attempt['query']} ({attempt['hits']} hits)"
    if names := trace["propagation"].get("names"):
        yield "names", ", ".join(names)
    rerank = trace["rerank"]
    yield (
        "judge",
        f"the first {rerank['top_n']}" if rerank.get("ran") else f"not heard ({rerank.get('skipped_reason')})",
    )


def legs(trace: Mapping[str, Any], missing: Mapping[str, str]) -> Table:
    """What each leg gave."""
    table = Table("leg", "weight", "hits", "ms", "note", title="Legs", title_justify="left")
    weights = trace["fusion"].get("weights", {})
    for name, leg in trace["legs"].items():
        note = leg["error"] or leg.get("path", "")
        table.add_row(name, number(weights.get(name)), str(leg["hits"]), f"{leg['took_ms']:.1f}", Text(str(note)))
    for name in missing.keys() - trace["legs"].keys():
        table.add_row(name, "", "", "", Text(missing[name]))
    return table


def memories(answer: Answer) -> Table:
    """The memories in their order: where each list has them, and their score after each stage."""
    trace = answer.trace
    runs = {name: {hit["id"]: hit["rank"] for hit in run} for name, run in trace["runs"].items()}
    charged = {one["id"]: one["rank"] for one in trace["propagation"]["charges"]}
    lists = runs | ({"charge": charged} if charged else {})
    stages = {stage["name"]: stage["scores"] for stage in trace["stages"]}
    headings = ["", "memory", *(f"{name} #" for name in lists), *stages]
    table = Table(*headings, title="Memories: rank in each list, score after each stage", title_justify="left")
    for place, result in enumerate(answer.results, start=1):
        ranks = [str(ranking.get(result.id, "")) for ranking in lists.values()]
        scores = [number(given.get(result.id)) for given in stages.values()]
        table.add_row(str(place), Text(shortened(result.text, TEXT_CHARACTERS)), *ranks, *scores)
    return table


def paths(results: Sequence[Recalled]) -> Table:
    """The way by which charge came to memories."""
    table = Table("memory", "way", title="Charge", title_justify="left")
    for result in results:
        if result.path:
            steps = [f" -{step.relation} {step.charge:.3f}-> {step.target}" for step in result.path]
            way = shortened(result.path[0].source + "".join(steps), 500)
            table.add_row(Text(shortened(result.text, TEXT_CHARACTERS)), Text(way))
    return table


def times(answer: Answer) -> Table:
    """Where the time went."""
    table = Table("step", "ms", title="Time", title_justify="left")
    for name, leg in answer.trace["legs"].items():
        table.add_row(f"{name} leg", f"{leg['took_ms']:.1f}")
    for name, took in answer.trace["reads"].items():
        table.add_row(f"read {name.removesuffix('_ms')}", f"{took:.1f}")
    for stage in answer.trace["stages"]:
        table.add_row(stage["name"], f"{stage['took_ms']:.1f}")
    table.add_row("all", f"{answer.took_ms:.1f}", style="bold")
    return table


def number(value: float | None) -> str:
    """A number of four places, or nothing.

    >>> number(0.03252247), number(None)
    ('0.0325', '')
    """
    return "" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")
