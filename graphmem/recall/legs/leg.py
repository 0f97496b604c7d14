"""What a leg is, and how legs are asked side by side."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from graphmem.errors import PostgresUnavailableError, UnavailableError
from graphmem.memory import Hit, Kind, Missing
from graphmem.models.embedder import Vector
from graphmem.recall.aliases import Aliases
from graphmem.recall.profiles import Numbers, Rules
from graphmem.recall.trace import Trace
from graphmem.stores.filters import Scope


@dataclass(frozen=True)
class Question:
    """What a leg needs to know; `vector` is what is looked for by meaning in the place of the text."""

    text: str
    scope: Scope
    numbers: Numbers
    rules: Rules
    limit: int
    depth: int
    now: datetime
    kinds: tuple[Kind, ...] = ("episode", "fact")
    skip_retry_ladder: bool = False
    aliases: Aliases = field(default_factory=dict[str, list[str]])
    vector: Vector | None = None


@dataclass(frozen=True)
class Found:
    """What a leg gives: hits, best first, and notes for the trace."""

    hits: list[Hit]
    notes: dict[str, Any] = field(default_factory=dict[str, Any])


class Leg(Protocol):
    """A way of finding candidates."""

    async def hits(self, question: Question) -> Found:
        """The memories it finds, best first; an outage is an UnavailableError."""
        ...


async def run_legs(
    legs: Mapping[str, Leg], question: Question, trace: Trace
) -> tuple[dict[str, list[Hit]], list[Missing]]:
    """Ask the legs side by side: what each found, and those that could not answer, with the reason."""
    outcomes = await asyncio.gather(*(ask(name, leg, put_to(name, question), trace) for name, leg in legs.items()))
    runs = {name: outcome for name, outcome in zip(legs, outcomes, strict=True) if isinstance(outcome, list)}
    return runs, [outcome for outcome in outcomes if isinstance(outcome, Missing)]


def put_to(leg: str, question: Question) -> Question:
    """The question as one leg is asked it: with a depth of its own, and for the kinds that it may give."""
    numbers = question.numbers
    pools = {"keyword": numbers.keyword_pool, "vector": numbers.vector_pool, "graph": numbers.graph_pool}
    kinds = question.kinds
    if leg == "graph" and question.rules.graph_gives == "facts":
        kinds = tuple(kind for kind in kinds if kind == "fact")
    return replace(question, depth=pools.get(leg, 0) * question.limit or question.depth, kinds=kinds)


async def ask(name: str, leg: Leg, question: Question, trace: Trace) -> list[Hit] | Missing:
    """Ask one leg within its deadline; an outage is forgiven, except Postgres's for the leg everything rests on."""
    begun = time.perf_counter()
    try:
        async with asyncio.timeout(question.numbers.deadline_ms / 1000):
            found = await leg.hits(question)
    except PostgresUnavailableError:
        if name == "keyword":
            raise
        reason = "Postgres does not answer"
    except UnavailableError as error:
        reason = str(error)
    except TimeoutError:
        reason = f"no answer within {question.numbers.deadline_ms} ms"
    else:
        trace.leg(name, found.hits, (time.perf_counter() - begun) * 1000, **found.notes)
        return found.hits
    trace.failed_leg(name, reason, (time.perf_counter() - begun) * 1000)
    return Missing(name, reason)
