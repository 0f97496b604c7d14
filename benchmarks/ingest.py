"""What does storing cost? 1,000 real turns in a batch and single writes, against the bare embedder on those texts."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import click
import httpx

from benchmarks.bare_embedder import BareEmbedder, bare_embedder, index_texts
from benchmarks.datasets import load
from benchmarks.measures import median, percentile
from benchmarks.reporting import Bar, Table, conclude, progress, report_option
from benchmarks.running import EPISODES_ALONE, Running, running_service, wait_for_jobs

BATCH_SHARE = 0.7
SINGLE_FACTOR = 3.0

Episodes = Sequence[dict[str, Any]]


@dataclass
class Times:
    """Seconds of the same work with and without the service, pair by pair."""

    service: list[float] = field(default_factory=list[float])
    bare: list[float] = field(default_factory=list[float])

    @property
    def factor(self) -> float:
        """How many times longer the service takes, at the median."""
        return median(self.service) / median(self.bare)

    def row(self, name: str, texts: int) -> list[str | float]:
        """For the table."""
        service, bare = median(self.service), median(self.bare)
        slow, slow_bare = percentile(self.service, 95), percentile(self.bare, 95)
        figures = [f"{seconds * 1000:.1f}" for seconds in (service, slow, bare, slow_bare)]
        pairs = [one / other for one, other in zip(self.service, self.bare, strict=True)]
        spread = f"{percentile(pairs, 5):.2f} to {percentile(pairs, 95):.2f}"
        return [name, str(len(pairs)), *figures, f"{texts / service:.0f}", f"{texts / bare:.0f}", spread]


def turns(count: int) -> Episodes:
    """Real turns; their ids are left to the service, for they repeat between conversations."""
    every = [episode for episodes in load("locomo").episodes.values() for episode in episodes]
    return [{name: value for name, value in episode.items() if name != "id"} for episode in every[:count]]


def measure_batches(service: Running, bare: BareEmbedder, episodes: Episodes, repetitions: int) -> Times:
    """The whole batch and the bare embedder in turn, each on an idle service; the first pair only warms up."""
    times, texts = Times(), index_texts(episodes)
    with service.client() as client, progress() as bar:
        for turn in bar.track(range(repetitions + 1), description="batches of 1,000"):
            namespace = f"batch_{turn}"
            batch = {"namespace": namespace, "episodes": list(episodes)}
            times.service.append(seconds_of(client, "/v1/episodes/batch", batch))
            wait_for_jobs(client, namespace)
            times.bare.append(bare.seconds(texts))
    return Times(times.service[1:], times.bare[1:])


def measure_singles(service: Running, bare: BareEmbedder, episodes: Episodes) -> Times:
    """One write and one bare embedding in turn, the same text for both."""
    times = Times()
    with service.client() as client, progress() as bar:
        for episode in bar.track(episodes, description="single writes"):
            times.service.append(seconds_of(client, "/v1/episodes", episode | {"namespace": "single"}))
            times.bare.append(bare.seconds(index_texts([episode])))
    return times


def seconds_of(client: httpx.Client, path: str, body: dict[str, Any]) -> float:
    """From sending to the acknowledgement."""
    begun = time.perf_counter()
    client.post(path, json=body).raise_for_status()
    return time.perf_counter() - begun


@click.command(help=__doc__)
@click.option("--repetitions", default=5, show_default=True, help="Batches to measure.")
@click.option("--singles", default=200, show_default=True, help="Single writes to measure.")
@click.option("--episodes-alone", is_flag=True, help="Leave entities, facts and Neo4j out.")
@report_option
def main(repetitions: int, singles: int, *, episodes_alone: bool, report: bool) -> None:
    """Store and embed in turn, and compare the medians."""
    episodes = turns(1000)
    with running_service(None, **(EPISODES_ALONE if episodes_alone else {})) as service, bare_embedder() as bare:
        batches = measure_batches(service, bare, episodes, repetitions)
        single = measure_singles(service, bare, episodes[:singles])
    table = Table(
        ["write", "times", "p50 ms", "p95 ms", "bare p50 ms", "bare p95 ms", "texts/s", "bare texts/s", "times bare"]
    )
    table.add(*batches.row("batch of 1,000", len(episodes)))
    table.add(*single.row("one episode", 1))
    share = 1 / batches.factor
    bars = [
        Bar(f"a batch at ≥ {BATCH_SHARE} of the bare embedder's speed", f"{share:.2f}", share >= BATCH_SHARE),
        Bar(
            f"a single write ≤ {SINGLE_FACTOR:g} times one embedding, p50",
            f"{single.factor:.2f}",
            single.factor <= SINGLE_FACTOR,
        ),
    ]
    conclude("Ingest", [table], bars, report=report)


if __name__ == "__main__":
    main()
