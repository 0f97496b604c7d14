"""The keyword leg: episodes that share words with the question, by BM25."""

from dataclasses import dataclass

from graphmem.recall.legs.leg import Found, Question
from graphmem.stores.keywords import KeywordStore


@dataclass(frozen=True)
class KeywordLeg:
    """Always there: it needs Postgres alone."""

    keywords: KeywordStore

    async def hits(self, question: Question) -> Found:
        """Episodes, best first by BM25 with the profile's k1 and b."""
        answer = await self.keywords.matching(
            question.text,
            question.scope,
            limit=question.depth,
            k1=question.numbers.bm25_k1,
            b=question.numbers.bm25_b,
        )
        return Found(answer.hits, {"path": answer.path, "compiled": " | ".join(answer.lexemes)})
