"""Asking the legs: the question's own, and beside them or before them its hypothetical answer's."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from graphmem.memory import Hit
from graphmem.recall.expand import Expander, Expansion
from graphmem.recall.legs.leg import Leg, Question, ask, put_to, run_legs
from graphmem.recall.legs.vector import VectorLeg
from graphmem.recall.trace import Trace
from graphmem.recall.understand import Plan

Runs = dict[str, list[Hit]]


@dataclass(frozen=True)
class Asking:
    """The legs by name, and what they need beyond the question."""

    legs: Mapping[str, Leg]
    vector: VectorLeg | None = None
    expander: Expander = field(default_factory=Expander)

    async def ask(self, question: Question, plan: Plan, trace: Trace) -> tuple[Runs, Plan]:
        """What the plan's legs found, and the plan with what was missing."""
        if plan.expands and question.rules.hypothetical == "instead":
            question = await self.instead(question, trace)
        beside = self.beside(question, plan, trace)
        asked = run_legs({leg: self.legs[leg] for leg in plan.legs}, question, trace)
        (runs, missing), more = await asyncio.gather(asked, beside)
        plan = replace(plan, missing=(*plan.missing, *missing), hypothetical=trace.expansion["hypothetical"])
        plan = replace(plan, weights=plan.weights | trusted(plan, trace))
        if self.vector is not None and question.numbers.vector_window and {"keyword", "vector"} <= runs.keys():
            with trace.read("beyond_window"):
                runs["vector"] = await self.vector.widened(question, runs["vector"], runs["keyword"])
            trace.legs["vector"]["hits"] = len(runs["vector"])
        if plan.legs == ("vector",) and not runs:
            # A semantic search whose vectors are away is answered by keyword.
            runs, _ = await run_legs({"keyword": self.legs["keyword"]}, question, trace)
            plan = replace(plan, weights=plan.weights | {"keyword": plan.weights["keyword"] or 1.0})
        return runs | more, plan

    async def instead(self, question: Question, trace: Trace) -> Question:
        """The question with its hypothetical answer's vector in its place, if there is one."""
        return replace(question, vector=(await self.expansion(question, trace)).vector)

    async def beside(self, question: Question, plan: Plan, trace: Trace) -> Runs:
        """What lies near the hypothetical answer, as a run of its own."""
        if not plan.expands or question.rules.hypothetical == "instead" or self.vector is None:
            return {}
        expansion = await self.expansion(question, trace)
        if expansion.vector is None:
            return {}
        found = await ask("hyde", self.vector, replace(put_to("vector", question), vector=expansion.vector), trace)
        return {"hyde": found} if isinstance(found, list) else {}

    async def expansion(self, question: Question, trace: Trace) -> Expansion:
        """The hypothetical answer, noted in the trace."""
        with trace.read("expand"):
            seconds = question.numbers.hyde_deadline_ms / 1000
            expansion = await self.expander.expand(question.text, within_seconds=seconds)
        trace.expansion = {
            "strategy": "hyde",
            "place": question.rules.hypothetical,
            "hypothetical": expansion.hypothetical,
            "skipped_reason": expansion.skipped_reason,
        }
        return expansion


def trusted(plan: Plan, trace: Trace) -> dict[str, float]:
    """The weights of the legs that trust what they found less than wholly."""
    return {leg: plan.weights[leg] * trace.legs[leg].get("trust", 1.0) for leg in plan.legs}
