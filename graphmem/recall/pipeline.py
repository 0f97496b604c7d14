"""The read path on one page: a question in, the memories that matter out, with the reason for each.

understand ──> expand ──> legs ──> fuse ──> intent ──> decay ──> time ──> propagate ──> rerank ──> diversify
               I/O        I/O      pure     pure       pure      pure     pure          pure       pure

What a stage needs from outside is read before it: natures, the neighbourhood, texts, the judge's opinion.
"""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np

from graphmem.memory import Hit, Kind, MemoryId, Missing, Nature, Query, Recalled, Scores, Step, new_id
from graphmem.recall.asking import Asking
from graphmem.recall.judging import NO_JUDGE, Judge, Judgement
from graphmem.recall.legs.ladder import query_tokens
from graphmem.recall.legs.leg import Question
from graphmem.recall.profiles import Profile
from graphmem.recall.propagation import Charges, Propagation
from graphmem.recall.ranking.relevance import answerable
from graphmem.recall.results import Notes, found, recalled_episode, recalled_fact, relevances, relevant
from graphmem.recall.stages import Natures, Stages
from graphmem.recall.times import named_time
from graphmem.recall.trace import Trace
from graphmem.recall.understand import Plan, understand
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.facts import FactStore
from graphmem.stores.filters import Scope
from graphmem.stores.natures import NatureStore


@dataclass(frozen=True)
class Answer:
    """What is remembered, how it was found, and whether it answers the question.

    `relevant`: whether any of it reaches the profile's least relevance.
    """

    results: list[Recalled]
    missing: list[Missing]
    fell_back: Literal["keyword"] | None
    search_id: str
    took_ms: float
    trace: dict[str, Any]
    answerable: bool = False
    relevant: bool = True


@dataclass(frozen=True)
class Recaller:
    """Answers questions from the legs it may ask."""

    asking: Asking
    episodes: EpisodeStore
    natures: NatureStore
    facts: FactStore
    propagation: Propagation | None = None
    judge: Judge = NO_JUDGE

    async def recall(self, query: Query, profile: Profile, *, now: datetime) -> Answer:
        """The memories that match the question best, at most `limit` of them."""
        begun = time.perf_counter()
        trace = Trace()
        time_named = await named_time(query.text, now=now) if profile.minds_times else None
        plan = understand(query, profile.numbers, self.asking.legs.keys(), time=time_named)
        question = question_of(query, profile, now)
        runs, plan = await self.asking.ask(question, plan, trace)
        stages = Stages(query, profile, plan, now, trace)

        natures = await self.know(stages, {hit.memory_id for hits in runs.values() for hit in hits})
        scores = stages.fuse(runs, natures)
        scores = stages.intent(scores, natures)
        scores = stages.decay(scores, natures)
        scores = stages.time(scores, natures)

        charged = await self.charge(stages, question, scores, natures)
        natures |= await self.know(stages, charged.charges.keys() - natures.keys())
        scores = stages.propagate(scores, charged, natures)
        scores = stages.distinct(scores, natures)

        memories, paths = await self.fetch(stages, scores, natures, charged)
        judgement = await self.judgement(stages, scores, memories, runs)
        scores = stages.rerank(scores, judgement)
        scores = stages.diversify(scores, memories, await self.vectors(stages, scores))

        chosen = [one for one in scores if one in memories][: query.limit]
        notes = {leg: trace.notes(leg) for leg in runs}
        near = await self.similarities(question, chosen, notes, trace)
        worth = relevances(query_tokens(query.text), [memories[one] for one in chosen], near, trace)
        results = [found(memories[one], (scores[one], worth[one]), notes, paths.get(one, ())) for one in chosen]
        trace.query = asked(stages)
        fell_back = "keyword" if fell_back_to_keyword(query, runs, plan) else None
        took_ms = round((time.perf_counter() - begun) * 1000, 3)
        missing = list({one.leg: one for one in (*charged.missing, *plan.missing)}.values())
        enough = relevant(results, least=profile.numbers.min_relevance)
        answers = answerable(worth.values())
        return Answer(results, missing, fell_back, new_id(), took_ms, trace.answer(), answers, enough)

    async def know(self, stages: Stages, ids: Collection[MemoryId]) -> dict[MemoryId, Nature]:
        """What the stages need to know of memories; of what was forgotten or is of another kind there is nothing."""
        with stages.trace.read("natures"):
            return await self.natures.of(
                stages.query.namespace, ids, kinds=stages.query.kinds, with_traits=stages.prior.asks_for_a_kind
            )

    async def charge(self, stages: Stages, question: Question, scores: Scores, natures: Natures) -> Charges:
        """What the question and the first of the scores charge, where charge is to spread."""
        if self.propagation is None or not stages.spreads:
            return Charges()
        with stages.trace.read("neighbourhood"):
            seeds: dict[MemoryId, Kind] = {one: natures[one].kind for one in list(scores)[: question.numbers.seeds]}
            return await self.propagation.charge(
                question, seeds, query_tokens(stages.plan.hypothetical or question.text)
            )

    async def fetch(
        self, stages: Stages, scores: Scores, natures: Natures, charged: Charges
    ) -> tuple[dict[MemoryId, Recalled], dict[MemoryId, tuple[Step, ...]]]:
        """As many of the first memories as the answer and the stages that read need, and how charge came to them."""
        namespace, wanted = stages.query.namespace, stages.wanted(scores)
        facts = [one for one in wanted if natures[one].kind == "fact"]
        ways = {one: charged.ways[one] for one in wanted if one in charged.ways}
        with stages.trace.read("texts"):
            episodes, rows, paths = await asyncio.gather(
                self.episodes.find(namespace, [one for one in wanted if natures[one].kind == "episode"]),
                self.facts.fetch(namespace, facts),
                self.propagation.paths(namespace, ways) if self.propagation is not None and ways else nothing(),
            )
        memories = {one: recalled_episode(episode) for one, episode in episodes.items()}
        return memories | {one: recalled_fact(row) for one, row in rows.items()}, paths

    async def vectors(self, stages: Stages, scores: Scores) -> dict[MemoryId, np.ndarray]:
        """The vectors of the memories to be varied, where those are to say how alike they are."""
        vector = self.asking.vector
        if vector is None or not stages.compares_vectors:
            return {}
        with stages.trace.read("vectors"):
            return await vector.vectors(stages.query.namespace, stages.pool(scores))

    async def similarities(
        self, question: Question, chosen: Collection[MemoryId], notes: Notes, trace: Trace
    ) -> dict[MemoryId, float]:
        """How near the chosen memories are to the question; what the vector leg did not see is compared now."""
        near = {one: note.score for one, note in notes.get("vector", {}).items()}
        unseen = [one for one in chosen if one not in near]
        if "vector" in notes and self.asking.vector is not None and unseen:
            with trace.read("similarities"):
                near |= await self.asking.vector.similarities(question, unseen)
        return near

    async def judgement(
        self, stages: Stages, scores: Scores, memories: Mapping[MemoryId, Recalled], runs: Mapping[str, Sequence[Hit]]
    ) -> Judgement:
        """What the judge says of the head, or why it is not asked."""
        with stages.trace.read("judge"):
            head = {one: memories[one] for one in stages.head(scores) if one in memories}
            return await self.judge.judge(stages.query.text, head, runs, enabled=stages.reranks)


async def nothing() -> dict[Any, Any]:
    """What is read where there is nobody to ask."""
    return {}


def question_of(query: Query, profile: Profile, now: datetime) -> Question:
    """What the legs need to know of a query."""
    return Question(
        text=query.text,
        scope=Scope(query.namespace, query.filters, query.exclude),
        numbers=profile.numbers,
        rules=profile.rules,
        limit=query.limit,
        depth=max(profile.numbers.candidate_k, query.limit),
        now=now,
        kinds=query.kinds,
        skip_retry_ladder=query.skip_retry_ladder or profile.rules.retry == "none",
        aliases=query.aliases,
    )


def asked(stages: Stages) -> dict[str, Any]:
    """What was asked, and how it was understood, for the trace."""
    keyword = stages.trace.legs.get("keyword", {})
    stages.trace.attempts = keyword.pop("attempts", [])
    return {
        "compiled": keyword.pop("compiled", stages.query.text),
        "mode": stages.query.mode,
        "limit": stages.query.limit,
        "profile": stages.profile.name,
        "tuning": stages.profile.numbers,
        "rules": stages.profile.rules,
        "intents": stages.plan.intents._asdict(),
        "time": stages.plan.time._asdict() if stages.plan.time else None,
        "now": stages.now,
    }


def fell_back_to_keyword(query: Query, runs: Mapping[str, Sequence[Hit]], plan: Plan) -> bool:
    """Whether keyword search alone answered a question that wanted more."""
    return query.mode != "keyword" and list(runs) == ["keyword"] and bool(plan.missing)
