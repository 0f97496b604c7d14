"""How quickly do turns become knowledge, and does it follow from the ledger alone? All of LoCoMo, without a model."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass

import click
import psycopg

from benchmarks.datasets import Dataset, load
from benchmarks.knowledge import kept
from benchmarks.processes import cpu_seconds, paused
from benchmarks.quality import store
from benchmarks.reporting import Bar, Table, conclude, console, progress, report_option
from benchmarks.running import Running, running_service, wait_for_everything

LEAST_TURNS_A_SECOND = 100
PARTS = ("worker", "Postgres", "Neo4j")
KNOWLEDGE = ("Episodic", "Entity", "MENTIONS", "RELATES_TO", "NEXT_EPISODE")
AGAIN = "update job set state = 'waiting', attempts = 0, due_at = now(), finished_at = null"


@dataclass(frozen=True)
class Spent:
    """What understanding took: seconds on the wall, and processor seconds by part."""

    wall: float
    cpu: dict[str, float]


def understand(service: Running, dataset: Dataset) -> Spent:
    """Store all turns while the worker stands still, then let it go."""
    with service.client() as client, progress() as bar:
        client.post("/v1/episodes", json={"content": "Ann lives in Rome.", "namespace": "warm_up"}).raise_for_status()
        wait_for_everything(service.dsn)
        with paused(service.supervisor, "worker"):
            store(client, dataset, bar)
            before, begun = cpu_seconds(service.supervisor), time.monotonic()
    with console.status("understanding"):
        wait_for_everything(service.dsn)
    taken, after = time.monotonic() - begun, cpu_seconds(service.supervisor)
    return Spent(taken, {part: after[part] - before[part] for part in PARTS})


def rebuild(service: Running) -> float:
    """Make the graph again by the command that does it; how long that took."""
    begun = time.monotonic()
    environment = os.environ | service.environment
    subprocess.run([sys.executable, "-m", "graphmem", "graph", "rebuild"], env=environment, check=True)
    return time.monotonic() - begun


def again(service: Running) -> None:
    """Let all jobs be done a second time."""
    with psycopg.connect(service.dsn) as connection:
        connection.execute(AGAIN)
    with console.status("all jobs again"):
        wait_for_everything(service.dsn)


@click.command(help=__doc__)
@report_option
def main(*, report: bool) -> None:
    """Understand, rebuild, do it all again, and compare."""
    dataset = load("locomo")
    names, turns = list(dataset.episodes), sum(map(len, dataset.episodes.values()))
    with running_service() as service:
        spent = understand(service, dataset)
        first = kept(service, names)
        rebuilding = rebuild(service)
        rebuilt = kept(service, names)
        again(service)
        second = kept(service, names)
    times = Table(["turns", "seconds", "turns a second", *(f"{part}, CPU ms a turn" for part in PARTS), "rebuild, s"])
    cpu = [f"{spent.cpu[part] / turns * 1000:.1f}" for part in PARTS]
    times.add(f"{turns:,}", f"{spent.wall:.1f}", f"{turns / spent.wall:.0f}", *cpu, f"{rebuilding:.1f}")
    counts = Table(list(KNOWLEDGE))
    counts.add(*(f"{first.count(kind):,}" for kind in KNOWLEDGE))
    bars = [
        Bar("every turn is an episode of the graph", f"{first.count('Episodic'):,}", first.count("Episodic") == turns),
        none_of("difference after a rebuild", first.differences(rebuilt)),
        none_of("difference after all jobs were done again", first.differences(second)),
        Bar(
            f"≥ {LEAST_TURNS_A_SECOND} turns a second",
            f"{turns / spent.wall:.0f}",
            turns / spent.wall >= LEAST_TURNS_A_SECOND,
        ),
    ]
    conclude("Extraction", [times, counts], bars, report=report)


def none_of(what: str, found: int) -> Bar:
    """What must not be."""
    return Bar(f"no {what}", f"{found}", not found)


if __name__ == "__main__":
    main()
