"""Is the graph the same when workers die? Two of them, killed at random moments, against a run that is left alone."""

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import click
import psycopg

from benchmarks.datasets import load
from benchmarks.knowledge import Kept, kept_by
from benchmarks.processes import paused
from benchmarks.quality import store
from benchmarks.reporting import Bar, Table, conclude, console, progress, report_option
from benchmarks.running import CHECKOUT, POLL_SECONDS, Running, inherited, running_service, wait_for_everything
from graphmem.service import Service, open_service
from graphmem.settings import Settings

EPISODES_EACH = 100
LONGEST_PAUSE = 1.0
# What follows from the episodes, in Postgres; taking it out and doing all jobs again is a run of its own.
FOLLOWING = ("statement", "mention", "fact", "entity", "meaning", "entity_link", "unprojected")
AGAIN = "update job set state = 'waiting', attempts = 0, due_at = now(), finished_at = null where namespace = any(%s)"


@dataclass
class Workers:
    """Two processes that do the jobs; who is killed is followed by another at once."""

    settings: Settings
    processes: "list[subprocess.Popen[bytes]]" = field(default_factory=list["subprocess.Popen[bytes]"])

    def spawn(self) -> "subprocess.Popen[bytes]":
        """`graphmem worker`, which sweeps every second for what the dead left."""
        graph = {
            f"GRAPHMEM_NEO4J__{name.upper()}": getattr(self.settings.neo4j, name)
            for name in ("uri", "user", "password")
        }
        ours = {
            "GRAPHMEM_POSTGRES__DSN": self.settings.postgres.dsn,
            "GRAPHMEM_EMBEDDER__KIND": self.settings.embedder.kind,
            "GRAPHMEM_WORKER__SWEEP_SECONDS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": str(CHECKOUT),
        }
        words = [sys.executable, "-m", "graphmem", "worker"]
        return subprocess.Popen(
            words, env=inherited() | ours | graph, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill(self, number: int) -> None:
        """End one of them as nothing can prevent."""
        self.processes[number].kill()
        self.processes[number].wait()
        self.processes[number] = self.spawn()


@contextmanager
def two_workers(settings: Settings) -> Generator[Workers]:
    """Both run while the block does."""
    workers = Workers(settings)
    workers.processes += [workers.spawn(), workers.spawn()]
    try:
        yield workers
    finally:
        for process in workers.processes:
            process.kill()
            process.wait()


async def forget_what_follows(service: Service, namespaces: Sequence[str]) -> None:
    """Take out all that workers made, and let all jobs be done again."""
    assert service.graph is not None
    for namespace in namespaces:
        await service.graph.empty(namespace)
    with psycopg.connect(service.settings.postgres.dsn) as connection:
        for table in FOLLOWING:
            connection.execute(f"delete from {table} where namespace = any(%s)", [list(namespaces)])  # pyright: ignore
        connection.execute(AGAIN, [list(namespaces)])


def kill_at_random(workers: Workers, kills: int, chance: random.Random) -> int:
    """Kill one of them in the midst of work, again and again; how many times there was work to disturb."""
    with psycopg.connect(workers.settings.postgres.dsn, autocommit=True) as connection:
        for done in range(kills):
            while connection.execute("select 1 from job where state = 'running' limit 1").fetchone() is None:
                if connection.execute("select 1 from job where state <> 'done' limit 1").fetchone() is None:
                    return done
                time.sleep(POLL_SECONDS / 5)
            time.sleep(chance.uniform(0, LONGEST_PAUSE))
            workers.kill(chance.randrange(2))
    return kills


class Outcome(NamedTuple):
    """What was made of the same episodes: in peace, and by two workers that were killed at work so many times."""

    calm: Kept
    killed: Kept
    kills: int


async def calm_and_killed(service: Service, namespaces: Sequence[str], *, kills: int) -> Outcome:
    """Do all that waits twice, first in this process; no other worker may run."""
    dsn = service.settings.postgres.dsn
    for namespace in namespaces:
        await service.drainer.drain(namespace)
    calm = await kept_by(service, namespaces)
    await forget_what_follows(service, namespaces)
    with two_workers(service.settings) as workers:
        disturbed = await asyncio.to_thread(kill_at_random, workers, kills, random.Random(0))
        await asyncio.to_thread(wait_for_everything, dsn)
    return Outcome(calm, await kept_by(service, namespaces), disturbed)


async def measure(running: Running, namespaces: Sequence[str], kills: int) -> Outcome:
    """The same in a running service, whose own worker stands still."""
    async with open_service(running.settings) as service:
        return await calm_and_killed(service, namespaces, kills=kills)


@click.command(help=__doc__)
@click.option("--kills", default=12, show_default=True, help="How many times a worker is killed.")
@report_option
def main(kills: int, *, report: bool) -> None:
    """Store, let workers do everything in peace, then under kills, and compare."""
    whole = load("locomo")
    dataset = replace(whole, episodes={name: episodes[:EPISODES_EACH] for name, episodes in whole.episodes.items()})
    episodes = sum(map(len, dataset.episodes.values()))
    with running_service() as service, paused(service.supervisor, "worker"):
        with service.client() as client, progress() as bar:
            store(client, dataset, bar)
        with console.status("working, and killing"):
            outcome = asyncio.run(measure(service, list(dataset.episodes), kills))
    table = Table(["episodes", "workers killed while at work", "entities", "facts", "mentions"])
    counted = (f"{outcome.killed.count(kind):,}" for kind in ("Entity", "RELATES_TO", "MENTIONS"))
    table.add(f"{episodes:,}", str(outcome.kills), *counted)
    different = outcome.calm.differences(outcome.killed)
    bar_of = Bar("no difference from the graph and the ledger of a run left alone", str(different), not different)
    conclude("Killed workers", [table], [bar_of], report=report)


if __name__ == "__main__":
    main()
