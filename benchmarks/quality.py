"""Are the right memories found? Every question of a public set with a known answer, through HTTP."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import click
import httpx
from rich.progress import Progress

from benchmarks.datasets import Dataset, Question, load
from benchmarks.measures import paired_interval, recall, reciprocal_rank
from benchmarks.reporting import Bar, Table, conclude, progress, report_option
from benchmarks.running import EPISODES_ALONE, running_service, wait_for_jobs

BATCH = 500
LIMIT = 20
SHORT_TURNS = {"bm25_k1": 0.9, "bm25_b": 0.4}
TWO_LEGS = {"graph_weight": 0.0}
# What is found is measured here, not how soon.
PATIENT = {"deadline_ms": 60_000}
OTHERS = ("scifact", "lihua", "beam100k", "lme_evidence_pool", "musique100", "hotpot100", "twowiki400")


@dataclass(frozen=True)
class Way:
    """A way of asking, by its name in the tables."""

    name: str
    mode: str
    tuning: dict[str, float] = field(default_factory=dict[str, float])


KEYWORD, VECTOR = Way("keyword", "keyword"), Way("vector", "semantic")
KEYWORD_SHORT = Way("keyword, k1 .9 b .4", "keyword", SHORT_TURNS)
HYBRID = Way("hybrid", "hybrid", TWO_LEGS)
HYBRID_SHORT = Way("hybrid, k1 .9 b .4", "hybrid", TWO_LEGS | SHORT_TURNS)
WAYS = (KEYWORD, KEYWORD_SHORT, VECTOR, HYBRID, HYBRID_SHORT)
LOCOMO_BARS = {KEYWORD_SHORT.name: 0.64, VECTOR.name: 0.55, HYBRID.name: 0.68}


@dataclass
class Marks:
    """How well one way did, a mark for each question."""

    recalls: dict[int, list[float]] = field(default_factory=lambda: {5: [], 10: [], 20: []})
    reciprocal_ranks: list[float] = field(default_factory=list[float])

    def add(self, found: list[str], gold: list[str]) -> None:
        """Mark one answer."""
        for k, marks in self.recalls.items():
            marks.append(recall(found, gold, k))
        self.reciprocal_ranks.append(reciprocal_rank(found, gold))

    def cells(self) -> list[str]:
        """R@5, R@10, R@20 and MRR."""
        return [f"{sum(marks) / len(marks):.3f}" for marks in (*self.recalls.values(), self.reciprocal_ranks)]

    @property
    def recall_at_10(self) -> float:
        """Its mean."""
        return sum(self.recalls[10]) / len(self.recalls[10])


def store(client: httpx.Client, dataset: Dataset, bar: Progress) -> None:
    """Put the corpus in, each group into its namespace."""
    task = bar.add_task(f"{dataset.name}: storing", total=sum(map(len, dataset.episodes.values())))
    for namespace, episodes in dataset.episodes.items():
        for start in range(0, len(episodes), BATCH):
            batch = episodes[start : start + BATCH]
            answer = client.post("/v1/episodes/batch", json={"namespace": namespace, "episodes": batch})
            answer.raise_for_status()
            bar.advance(task, len(batch))


def wait(client: httpx.Client, dataset: Dataset, bar: Progress) -> None:
    """Until all of it is understood."""
    for namespace in bar.track(dataset.episodes, description=f"{dataset.name}: waiting for the worker"):
        wait_for_jobs(client, namespace)


def ask(client: httpx.Client, namespace: str, question: Question, way: Way) -> list[str]:
    """The ids found, best first; a leg that is away would spoil the figures."""
    body: dict[str, Any] = {
        "namespace": namespace,
        "query": question.text,
        "kinds": ["episode"],
        "limit": LIMIT,
        "mode": way.mode,
        "tuning": PATIENT | way.tuning,
        "touch": False,
    }
    answer = client.post("/v1/search", json=body).raise_for_status().json()
    if answer["missing_legs"]:
        raise click.ClickException(f"A leg did not answer: {answer['missing_legs']}")
    return [result["id"] for result in answer["results"]]


def measure(client: httpx.Client, dataset: Dataset, ways: Sequence[Way], bar: Progress) -> dict[str, Marks]:
    """Every question, in every way."""
    marks = {way.name: Marks() for way in ways}
    for question in bar.track(dataset.questions, description=f"{dataset.name}: asking"):
        for way in ways:
            marks[way.name].add(ask(client, dataset.namespace(question), question, way), question.gold)
    return marks


def table_of(measured: dict[str, dict[str, Marks]]) -> Table:
    """A row for each set and way."""
    table = Table(["set", "questions", "way", "R@5", "R@10", "R@20", "MRR", "R@10 against keyword"])
    for name, marks in measured.items():
        base = marks[KEYWORD.name]
        for way, mark in marks.items():
            mean, low, high = paired_interval(mark.recalls[10], base.recalls[10])
            against = "" if mark is base else f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
            table.add(name, str(len(mark.reciprocal_ranks)), way, *mark.cells(), against)
    return table


def bars_of(marks: dict[str, Marks]) -> list[Bar]:
    """What LoCoMo must reach."""
    return [
        Bar(f"locomo, {way}: R@10 ≥ {least}", f"{marks[way].recall_at_10:.3f}", marks[way].recall_at_10 >= least)
        for way, least in LOCOMO_BARS.items()
    ]


@click.command(help=__doc__)
@click.option("--set", "sets", multiple=True, help="A set to measure, may be repeated; LoCoMo alone if left out.")
@click.option("--all", "every", is_flag=True, help=f"LoCoMo and {', '.join(OTHERS)}.")
@report_option
def main(sets: tuple[str, ...], *, every: bool, report: bool) -> None:
    """Load the sets, ask their questions, show recall."""
    datasets = [load(name) for name in (("locomo", *OTHERS) if every else sets or ("locomo",))]
    measured: dict[str, dict[str, Marks]] = {}
    with running_service(**EPISODES_ALONE) as service, service.client() as client, progress() as bar:
        for dataset in datasets:
            store(client, dataset, bar)
            wait(client, dataset, bar)
            measured[dataset.name] = measure(client, dataset, WAYS, bar)
    bars = bars_of(measured["locomo"]) if "locomo" in measured else []
    conclude("Quality", [table_of(measured)], bars, report=report)


if __name__ == "__main__":
    main()
