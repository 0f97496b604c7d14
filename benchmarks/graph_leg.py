"""Is the graph quick to ask? The graph leg's query against Graphiti's own hybrid search, in turn, on one server."""

import asyncio
import copy
import logging
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import click
from graphiti_core.driver.neo4j_driver import Neo4jDriver
from graphiti_core.search.search import search
from graphiti_core.search.search_config_recipes import EDGE_HYBRID_SEARCH_RRF
from graphiti_core.search.search_filters import SearchFilters
from rich.progress import Progress

from benchmarks.made_up_facts import Asked, MadeUpFacts, MadeUpGraph
from benchmarks.measures import median, percentile
from benchmarks.reporting import Bar, Table, conclude, progress, report_option
from benchmarks.running import Running, running_service
from graphmem.recall.legs.graph import MOST_FACTS
from graphmem.settings import Neo4j
from graphmem.stores.fact_search import FactSearch
from graphmem.stores.filters import Scope
from graphmem.stores.graph import GraphStore
from graphmem.stores.postgres import Postgres

NAMESPACES = 20
SMALL = 1_000
WARM_UP = 20


@dataclass(frozen=True)
class Both:
    """The two ways of asking one server."""

    ours: FactSearch
    theirs: Neo4jDriver

    async def ask_ours(self, asked: Asked) -> int:
        """One round trip: by words, by meaning, by name, and one hop further; how many facts it gave."""
        question = (asked.text, asked.vector, [asked.named])
        near = await self.ours.near(question, Scope(asked.namespace), limit=MOST_FACTS, now=datetime.now(UTC))
        return len({fact.id for facts in near.ways.values() for fact in facts})

    async def ask_theirs(self, asked: Asked) -> int:
        """What `search_` does with this recipe: by words and by meaning, the vector given; how many facts it gave."""
        # The recipe is shared by the whole process.
        recipe = copy.deepcopy(EDGE_HYBRID_SEARCH_RRF)
        clients: Any = SimpleNamespace(driver=self.theirs, embedder=None, cross_encoder=None)
        vector = asked.vector.tolist()
        found = await search(clients, asked.text, [asked.namespace], recipe, SearchFilters(), query_vector=vector)
        return len(found.edges)


@dataclass
class Taken:
    """Milliseconds of each question, and how many facts came."""

    milliseconds: list[float] = field(default_factory=list[float])
    facts: list[int] = field(default_factory=list[int])

    async def time(self, asking: Awaitable[int]) -> None:
        """Wait for one answer."""
        begun = time.perf_counter()
        self.facts.append(await asking)
        self.milliseconds.append((time.perf_counter() - begun) * 1000)

    def cells(self) -> list[str]:
        """For the table."""
        times = (percentile(self.milliseconds, share) for share in (50, 95))
        return [*(f"{one:.1f}" for one in times), f"{median(self.facts):.0f}"]


async def fill(graph: GraphStore, made_up: MadeUpGraph) -> None:
    """Write a graph as the projection does."""
    await graph.save_entities(made_up.namespace, made_up.entities)
    await graph.save_facts(made_up.namespace, made_up.facts)
    await graph.save_episodes(made_up.episodes, made_up.links)


async def measure(both: Both, questions: Sequence[Asked], bar: Progress, *, of: int) -> tuple[Taken, Taken]:
    """Each question both ways, so that a busy moment of the machine falls on both; the first only warm up."""
    ours, theirs = Taken(), Taken()
    for number, asked in enumerate(bar.track(questions, description=f"asking {of:,} facts")):
        if number == WARM_UP:
            ours, theirs = Taken(), Taken()
        await ours.time(both.ask_ours(asked))
        await theirs.time(both.ask_theirs(asked))
    return ours, theirs


async def compare(service: Running, theirs: Neo4jDriver, sizes: tuple[int, int], count: int) -> dict[int, Any]:
    """Fill and ask: first a small graph alone, then the large one in many namespaces."""
    card, source = service.card, MadeUpFacts()
    settings = Neo4j(uri=card["neo4j_uri"], user=card["neo4j_user"], password=card["neo4j_password"])
    taken: dict[int, Any] = {}
    async with GraphStore.open(settings) as graph, Postgres.open(service.dsn, pool_size=2) as postgres:
        await graph.prepare()
        await theirs.build_indices_and_constraints()
        both = Both(FactSearch(graph, postgres), theirs)
        for size, namespaces in zip(sizes, (1, NAMESPACES), strict=True):
            questions: list[Asked] = []
            with progress() as bar:
                for number in bar.track(range(namespaces), description=f"filling {size:,} facts"):
                    made_up = source.graph(f"of_{size}_{number}", size // namespaces)
                    await fill(graph, made_up)
                    questions += source.questions(made_up, (count + WARM_UP) // namespaces)
                await graph.run("CALL db.awaitIndexes(600)")
                source.random.shuffle(questions)
                taken[size] = await measure(both, questions, bar, of=size)
        await theirs.close()
    return taken


@click.command(help=__doc__)
@click.option("--facts", default=100_000, show_default=True, help="Facts of the large graph.")
@click.option("--questions", "count", default=200, show_default=True, help="Questions to ask of each graph.")
@report_option
def main(facts: int, count: int, *, report: bool) -> None:
    """Fill a server, ask both ways, compare the medians."""
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    with running_service() as service:
        card = service.card
        # Made outside of a loop: inside of one it begins to create its indexes by itself.
        theirs = Neo4jDriver(card["neo4j_uri"], card["neo4j_user"], card["neo4j_password"])
        taken = asyncio.run(compare(service, theirs, (SMALL, facts), count))
    table = Table(["facts", "namespaces", "asked by", "p50 ms", "p95 ms", "facts found"])
    bars: list[Bar] = []
    for size, namespaces, most in ((SMALL, 1, 1.0), (facts, NAMESPACES, 0.1)):
        ours, theirs_taken = taken[size]
        table.add(f"{size:,}", str(namespaces), "the graph leg", *ours.cells())
        table.add(f"{size:,}", str(namespaces), "EDGE_HYBRID_SEARCH_RRF", *theirs_taken.cells())
        share = median(ours.milliseconds) / median(theirs_taken.milliseconds)
        bars.append(Bar(f"p50 at {size:,} facts ≤ {most:g} of Graphiti's", f"{share:.3f}", share <= most))
    conclude("Graph leg", [table], bars, report=report)


if __name__ == "__main__":
    main()
