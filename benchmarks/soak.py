"""Does anything grow without bound? Minutes of full load: memory, connections, threads, files, tasks, jobs."""

import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import click
import httpx
import psycopg

from benchmarks.datasets import load
from benchmarks.measures import median
from benchmarks.processes import PROC, family
from benchmarks.reporting import Bar, Table, conclude, console, progress, report_option
from benchmarks.running import Running, running_service, wait_for_everything

NAMESPACE = "soak"
SEARCHERS, WRITERS = 4, 2
BATCH = 5
# So many turns are written again and again: what is kept stays as it is, and only what leaks can grow.
TURNS = 300
EVERY_SECONDS = 5.0
# Of what was held in the middle third, at the end.
MOST_GROWTH = 0.05
PARTS = ("API", "worker", "Postgres", "Neo4j", "supervisor")
TASKS = re.compile(r"^graphmem_tasks (\S+)$", re.MULTILINE)


@dataclass
class Watch:
    """What was held, look by look."""

    looks: list[dict[str, float]] = field(default_factory=list[dict[str, float]])

    def look(self, service: Running, client: httpx.Client) -> None:
        """Memory of each part in MB, connections to Postgres, and the API's threads, files and tasks."""
        held = {f"{part} MB": 0.0 for part in PARTS} | {"API threads": 0.0, "API files": 0.0}
        for process in family(service.supervisor):
            if process.part in PARTS:
                held[f"{process.part} MB"] += process.pss_bytes / 1e6
            if process.part == "API":
                held["API threads"] += len(list((PROC / str(process.pid) / "task").iterdir()))
                held["API files"] += len(list((PROC / str(process.pid) / "fd").iterdir()))
        with psycopg.connect(service.dsn, autocommit=True) as connection:
            row = connection.execute("select count(*) from pg_stat_activity where state is not null").fetchone()
        held["Postgres connections"] = float(row[0]) if row else 0.0
        found = TASKS.search(client.get("/metrics").text)
        held["API tasks"] = float(found[1]) if found else 0.0
        self.looks.append(held)

    def third(self, which: int, name: str) -> float:
        """The median of one third of the looks."""
        length = max(1, len(self.looks) // 3)
        return median([look[name] for look in self.looks[which * length : (which + 1) * length]])

    def growth(self, name: str) -> float:
        """How much more was held in the last third than in the middle one, as a share."""
        middle = self.third(1, name)
        return (self.third(2, name) - middle) / middle if middle else 0.0


@dataclass
class Soak:
    """Clients that write and ask until it is over."""

    service: Running
    turns: list[dict[str, Any]]
    questions: list[str]
    over: threading.Event = field(default_factory=threading.Event)
    answers: dict[int, int] = field(default_factory=dict[int, int])

    def run(self, work: Callable[[httpx.Client, int], int]) -> None:
        """One client: the same again and again."""
        with self.service.client() as client:
            number = 0
            while not self.over.is_set():
                status = work(client, number)
                self.answers[status] = self.answers.get(status, 0) + 1
                number += 1

    def search(self, client: httpx.Client, number: int) -> int:
        """A question, now and then with all of its trace, now and then as a context."""
        body = {"namespace": NAMESPACE, "query": f"{self.questions[number % len(self.questions)]} {number}"}
        path = "/v1/context" if number % 5 == 0 else "/v1/search"
        return client.post(path, json=body | {"trace": number % 7 == 0}).status_code

    def write(self, client: httpx.Client, number: int) -> int:
        """Some turns, under ids that come again; what they said before is replaced."""
        turn = self.turns[(number * BATCH) % len(self.turns)]
        body = turn | {"namespace": NAMESPACE, "content": f"{turn['content']} {number % 10}"}
        return client.put(f"/v1/episodes/{body.pop('id')}", json=body).status_code


@click.command(help=__doc__)
@click.option("--minutes", default=10.0, show_default=True, help="Of full load.")
@report_option
def main(minutes: float, *, report: bool) -> None:
    """Fill, load, watch, drain."""
    data = load("locomo")
    turns = next(iter(data.episodes.values()))[:TURNS]
    watch = Watch()
    with running_service() as service, service.client() as client:
        client.post("/v1/episodes/batch", json={"namespace": NAMESPACE, "episodes": turns}).raise_for_status()
        soak = Soak(service, turns, [question.text for question in data.questions][:TURNS])
        soak.search(client, 1)
        wait_for_everything(service.dsn)
        watch.look(service, client)
        with ThreadPoolExecutor(SEARCHERS + WRITERS) as pool, progress() as bar:
            clients = [pool.submit(soak.run, soak.search) for _ in range(SEARCHERS)]
            clients += [pool.submit(soak.run, soak.write) for _ in range(WRITERS)]
            try:
                for _ in bar.track(range(int(minutes * 60 / EVERY_SECONDS)), description="under load"):
                    watch.look(service, client)
                    time.sleep(EVERY_SECONDS)
            finally:
                soak.over.set()
        for one in clients:
            one.result()
        with console.status("waiting for the worker"):
            wait_for_everything(service.dsn)
        time.sleep(EVERY_SECONDS)
        watch.look(service, client)
    first, *watch.looks, last = watch.looks
    table = Table(["held", "before", "first third", "second", "last", "after the load"])
    for name in last:
        thirds = [watch.third(which, name) for which in range(3)]
        table.add(name, *(f"{held:.0f}" for held in (first[name], *thirds, last[name])))
    asked = ", ".join(f"{status}: {count:,}" for status, count in sorted(soak.answers.items()))
    conclude("Soak", [table, f"{minutes:g} minutes; answers {asked}."], bars(watch, (first, last), soak), report=report)


def bars(watch: Watch, ends: tuple[dict[str, float], dict[str, float]], soak: Soak) -> list[Bar]:
    """What must hold: under load, and afterwards against before."""
    first, last = ends
    growths = {name: watch.growth(name) for name in last if name.endswith(" MB")}
    worst = max(growths, key=lambda name: growths[name])
    failed = sum(count for status, count in soak.answers.items() if status not in {200, 201})
    return [
        Bar(
            f"memory grows by ≤ {MOST_GROWTH:.0%} from the second third to the last",
            f"{worst} {growths[worst]:+.1%}",
            growths[worst] <= MOST_GROWTH,
        ),
        Bar(
            "connections do not grow",
            f"{watch.growth('Postgres connections'):+.1%}",
            watch.growth("Postgres connections") <= 0,
        ),
        Bar(
            "no task left behind",
            f"{first['API tasks']:.0f} before, {last['API tasks']:.0f} after",
            last["API tasks"] <= first["API tasks"],
        ),
        Bar("no failed requests", str(failed), failed == 0),
    ]


if __name__ == "__main__":
    main()
