"""Asking a judge about the head of the list: seldom, briefly, and never at the cost of the answer."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from graphmem.errors import ModelAnswerError, UnavailableError
from graphmem.memory import Hit, MemoryId, Recalled, Scores
from graphmem.models.reranker import Reranker
from graphmem.recall.ranking.rerank import Unanimity, judged_text, unanimity

SkippedReason = Literal["unanimity", "disabled", "no_reranker", "empty_candidates", "timeout", "error"]


@dataclass(frozen=True)
class Judgement:
    """A score for each memory the judge read, or why it read none."""

    skipped_reason: SkippedReason | None
    unanimity: Unanimity | None = None
    scores: Scores = field(default_factory=dict[MemoryId, float])

    @property
    def ran(self) -> bool:
        """Whether the judge was heard."""
        return self.skipped_reason is None


@dataclass(frozen=True)
class Judge:
    """Hears the reranker, where there is one."""

    reranker: Reranker | None = None
    timeout_seconds: float = 2.0

    async def judge(
        self, question: str, head: Mapping[MemoryId, Recalled], runs: Mapping[str, Sequence[Hit]], *, enabled: bool
    ) -> Judgement:
        """The judge's scores of the head; without one, or when it is not needed or fails, the reason."""
        agreed = agreement(runs)
        reason = reason_to_skip(head, agreed, enabled=enabled, there=self.reranker is not None)
        if reason is not None or self.reranker is None:
            return Judgement(reason, agreed)
        try:
            async with asyncio.timeout(self.timeout_seconds):
                scores = await self.reranker.relevance(question, [text_of(memory) for memory in head.values()])
        except TimeoutError:
            return Judgement("timeout", agreed)
        except (UnavailableError, ModelAnswerError):
            return Judgement("error", agreed)
        return Judgement(None, agreed, dict(zip(head, scores, strict=True)))


NO_JUDGE = Judge()


def reason_to_skip(
    head: Mapping[MemoryId, Recalled], agreed: Unanimity | None, *, enabled: bool, there: bool
) -> SkippedReason | None:
    """Why no judge need be asked: nothing to judge, not wanted, not there, or the legs agree."""
    if not head:
        return "empty_candidates"
    if not enabled:
        return "disabled"
    if not there:
        return "no_reranker"
    return "unanimity" if agreed is not None else None


def agreement(runs: Mapping[str, Sequence[Hit]]) -> Unanimity | None:
    """Whether keyword and vector search agree about the head."""
    keyword, vector = ([hit.memory_id for hit in runs.get(leg, ())] for leg in ("keyword", "vector"))
    return unanimity(keyword, vector)


def text_of(memory: Recalled) -> str:
    """What the judge reads of a memory."""
    return judged_text(memory.title, memory.summary, memory.text)
