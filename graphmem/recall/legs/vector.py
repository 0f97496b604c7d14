"""The vector leg: episodes whose meaning is near the question's."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from graphmem.memory import Hit, MemoryId
from graphmem.models.embedder import Embedder, Vector
from graphmem.recall.legs.leg import Found, Question
from graphmem.recall.surroundings import Surroundings
from graphmem.stores.vectors import VectorStore


@dataclass(frozen=True)
class VectorLeg:
    """There when an embedder is configured."""

    embedder: Embedder
    store: VectorStore
    surroundings: Surroundings

    async def hits(self, question: Question) -> Found:
        """Episodes, best first by cosine similarity; all of the window, where the profile looks at one."""
        begun = time.perf_counter()
        vector = await self.meaning(question)
        embed_ms = (time.perf_counter() - begun) * 1000
        scope, model, window = question.scope, self.embedder.model, question.numbers.vector_window
        if window:
            answer = await self.store.among_last(vector, scope, model=model, window=window)
        else:
            answer = await self.store.nearest(vector, scope, model=model, limit=question.depth)
        hits = await self.surroundings.of_meaning(question, answer.hits, vector, model=model)
        return Found(hits, {"path": answer.path, "embed_ms": round(embed_ms, 3)})

    async def widened(self, question: Question, window: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
        """The window's hits, and beside them what another leg found beyond the window, best first."""
        seen = {hit.memory_id for hit in window}
        beyond = [hit.memory_id for hit in others if hit.memory_id not in seen]
        if not beyond:
            return list(window)
        vector = await self.meaning(question)
        answer = await self.store.among_last(vector, question.scope, model=self.embedder.model, window=0, also=beyond)
        return sorted([*window, *answer.hits], key=lambda hit: (-hit.score, hit.memory_id))

    async def meaning(self, question: Question) -> Vector:
        """What is looked for: the question's vector, or the one in its place."""
        return await self.embedder.embed_query(question.text) if question.vector is None else question.vector

    async def vectors(self, namespace: str, ids: Collection[MemoryId]) -> dict[MemoryId, np.ndarray]:
        """The vectors of those of the memories that have one."""
        return await self.store.vectors(namespace, ids, model=self.embedder.model)

    async def similarities(self, question: Question, ids: Collection[MemoryId]) -> dict[MemoryId, float]:
        """How near those of the memories are to the question that have a vector."""
        vector = await self.meaning(question)
        return await self.store.similarities(vector, question.scope.namespace, ids, model=self.embedder.model)
