"""The read path on one page: a question in, the memories that matter out, with the reason for each.

understand ──> legs ──> fuse ──> propagate ──> fetch ──> order
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from graphmem.memory import Hit, Missing, Query, Recalled, Scores, new_id
from graphmem.recall.legs.leg import Leg, Question, run_legs
from graphmem.recall.profiles import Profile
from graphmem.recall.propagation import Propagation
from graphmem.recall.ranking.fuse import fuse
from graphmem.recall.ranking.order import best_first
from graphmem.recall.results import found, recalled_episode, recalled_fact
from graphmem.recall.trace import Trace
from graphmem.recall.understand import Plan, understand
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.fact_search import FactSearch
from graphmem.stores.filters import Scope

# Fetched beyond the limit, so that ties at its edge are settled by time.
MARGIN = 10


@dataclass(frozen=True)
class Answer:
    """What is remembered, and how it was found."""

    results: list[Recalled]
    missing: list[Missing]
    fell_back: Literal["keyword"] | None
    search_id: str
    took_ms: float
    trace: dict[str, Any]


@dataclass(frozen=True)
class Recaller:
    """Answers questions from the legs it was given, by name."""

    legs: Mapping[str, Leg]
    episodes: EpisodeStore
    facts: FactSearch | None = None
    propagation: Propagation | None = None

    async def recall(self, query: Query, profile: Profile, *, now: datetime) -> Answer:
        """The memories that match the question best, at most `limit` of them."""
        begun = time.perf_counter()
        trace = Trace()
        numbers = profile.numbers
        plan = understand(query, numbers, self.legs.keys())
        question = Question(
            text=query.text,
            scope=Scope(query.namespace, query.filters, query.exclude),
            numbers=numbers,
            depth=max(numbers.candidate_k, query.limit),
            now=now,
            kinds=query.kinds,
            skip_retry_ladder=query.skip_retry_ladder,
        )
        runs, plan = await self.ask(question, plan, trace)
        with trace.stage("fuse") as stage:
            ranked = {leg: [hit.memory_id for hit in hits] for leg, hits in runs.items()}
            scores = stage.keep(fuse(ranked, k=numbers.rrf_k, weights=plan.weights))
        wanted = plan.spreads and numbers.propagate_weight and numbers.hops and "episode" in query.kinds
        if wanted and self.propagation is not None:
            with trace.stage("propagate") as stage:
                scores, trace.propagation = await self.propagation.spread_from(question, scores)
                stage.keep(scores)
        memories = await self.fetch(query, scores)
        times = {memory_id: memory.occurred_at for memory_id, memory in memories.items()}
        scores = best_first({memory_id: scores[memory_id] for memory_id in memories}, times)
        self.note(trace, query, profile, plan)
        results = [found(memories[memory_id], score, runs) for memory_id, score in scores.items()][: query.limit]
        fell_back = "keyword" if fell_back_to_keyword(query, runs, plan) else None
        took_ms = round((time.perf_counter() - begun) * 1000, 3)
        return Answer(results, list(plan.missing), fell_back, new_id(), took_ms, trace.answer())

    async def ask(self, question: Question, plan: Plan, trace: Trace) -> tuple[dict[str, list[Hit]], Plan]:
        """Ask the plan's legs; a semantic search whose vectors are away is answered by keyword."""
        runs, missing = await run_legs({leg: self.legs[leg] for leg in plan.legs}, question, trace)
        plan = replace(plan, missing=(*plan.missing, *missing))
        if plan.legs == ("vector",) and not runs:
            runs, _ = await run_legs({"keyword": self.legs["keyword"]}, question, trace)
            plan = replace(plan, weights=plan.weights | {"keyword": plan.weights["keyword"] or 1.0})
        return runs, plan

    async def fetch(self, query: Query, scores: Scores) -> dict[str, Recalled]:
        """The first memories with their texts; what was forgotten meanwhile or is of another kind is left out."""
        wanted = list(scores)[: query.limit + MARGIN] if query.kinds == ("episode", "fact") else list(scores)
        memories: dict[str, Recalled] = {}
        if "episode" in query.kinds and wanted:
            episodes = await self.episodes.find(query.namespace, wanted)
            memories |= {one: recalled_episode(episode) for one, episode in episodes.items()}
        if "fact" in query.kinds and self.facts is not None:
            facts = await self.facts.fetch(query.namespace, [one for one in wanted if one not in memories])
            memories |= {one: recalled_fact(row) for one, row in facts.items()}
        return memories

    async def briefing(self, namespace: str, *, limit: int) -> list[Recalled]:
        """What a conversation should begin with: what always matters, then the newest of recent sessions."""
        episodes = await self.episodes.briefing(namespace, limit=limit)
        return [recalled_episode(episode) for episode in episodes]

    def note(self, trace: Trace, query: Query, profile: Profile, plan: Plan) -> None:
        """Write down what was asked and how it was weighed."""
        keyword = trace.legs.get("keyword", {})
        trace.attempts = keyword.pop("attempts", [])
        trace.query = {
            "compiled": keyword.pop("compiled", query.text),
            "mode": query.mode,
            "profile": profile.name,
            "tuning": profile.numbers,
            "intents": {"preference": False, "concrete_fact": False},
        }
        trace.fusion = {
            "k": profile.numbers.rrf_k,
            "weights": {leg: plan.weights[leg] for leg in trace.runs},
            "candidates": len(trace.stages[0]["scores"]),
        }


def fell_back_to_keyword(query: Query, runs: Mapping[str, Sequence[Hit]], plan: Plan) -> bool:
    """Whether keyword search alone answered a question that wanted more."""
    return query.mode != "keyword" and list(runs) == ["keyword"] and bool(plan.missing)
