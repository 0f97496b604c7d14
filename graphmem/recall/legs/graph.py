"""The graph leg: facts near the question, each speaking for the episodes it was stated in."""

import time
from dataclasses import dataclass

from graphmem.errors import ModelUnavailableError
from graphmem.memory import Hit
from graphmem.models.embedder import Embedder
from graphmem.recall.legs.leg import Found, Question
from graphmem.recall.ranking.fuse import fuse
from graphmem.stores.fact_search import FactSearch

# Facts are short and alike: a small constant lets agreement of words and meaning decide.
FACT_RRF_K = 10


@dataclass(frozen=True)
class GraphLeg:
    """There when a graph is configured; without an embedder it looks by words alone."""

    facts: FactSearch
    embedder: Embedder | None

    async def hits(self, question: Question) -> Found:
        """Facts, best first, and after each the episodes it was stated in, unless they stand there already."""
        vector = None
        if self.embedder is not None:
            try:
                vector = await self.embedder.embed_query(question.text)
            except ModelUnavailableError:
                vector = None
        begun = time.perf_counter()
        near = await self.facts.near(question.text, vector, question.scope, limit=question.depth, now=question.now)
        graph_ms = (time.perf_counter() - begun) * 1000
        runs = {"words": [hit.memory_id for hit in near.words], "meaning": [hit.memory_id for hit in near.meaning]}
        scores = fuse(runs, k=FACT_RRF_K, weights={})
        episodes = await self.facts.spoken_for(list(scores), question.scope)
        hits: dict[str, float] = {}
        for fact, score in scores.items():
            if fact in episodes and "fact" in question.kinds:
                hits[fact] = score
            for episode in episodes.get(fact, ()) if "episode" in question.kinds else ():
                hits.setdefault(episode, score)
        return Found([Hit(*pair) for pair in list(hits.items())[: question.depth]], {"neo4j_ms": round(graph_ms, 3)})
