"""Three ways of asking the same memory: ours through HTTP, Graphiti's own recipe, and plain fusion in SQL."""

import copy
import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import click
import httpx
import psycopg
from graphiti_core.driver.neo4j_driver import Neo4jDriver
from graphiti_core.search.search import search
from graphiti_core.search.search_config_recipes import COMBINED_HYBRID_SEARCH_RRF
from graphiti_core.search.search_filters import SearchFilters
from pgvector import HalfVector

from benchmarks.made_up import Asked
from benchmarks.measures import median, percentile

LIMIT = 10
# What is found is measured elsewhere; here a leg that takes its time must not leave the others alone.
PATIENT = {"deadline_ms": 60_000}
PLAIN = """
    with near as (
        select id, row_number() over (order by distance) as rank from (
            select doc, vector <=> %(vector)s::halfvec as distance from embedding
            where namespace = %(namespace)s order by vector <=> %(vector)s::halfvec limit 100
        ) as nearest join episode using (doc) where episode.namespace = %(namespace)s
    ),
    said as (
        select id, row_number() over (order by ts_rank(words, query) desc, id) as rank
        from episode, to_tsquery('english', %(words)s) as query
        where namespace = %(namespace)s and words @@ query
        order by rank limit 100
    )
    select coalesce(near.id, said.id) as id,
        coalesce(1.0 / (60 + near.rank), 0) + coalesce(1.0 / (60 + said.rank), 0) as score
    from near full join said using (id)
    order by score desc, id
    limit 10
"""


@dataclass
class Taken:
    """Milliseconds of searches of one kind, as the caller waits; and by stage, of those that were traced."""

    whole: list[float] = field(default_factory=list[float])
    stages: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def add_trace(self, answer: dict[str, Any]) -> None:
        """The parts of one answer."""
        trace = answer["trace"]
        parts = {f"leg {name}": leg["took_ms"] for name, leg in trace["legs"].items()}
        parts["embedding"] = trace["legs"].get("vector", {}).get("embed_ms", 0.0)
        parts["Neo4j"] = trace["legs"].get("graph", {}).get("neo4j_ms", 0.0)
        parts |= {f"read {name.removesuffix('_ms')}": took for name, took in trace["reads"].items()}
        parts["pure stages"] = sum(stage["took_ms"] for stage in trace["stages"])
        parts["inside"] = answer["took_ms"]
        for name, took in parts.items():
            self.stages.setdefault(name, []).append(took)

    def cells(self) -> list[str]:
        """p50, p95, p99."""
        return [f"{percentile(self.whole, share):.1f}" for share in (50, 95, 99)] if self.whole else ["", "", ""]

    def stage(self, part: str) -> str:
        """p50 and p95 of a part."""
        took = self.stages.get(part, [0.0])
        return f"{percentile(took, 50):.1f}, {percentile(took, 95):.1f}"

    @property
    def p50(self) -> float:
        """The median."""
        return median(self.whole)

    @property
    def p95(self) -> float:
        """What 95 of 100 do not exceed."""
        return percentile(self.whole, 95)


def ask(client: httpx.Client, namespace: str, asked: Asked, taken: Taken | None, *, trace: bool = False) -> None:
    """Ask with the default profile: embedding, three legs, propagation."""
    body = {"namespace": namespace, "query": asked.text, "limit": LIMIT, "touch": False, "trace": trace}
    begun = time.perf_counter()
    answer = client.post("/v1/search", json=body | {"tuning": PATIENT}).raise_for_status().json()
    milliseconds = (time.perf_counter() - begun) * 1000
    if answer["missing_legs"]:
        raise click.ClickException(f"A leg did not answer: {answer['missing_legs']}")
    if taken is not None and trace:
        taken.add_trace(answer)
    elif taken is not None:
        taken.whole.append(milliseconds)


async def ask_graphiti(theirs: Neo4jDriver, namespace: str, asked: Asked) -> float:
    """Milliseconds of what `search_` does with this recipe, the vector given."""
    # The recipe is shared by the whole process.
    recipe = copy.deepcopy(COMBINED_HYBRID_SEARCH_RRF)
    clients: Any = SimpleNamespace(driver=theirs, embedder=None, cross_encoder=None)
    begun = time.perf_counter()
    await search(clients, asked.text, [namespace], recipe, SearchFilters(), query_vector=asked.vector.tolist())
    return (time.perf_counter() - begun) * 1000


def ask_plain(connection: "psycopg.Connection[Any]", namespace: str, asked: Asked) -> float:
    """Milliseconds of nearest vectors and ts_rank of any of the words, fused; the vector given."""
    words = " | ".join(word for word in "".join(c if c.isalnum() else " " for c in asked.text).split())
    begun = time.perf_counter()
    connection.execute(PLAIN, {"namespace": namespace, "vector": HalfVector(asked.vector), "words": words}).fetchall()
    return (time.perf_counter() - begun) * 1000
