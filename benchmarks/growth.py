"""Does search stay quick? The same questions in namespaces of 1,000, 10,000 and 100,000 episodes, in turn."""

import asyncio
import itertools
import time
from dataclasses import dataclass, field
from typing import Any

import click
import httpx

from benchmarks.bare_embedder import bare_embedder, index_texts
from benchmarks.datasets import load
from benchmarks.filling import fill, tidy
from benchmarks.made_up import MadeUp
from benchmarks.measures import median, percentile
from benchmarks.reporting import Bar, Table, conclude, console, progress, report_option
from benchmarks.running import EPISODES_ALONE, running_service, wait_for_jobs

MOST_FACTOR = 2.5
SIZES = (1_000, 10_000, 100_000)
MODES = ("keyword", "semantic", "hybrid")
WARM_UP = 20
LIMIT = 10
TWO_LEGS = {"graph_weight": 0.0}
# A question asked before would cost no embedding.
NOTHING_REMEMBERED = {"GRAPHMEM_EMBEDDER__CACHE_SIZE": "0"}


@dataclass
class Taken:
    """Milliseconds of each search of one kind, as the caller waits and by stage; `short` ones had a leg of few hits."""

    whole: list[float] = field(default_factory=list[float])
    keyword: list[float] = field(default_factory=list[float])
    embed: list[float] = field(default_factory=list[float])
    vector: list[float] = field(default_factory=list[float])
    paths: set[str] = field(default_factory=set[str])
    short: int = 0

    def add(self, milliseconds: float, legs: dict[str, Any]) -> None:
        """One search, with the legs of its trace; the vector leg's own time is what remains after embedding."""
        self.whole.append(milliseconds)
        self.short += any(leg["hits"] < LIMIT for leg in legs.values())
        if keyword := legs.get("keyword"):
            self.keyword.append(keyword["took_ms"])
        if vector := legs.get("vector"):
            self.embed.append(vector["embed_ms"])
            self.vector.append(vector["took_ms"] - vector["embed_ms"])
        self.paths |= {f"{name} {leg['path']}" for name, leg in legs.items()}

    def cells(self) -> list[str]:
        """For the table."""
        whole = [f"{percentile(self.whole, share):.1f}" for share in (50, 95)]
        stages = [f"{median(stage):.1f}" if stage else "" for stage in (self.embed, self.keyword, self.vector)]
        return [*whole, *stages, str(self.short), ", ".join(sorted(self.paths))]


def made_up() -> MadeUp:
    """All real turns, embedded once."""
    turns = [episode for episodes in load("locomo").episodes.values() for episode in episodes]
    with bare_embedder() as bare, console.status(f"embedding {len(turns)} real turns"):
        return MadeUp(turns, bare.vectors(index_texts(turns)))


def ask(client: httpx.Client, size: int, mode: str, question: str) -> tuple[float, dict[str, Any]]:
    """The time until the answer is here, and the trace's legs."""
    bounds = {"namespace": namespace_of(size), "limit": LIMIT, "touch": False, "trace": True, "tuning": TWO_LEGS}
    begun = time.perf_counter()
    answer = client.post("/v1/search", json={"query": question, "mode": mode, **bounds}).raise_for_status().json()
    taken = (time.perf_counter() - begun) * 1000
    if answer["missing_legs"]:
        raise click.ClickException(f"A leg did not answer: {answer['missing_legs']}")
    return taken, answer["trace"]["legs"]


def measure(client: httpx.Client, sizes: tuple[int, ...], questions: list[str]) -> dict[tuple[int, str], Taken]:
    """Each question at every size in every mode, so that a busy moment of the machine falls on all of them."""
    taken = {(size, mode): Taken() for mode in MODES for size in sizes}
    with progress() as bar:
        for number, question in enumerate(bar.track(questions, description="asking")):
            for mode, size in itertools.product(MODES, sizes):
                milliseconds, legs = ask(client, size, mode, question)
                if number >= WARM_UP:
                    taken[size, mode].add(milliseconds, legs)
    return taken


def namespace_of(size: int) -> str:
    """The namespace that holds so many."""
    return f"of_{size}"


@click.command(help=__doc__)
@click.option("--size", "sizes", multiple=True, type=int, default=SIZES, show_default=True, help="Episodes; repeated.")
@click.option("--questions", "count", default=200, show_default=True, help="Real questions to ask.")
@report_option
def main(sizes: tuple[int, ...], count: int, *, report: bool) -> None:
    """Fill namespaces of each size, ask, and compare the largest with the smallest."""
    source, questions = made_up(), [question.text for question in load("locomo").questions][: count + WARM_UP]
    with running_service(**EPISODES_ALONE, **NOTHING_REMEMBERED) as service, service.client() as client:
        with progress() as bar:
            asyncio.run(fill(service.dsn, source, {namespace_of(size): size for size in sizes}, bar))
        for size in sizes:
            wait_for_jobs(client, namespace_of(size))
        tidy(service.dsn)
        taken = measure(client, sizes, questions)
    table = Table(
        ["mode", "episodes", "p50 ms", "p95 ms", "embed", "keyword leg", "vector leg after embedding", "short", "path"]
    )
    for (size, mode), times in taken.items():
        table.add(mode, f"{size:,}", *times.cells())
    least, most = min(sizes), max(sizes)
    factor = median(taken[most, "hybrid"].whole) / median(taken[least, "hybrid"].whole)
    bar = Bar(f"hybrid p50 at {most:,} ≤ {MOST_FACTOR} times p50 at {least:,}", f"{factor:.2f}", factor <= MOST_FACTOR)
    conclude("Growth", [table], [bar], report=report)


if __name__ == "__main__":
    main()
