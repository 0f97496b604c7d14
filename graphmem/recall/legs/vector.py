"""The vector leg: episodes whose meaning is near the question's."""

import time
from dataclasses import dataclass

from graphmem.models.embedder import Embedder
from graphmem.recall.legs.leg import Found, Question
from graphmem.stores.vectors import VectorStore


@dataclass(frozen=True)
class VectorLeg:
    """There when an embedder is configured."""

    embedder: Embedder
    vectors: VectorStore

    async def hits(self, question: Question) -> Found:
        """Episodes, best first by cosine similarity."""
        begun = time.perf_counter()
        vector = await self.embedder.embed_query(question.text)
        embed_ms = (time.perf_counter() - begun) * 1000
        answer = await self.vectors.nearest(vector, question.scope, model=self.embedder.model, limit=question.depth)
        return Found(answer.hits, {"path": answer.path, "embed_ms": round(embed_ms, 3)})
