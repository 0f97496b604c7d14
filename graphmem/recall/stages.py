"""The stages of one search: each takes scores and returns new ones, notes them in the trace, or is left out.

Pure but for the trace. What a stage needs from outside is read by the pipeline before it, and handed in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

import numpy as np

from graphmem.memory import Hit, MemoryId, Nature, Query, Recalled, Scores
from graphmem.recall.judging import Judgement
from graphmem.recall.profiles import Profile
from graphmem.recall.propagation import Charges
from graphmem.recall.ranking.diversify import by_vectors, by_words, distinct, diversify, pool
from graphmem.recall.ranking.fuse import Ranking, dense_ranks, fuse, raised
from graphmem.recall.ranking.order import Ties
from graphmem.recall.ranking.prior import Prior, weigh
from graphmem.recall.ranking.propagate import propagate
from graphmem.recall.ranking.rerank import rerank
from graphmem.recall.trace import Trace
from graphmem.recall.understand import Plan

Runs = Mapping[str, Sequence[Hit]]
Natures = Mapping[MemoryId, Nature]


@dataclass(frozen=True)
class Stages:
    """What the question and its profile make of scores."""

    query: Query
    profile: Profile
    plan: Plan
    now: datetime
    trace: Trace

    def fuse(self, runs: Runs, natures: Natures) -> Scores:
        """One score for each memory that a leg found."""
        numbers = self.profile.numbers
        lists = self.rankings(runs, natures)
        weights = {name: self.plan.weights.get(name, 1.0) for name in lists}
        bonus: Scores = {}
        if numbers.importance_ranks:
            high = [one for one, nature in natures.items() if nature.importance == "high"]
            bonus = raised(high, k=numbers.rrf_k, ranks=numbers.importance_ranks)
        with self.trace.stage("fuse") as stage:
            ties = self.ties(runs, natures)
            scores = stage.keep(fuse(lists, k=numbers.rrf_k, weights=weights, bonus=bonus, ties=ties))
        self.trace.fusion = {"k": numbers.rrf_k, "weights": weights, "candidates": len(scores), "bonus": bonus}
        return scores

    def rankings(self, runs: Runs, natures: Natures) -> dict[str, Ranking]:
        """The legs' rankings of what is known, and those by age and by use where they weigh."""
        found = {
            leg: {hit.memory_id: hit.score for hit in hits if hit.memory_id in natures} for leg, hits in runs.items()
        }
        lists: dict[str, Ranking] = {leg: list(hits) for leg, hits in found.items()}
        if self.profile.rules.ranks == "dense":
            lists = {leg: dense_ranks(hits) for leg, hits in found.items()}
        own: dict[str, dict[MemoryId, float]] = {
            "recency": {one: nature.moment.timestamp() for one, nature in natures.items()},
            "access": {one: float(nature.accesses) for one, nature in natures.items()},
        }
        for name, values in own.items():
            if self.plan.weights.get(name):
                lists[name] = dense_ranks(values)
        self.trace.rank(lists, found | own)
        return lists

    def ties(self, runs: Runs, natures: Natures) -> Ties:
        """What equal scores are settled by."""
        places = {leg: {hit.memory_id: place for place, hit in enumerate(hits)} for leg, hits in runs.items()}

        def key(one: MemoryId, nature: Nature) -> tuple[float | tuple[bool, str], ...]:
            own = {"newest": -nature.moment.timestamp(), "path": (nature.path is None, nature.path or "")}
            return tuple(
                own[tie] if tie in own else places.get(tie, {}).get(one, float("inf"))
                for tie in self.profile.rules.ties
            )

        return {one: key(one, nature) for one, nature in natures.items()}

    @cached_property
    def prior(self) -> Prior:
        """What memories are worth by themselves for this question."""
        numbers, rules = self.profile.numbers, self.profile.rules
        dated = self.plan.time is not None or self.query.filters.valid_as_of is not None
        return Prior(
            intents=self.plan.intents,
            intent_weight=numbers.intent_weight,
            half_life=timedelta(days=numbers.half_life_days),
            floor=numbers.floor,
            evergreen_floor=numbers.evergreen_floor,
            time=self.plan.time,
            time_weight=numbers.time_weight,
            now=self.now,
            fresh_facts=rules.fact_age == "none",
            timeless=dated and rules.dated_decay == "off",
        )

    def intent(self, scores: Scores, natures: Natures) -> Scores:
        """Raised and lowered by what the question is after."""
        if not self.prior.asks_for_a_kind:
            return scores
        with self.trace.stage("intent") as stage:
            self.trace.factors["intent"] = {one: self.prior.intent(natures[one]) for one in scores}
            return stage.keep(weigh(scores, self.trace.factors["intent"]))

    def decay(self, scores: Scores, natures: Natures) -> Scores:
        """Lowered by age."""
        if not self.prior.fades:
            return scores
        with self.trace.stage("decay") as stage:
            self.trace.factors["decay"] = {one: self.prior.decay(natures[one]) for one in scores}
            return stage.keep(weigh(scores, self.trace.factors["decay"]))

    def time(self, scores: Scores, natures: Natures) -> Scores:
        """Raised where it was said in the time that the question names."""
        if not self.prior.prefers_a_time:
            return scores
        with self.trace.stage("time") as stage:
            self.trace.factors["time"] = {one: self.prior.time_of(natures[one]) for one in scores}
            return stage.keep(weigh(scores, self.trace.factors["time"]))

    @property
    def spreads(self) -> bool:
        """Whether charge is to spread; names lead to episodes only."""
        numbers = self.profile.numbers
        leads_there = self.profile.rules.kernel == "fire" or "episode" in self.query.kinds
        return bool(self.plan.spreads and numbers.propagate_weight and numbers.hops and leads_there)

    def propagate(self, scores: Scores, charged: Charges, natures: Natures) -> Scores:
        """Raised by what charge says, newcomers let in."""
        if not self.spreads:
            return scores
        numbers = self.profile.numbers
        charges = {one: charge for one, charge in charged.charges.items() if one in natures}
        weight = numbers.propagate_weight * charged.gate
        with self.trace.stage("propagate") as stage:
            priors = {one: self.prior.of(natures[one]) for one in charges}
            scores = stage.keep(propagate(scores, charges, priors, weight=weight, k=numbers.rrf_k))
        listed = [
            {"id": one, "rank": rank, "charge": charge, "prior": priors[one]}
            for rank, (one, charge) in enumerate(charges.items(), start=1)
        ]
        self.trace.propagation = charged.note | {"weight": weight, "k": numbers.rrf_k, "charges": listed}
        return scores

    def distinct(self, scores: Scores, natures: Natures) -> Scores:
        """Of the same text only the first, where variety is wanted."""
        if not self.profile.numbers.mmr_pool:
            return scores
        digests = {one: natures[one].digest for one in scores}
        kept = distinct(scores, digests)
        first = {digests[one]: one for one in kept}
        self.trace.distinct = [{"id": one, "same_as": first[digests[one]]} for one in scores if one not in kept]
        return kept

    def wanted(self, scores: Scores) -> list[MemoryId]:
        """The memories whose texts are needed: for the answer, the judge, and variety."""
        numbers = self.profile.numbers
        return list(scores)[: max(self.query.limit, numbers.rerank_top_n, numbers.mmr_pool)]

    @property
    def reranks(self) -> bool:
        """Whether a judge is to be heard."""
        return bool(self.profile.numbers.rerank_top_n)

    def head(self, scores: Scores) -> list[MemoryId]:
        """What the judge is to read."""
        return list(scores)[: self.profile.numbers.rerank_top_n or 1]

    def rerank(self, scores: Scores, judgement: Judgement) -> Scores:
        """The head in the judge's order."""
        top_n = self.profile.numbers.rerank_top_n
        self.trace.unanimity = judgement.unanimity
        self.trace.rerank = {"ran": judgement.ran, "skipped_reason": judgement.skipped_reason, "top_n": top_n}
        if not judgement.ran:
            return scores
        with self.trace.stage("rerank") as stage:
            self.trace.rerank["scores"] = judgement.scores
            return stage.keep(rerank(scores, judgement.scores, top_n=top_n))

    @property
    def compares_vectors(self) -> bool:
        """Whether vectors say how alike memories are."""
        return bool(self.profile.numbers.mmr_pool) and self.profile.rules.similarity == "vectors"

    def pool(self, scores: Scores) -> Scores:
        """The memories to be varied, and how relevant each is."""
        return pool(scores, self.profile.numbers.mmr_pool, relative=self.profile.rules.relevance == "relative")

    def diversify(
        self, scores: Scores, memories: Mapping[MemoryId, Recalled], vectors: Mapping[MemoryId, np.ndarray]
    ) -> Scores:
        """What says something new before what says the same again."""
        numbers = self.profile.numbers
        if not numbers.mmr_pool:
            return scores
        with self.trace.stage("diversify") as stage:
            first = self.pool(scores)
            said = {one: memories[one].text for one in first if one in memories}
            alike = by_vectors(vectors) if self.compares_vectors else by_words(said)
            varied = diversify(scores, first, alike, balance=numbers.mmr_lambda, limit=self.query.limit)
            self.trace.diversify = [{"id": one} | pick._asdict() for one, pick in varied.picks.items()]
            return stage.keep(varied.scores)
