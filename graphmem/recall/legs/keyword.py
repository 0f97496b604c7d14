"""The keyword leg: episodes that share words with the question, by BM25; when there are none, those that nearly do."""

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import msgspec

from graphmem.memory import Hit
from graphmem.recall.aliases import expanded
from graphmem.recall.legs.ladder import Attempt, Rung, rungs
from graphmem.recall.legs.leg import Found, Question
from graphmem.recall.surroundings import Surroundings
from graphmem.stores.keywords import KeywordAnswer, KeywordStore

# The ladder is a last resort: it may take this part of the leg's deadline, and then the leg has found nothing.
LADDER_SHARE = 0.5


@dataclass(frozen=True)
class KeywordLeg:
    """Always there: it needs Postgres alone."""

    keywords: KeywordStore
    surroundings: Surroundings

    async def hits(self, question: Question) -> Found:
        """Episodes, best first by BM25 with the profile's k1 and b, or what the first successful rung gives."""
        question = looking_back(question)
        answer = await self.matching(expanded(question.text, question.aliases), question)
        compiled = " | ".join(answer.lexemes)
        attempts = [Attempt("initial", compiled, len(answer.hits))]
        hits = answer.hits
        if not hits and not question.skip_retry_ladder:
            hits = await self.climb(question, attempts)
        else:
            hits = await self.surroundings.of_words(question, hits)
        notes: dict[str, Any] = {"path": answer.path, "compiled": compiled}
        return Found(hits, notes | {"attempts": [attempt._asdict() for attempt in attempts]})

    async def climb(self, question: Question, attempts: list[Attempt]) -> list[Hit]:
        """What the first rung that finds anything finds; each try is noted."""
        try:
            async with asyncio.timeout(LADDER_SHARE * question.numbers.deadline_ms / 1000):
                for rung in rungs(question.text):
                    hits = await self.tried(rung, question)
                    attempts.append(Attempt(rung.strategy, rung.query, len(hits)))
                    if hits:
                        return hits
        except TimeoutError:
            pass
        return []

    async def tried(self, rung: Rung, question: Question) -> list[Hit]:
        """What one rung finds."""
        if rung.strategy == "trigram_fuzzy":
            return await self.keywords.resembling(rung.query.split(), question.scope, limit=question.depth)
        return (await self.matching(rung.query, question)).hits

    async def matching(self, text: str, question: Question) -> KeywordAnswer:
        """The episodes that share words with a text."""
        return await self.keywords.matching(
            text, question.scope, limit=question.depth, k1=question.numbers.bm25_k1, b=question.numbers.bm25_b
        )


def looking_back(question: Question) -> Question:
    """The question bound to the last hours, where its profile looks back no further."""
    if not question.numbers.keyword_hours:
        return question
    scope, earliest = question.scope, question.now - timedelta(hours=question.numbers.keyword_hours)
    since = max(earliest, scope.filters.since or earliest)
    return replace(question, scope=replace(scope, filters=msgspec.structs.replace(scope.filters, since=since)))
