"""Does search stay quick as memory grows? Beside Graphiti's own recipe and plain SQL, with one client and sixteen."""

import asyncio
import contextlib
import itertools
import logging
import os
import platform
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import httpx
import numpy as np
import psycopg
from graphiti_core.driver.neo4j_driver import Neo4jDriver
from neo4j.exceptions import Neo4jError
from pgvector.psycopg import register_vector

from benchmarks.asking import Taken, ask, ask_graphiti, ask_plain
from benchmarks.bare_embedder import bare_embedder, index_texts
from benchmarks.datasets import load
from benchmarks.drawing import growth_chart
from benchmarks.filling import Filling, tidy
from benchmarks.made_up import Asked, MadeUp, questions
from benchmarks.processes import family
from benchmarks.reporting import CHECKOUT, Bar, Table, conclude, console, progress, report_option
from benchmarks.running import Running, running_service, wait_for_jobs
from graphmem.errors import GraphUnavailableError
from graphmem.stores.graph import GraphStore
from graphmem.stores.postgres import Postgres
from graphmem.stores.schema import migrate

SIZES = (1_000, 10_000, 100_000)
MOST_FACTOR, MOST_SPREAD, LEAST_LEAD, LEAST_GAIN = 2.5, 3.0, 10.0, 1.6
NAMESPACES = 20
WARM_UP = 15
TRACED_EVERY = 4
CLIENTS, API = 16, 2
INGESTED = 300
# On Graphiti in one namespace: its time grows with the namespace.
MOST_SPENT_MS = 60_000
REAL_TURNS = 2_000
CHART = CHECKOUT / "docs" / "images" / "growth.svg"
UNFINISHED = "SHOW INDEXES YIELD name, state, populationPercent WHERE state <> 'ONLINE'"
POLL_SECONDS = 10
# A question asked before would cost no embedding.
NOTHING_REMEMBERED = {"GRAPHMEM_EMBEDDER__CACHE_SIZE": "0"}
WAYS = ("graphmem", "plain SQL", "Graphiti")


@dataclass(frozen=True)
class Source:
    """Real turns and questions with their vectors."""

    made_up: MadeUp
    texts: list[str]
    vectors: np.ndarray

    def questions(self, size: int) -> list[Asked]:
        """For a namespace of that size."""
        return questions(self.texts, self.vectors, of=size)


def source(folder: Path, count: int) -> Source:
    """Embedded once, and kept beside the data."""
    data = load("locomo")
    turns = [episode for episodes in data.episodes.values() for episode in episodes][:REAL_TURNS]
    texts = [question.text for question in data.questions][: count + WARM_UP]
    made_up = MadeUp(turns, embedded(folder / f"turns-{len(turns)}.npy", index_texts(turns)))
    return Source(made_up, texts, embedded(folder / f"questions-{len(texts)}.npy", texts))


def embedded(kept: Path, texts: Sequence[str]) -> np.ndarray:
    """The vectors of texts, from a file where they are there."""
    if not kept.exists():
        with bare_embedder() as bare, console.status(f"embedding {len(texts)} texts"):
            np.save(kept, bare.vectors(texts))
    return np.load(kept)


def namespaces(size: int, parts: int) -> dict[str, int]:
    """The namespaces that hold so many between them."""
    return {f"of_{size}": size} if parts == 1 else {f"of_{size}_{part}": size // parts for part in range(parts)}


async def prepare(graph: GraphStore) -> None:
    """Have the graph's indexes made: it waits a while and gives up on large ones, which are made all the same."""
    graph.prepared.clear()
    with contextlib.suppress(GraphUnavailableError, Neo4jError):
        await graph.prepare()
    while rows := await graph.run(UNFINISHED):
        console.print(f"{rows[0]['name']}: {rows[0]['populationPercent']:.0f} %")
        await asyncio.sleep(POLL_SECONDS)


async def fill(service: Running, made_up: MadeUp, sizes: dict[str, int]) -> None:
    """Bring both stores to the sizes, and have their indexes ready."""
    async with (
        Postgres.open(service.dsn, pool_size=4) as postgres,
        GraphStore.open(service.settings.neo4j) as graph,
    ):
        with contextlib.suppress(GraphUnavailableError, Neo4jError):
            await graph.prepare()
        with progress() as bar:
            await Filling(postgres, graph, made_up, service.folder / "filled.json").fill(sizes, bar)
        with console.status("making the vector indexes"):
            await migrate(service.dsn)
            await prepare(graph)


@dataclass
class Speed:
    """Asks one service in turn in every way."""

    service: Running
    theirs: Neo4jDriver
    taken: dict[tuple[str, str], Taken]

    def measure(self, asked: dict[str, list[Asked]], *, graphiti: int) -> None:
        """Each question at every size in every way, so that a busy moment of the machine falls on all of them."""
        loop = asyncio.new_event_loop()
        with (
            self.service.client() as client,
            psycopg.connect(self.service.dsn, autocommit=True) as connection,
            progress() as bar,
        ):
            register_vector(connection)
            loop.run_until_complete(self.theirs.build_indices_and_constraints())
            for number in bar.track(range(len(next(iter(asked.values())))), description="asking"):
                for name, some in asked.items():
                    self.once(client, connection, name, some[number], number)
                    if WARM_UP <= number < WARM_UP + graphiti and self.spent(name) < MOST_SPENT_MS:
                        took = loop.run_until_complete(ask_graphiti(self.theirs, name, some[number]))
                        self.of(name, "Graphiti").whole.append(took)
            loop.run_until_complete(self.theirs.close())

    def once(
        self, client: httpx.Client, connection: "psycopg.Connection[Any]", name: str, asked: Asked, number: int
    ) -> None:
        """One question, ours and plain; the first ones only warm up."""
        warm = number >= WARM_UP
        ask(client, name, asked, self.of(name, "graphmem") if warm else None)
        if warm and number % TRACED_EVERY == 0:
            ask(client, name, asked, self.of(name, "graphmem"), trace=True)
        plain = ask_plain(connection, name, asked)
        if warm:
            self.of(name, "plain SQL").whole.append(plain)

    def spent(self, name: str) -> float:
        """Milliseconds on Graphiti in one namespace so far."""
        return sum(self.of(name, "Graphiti").whole)

    def of(self, name: str, way: str) -> Taken:
        """What was taken in one namespace in one way."""
        return self.taken.setdefault((name, way), Taken())


def throughput(service: Running, name: str, asked: Sequence[Asked], *, clients: int) -> tuple[float, int]:
    """Answers a second of so many clients at once, and how many were not answered."""
    waiting, lock, lost = iter(asked), threading.Lock(), itertools.count()

    def run() -> None:
        with service.client() as client:
            while True:
                with lock:
                    one = next(waiting, None)
                if one is None:
                    return
                try:
                    ask(client, name, one, None)
                except (httpx.HTTPError, click.ClickException):
                    next(lost)

    begun = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(run) for _ in range(clients)]:
            done.result()
    return len(asked) / (time.perf_counter() - begun), next(lost)


def ingest(service: Running, turns: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Episodes acknowledged a second, and understood a second, in a namespace of their own."""
    fresh = f"fresh_{int(time.time())}"
    begun = time.perf_counter()
    with service.client() as client:
        for start in range(0, len(turns), 100):
            body = {"namespace": fresh, "episodes": turns[start : start + 100]}
            client.post("/v1/episodes/batch", json=body).raise_for_status()
        acknowledged = time.perf_counter() - begun
        with console.status("waiting for the worker"):
            wait_for_jobs(client, fresh)
    return len(turns) / acknowledged, len(turns) / (time.perf_counter() - begun)


def stored_bytes(service: Running) -> tuple[int, int]:
    """Of Postgres and of Neo4j's data on disk."""
    with psycopg.connect(service.dsn) as connection:
        row = connection.execute("select pg_database_size(current_database())").fetchone()
    files = (service.folder / "data" / "neo4j").rglob("*")
    graph = sum(file.stat().st_size for file in files if file.is_file() and "databases" in file.parts)
    return (row[0] if row else 0), graph


def resident(service: Running) -> str:
    """Memory of each part, in MB."""
    held: dict[str, int] = {}
    for process in family(service.supervisor):
        held[process.part] = held.get(process.part, 0) + process.pss_bytes
    return ", ".join(f"{part} {size / 1e6:.0f}" for part, size in sorted(held.items()))


def tables(taken: dict[tuple[str, str], Taken], labels: dict[str, str]) -> list[Table]:
    """Times of each way, and the stages of ours."""
    whole = Table(["episodes", "asked by", "searches", "p50 ms", "p95 ms", "p99 ms"])
    for name, way in itertools.product(labels, WAYS):
        if (name, way) in taken:
            whole.add(labels[name], way, str(len(taken[name, way].whole)), *taken[name, way].cells())
    ours = {name: taken[name, WAYS[0]] for name in labels}
    stages = Table(["part: p50, p95 ms", *(labels[name] for name in ours)])
    for part in dict.fromkeys(part for times in ours.values() for part in times.stages):
        stages.add(part, *(times.stage(part) for times in ours.values()))
    return [whole, stages]


def bars(taken: dict[tuple[str, str], Taken], plan: "Plan") -> list[Bar]:
    """What must hold of the largest namespace."""
    labels, (least, *_, most) = plan.labels, plan.alone
    small, large = taken[least, WAYS[0]], taken[most, WAYS[0]]
    growth, spread = large.p50 / small.p50, large.p95 / large.p50
    found = [
        Bar(
            f"p50 at {labels[most]} ≤ {MOST_FACTOR} times p50 at {labels[least]}",
            f"{growth:.2f}",
            growth <= MOST_FACTOR,
        ),
        Bar(f"p95 ≤ {MOST_SPREAD:g} times p50 at {labels[most]}", f"{spread:.2f}", spread <= MOST_SPREAD),
    ]
    if theirs := taken.get((most, "Graphiti")):
        lead = theirs.p50 / large.p50
        text = f"≥ {LEAST_LEAD:g} times quicker than COMBINED_HYBRID_SEARCH_RRF at {labels[most]}"
        found.append(Bar(text, f"{lead:.1f}", lead >= LEAST_LEAD))
    return found


def bars_of_many(beside: "Sides") -> list[Bar]:
    """What must hold with many clients."""
    gain = beside.together / beside.alone
    return [
        Bar(f"{CLIENTS} clients ≥ {LEAST_GAIN} times one client", f"{gain:.2f}", gain >= LEAST_GAIN),
        Bar("no searches lost", str(beside.lost), beside.lost == 0),
    ]


@dataclass(frozen=True)
class Plan:
    """What is filled and asked: sizes, and the middle one also in so many namespaces."""

    sizes: tuple[int, ...]
    parts: int

    @property
    def alone(self) -> dict[str, int]:
        """A namespace for each size."""
        return {name: part for size in sorted(self.sizes) for name, part in namespaces(size, 1).items()}

    @property
    def shared(self) -> dict[str, int]:
        """The namespaces that hold the middle size between them."""
        return namespaces(sorted(self.sizes)[len(self.sizes) // 2], self.parts) if self.parts > 1 else {}

    @property
    def asked(self) -> dict[str, int]:
        """Where questions are asked."""
        return self.alone | dict(list(self.shared.items())[:1])

    @property
    def labels(self) -> dict[str, str]:
        """How these are called."""
        return {
            name: f"{size:,}" + (f", one of {self.parts} namespaces" if name in self.shared else "")
            for name, size in self.asked.items()
        }

    @property
    def total(self) -> int:
        """Episodes in all."""
        return sum((self.shared | self.alone).values())


@dataclass(frozen=True)
class Sides:
    """What is measured beside the times of searches."""

    alone: float
    together: float
    lost: int
    acknowledged: float
    understood: float
    sizes: Sequence[float]
    held: str

    def sentences(self) -> list[str]:
        """For the page."""
        return [
            f"Answers a second: one client {self.alone:.1f}, {CLIENTS} clients {self.together:.1f}; {API} processes.",
            f"Episodes a second: {self.acknowledged:.0f} acknowledged, {self.understood:.1f} understood.",
            "On disk, an episode with its facts: "
            f"Postgres {self.sizes[0]:,.0f} bytes, Neo4j {self.sizes[1]:,.0f} bytes, with transaction logs.",
            f"Resident, MB: {self.held}.",
            f"Measured on {machine()}.",
            "![p50 by size](images/growth.svg)",
        ]


def sides(service: Running, known: Source, plan: Plan) -> Sides:
    """Throughput in the smallest namespace, ingest, disk, memory."""
    name, size = next(iter(plan.alone.items()))
    asked = known.questions(size)
    held, disk = resident(service), [one / plan.total for one in stored_bytes(service)]
    alone, none_lost = throughput(service, name, asked, clients=1)
    together, lost = throughput(service, name, asked * 2, clients=CLIENTS)
    return Sides(alone, together, lost + none_lost, *ingest(service, known.made_up.turns[:INGESTED]), disk, held)


@click.command(help=__doc__)
@click.option("--size", "sizes", multiple=True, type=int, default=SIZES, show_default=True, help="Episodes; repeated.")
@click.option("--parts", default=NAMESPACES, show_default=True, help="The middle size also in so many namespaces.")
@click.option("--questions", "count", default=150, show_default=True, help="Real questions to ask.")
@click.option("--graphiti", default=12, show_default=True, help="Of them asked of Graphiti's recipe too.")
@click.option("--keep", type=click.Path(path_type=Path), help="A folder for the data, to go on from in the next run.")
@report_option
def main(  # noqa: PLR0913 - each is an option
    sizes: tuple[int, ...], parts: int, count: int, graphiti: int, keep: Path | None, *, report: bool
) -> None:
    """Fill, ask in turn, compare."""
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    plan = Plan(sizes, parts)
    with running_service(keep and keep.resolve(), **NOTHING_REMEMBERED, GRAPHMEM_HTTP__WORKERS=str(API)) as service:
        known = source(service.folder, count)
        asyncio.run(fill(service, known.made_up, plan.shared | plan.alone))
        tidy(service.dsn)
        card = service.card
        # Made outside of a loop: inside of one it begins to create its indexes by itself.
        theirs = Neo4jDriver(card["neo4j_uri"], card["neo4j_user"], card["neo4j_password"])
        speed = Speed(service, theirs, {})
        speed.measure({name: known.questions(size) for name, size in plan.asked.items()}, graphiti=graphiti)
        beside = sides(service, known, plan)
    if report:
        CHART.write_text(growth_chart(medians(speed.taken, plan)))
    checks = [*bars(speed.taken, plan), *bars_of_many(beside)]
    conclude("Speed", [*tables(speed.taken, plan.labels), *beside.sentences()], checks, report=report)


def medians(taken: dict[tuple[str, str], Taken], plan: Plan) -> dict[str, dict[int, float]]:
    """The p50 of each way by size, for the picture."""
    return {
        way: {size: taken[name, way].p50 for name, size in plan.alone.items() if (name, way) in taken} for way in WAYS
    }


def machine() -> str:
    """Cores, memory and versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}, load average "
        f"{os.getloadavg()[1]:.0f} (others were at work), by the target `bench-speed`"
    )


if __name__ == "__main__":
    main()
