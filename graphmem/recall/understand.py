"""Which legs a question asks (pure)."""

from collections.abc import Collection
from dataclasses import dataclass

from graphmem.memory import Interval, Missing, Query
from graphmem.recall.profiles import Numbers
from graphmem.recall.ranking.intent import NO_INTENTS, Intents, intents

ABSENT = {
    "vector": "no embedder is configured",
    "graph": "no graph is configured",
}
MODE_LEGS = {
    "auto": ("keyword", "vector", "graph"),
    "hybrid": ("keyword", "vector", "graph"),
    "keyword": ("keyword",),
    "semantic": ("vector",),
    "graph": ("graph",),
}
# What is asked for by words or meaning alone is answered by them alone.
SPREADING_MODES = ("auto", "hybrid", "graph")
# What a hypothetical answer weighs that a request asks for and its profile does not have.
ASKED_FOR_WEIGHT = 0.3


@dataclass(frozen=True)
class Plan:
    """The legs to ask, those that are wanted but not there, the weights of lists; and what is asked for.

    `spreads`: whether charge may bring in more. `expands`: whether a hypothetical answer is looked for too, which is
    there once the legs were asked.
    """

    legs: tuple[str, ...]
    missing: tuple[Missing, ...]
    weights: dict[str, float]
    spreads: bool = True
    expands: bool = False
    hypothetical: str | None = None
    intents: Intents = NO_INTENTS
    time: Interval | None = None


def understand(query: Query, numbers: Numbers, available: Collection[str], *, time: Interval | None = None) -> Plan:
    """The legs of the question's mode whose weight is above 0; `semantic` without a vector leg falls back to keyword.

    >>> plan = understand(Query(namespace="n", text="x", mode="semantic"), Numbers(), {"keyword"})
    >>> plan.legs, [missing.leg for missing in plan.missing]
    (('keyword',), ['vector'])
    """
    weights = {
        "keyword": numbers.keyword_weight,
        "vector": numbers.vector_weight,
        "graph": numbers.graph_weight,
        "recency": numbers.recency_weight,
        "access": numbers.access_weight,
        "hyde": numbers.hyde_weight or (ASKED_FOR_WEIGHT if query.hyde else 0.0),
    }
    after = intents(query.text)
    wanted = MODE_LEGS[query.mode]
    if query.mode in ("auto", "hybrid"):
        wanted = tuple(leg for leg in wanted if weights[leg] > 0)
    else:
        weights |= {leg: weights[leg] or 1.0 for leg in wanted}
    legs = tuple(leg for leg in wanted if leg in available)
    missing = tuple(Missing(leg, ABSENT[leg]) for leg in wanted if leg not in available)
    if query.mode == "semantic" and not legs:
        return Plan(
            ("keyword",),
            missing,
            weights | {"keyword": weights["keyword"] or 1.0},
            spreads=False,
            intents=after,
            time=time,
        )
    expands = query.hyde is not False and weights["hyde"] > 0 and "vector" in wanted
    spreads = query.mode in SPREADING_MODES
    return Plan(legs, missing, weights, spreads=spreads, expands=expands, intents=after, time=time)
