"""The graph leg: facts near the question and the names in it, each speaking for the episodes it was stated in."""

import asyncio
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from graphmem.errors import ModelUnavailableError
from graphmem.memory import Hit, Kind, Scores
from graphmem.models.embedder import Embedder
from graphmem.recall.legs.leg import Found, Question
from graphmem.recall.linking import linked, spans
from graphmem.recall.ranking.fuse import fuse
from graphmem.recall.ranking.latest import latest_first
from graphmem.stores.fact_search import FactSearch, NearFacts, Speaking
from graphmem.stores.names import MOST_MENTIONS, NameStore

# Facts are short and alike: a small constant lets agreement of words and meaning decide.
FACT_RRF_K = 10
MOST_FACTS = 50
WEIGHTS = {"words": 1.0, "meaning": 1.0, "named": 0.5, "hop": 0.1}
MENTION_WEIGHT = 0.2


@dataclass(frozen=True)
class GraphLeg:
    """There when a graph is configured; without an embedder it looks by words and names alone."""

    facts: FactSearch
    names: NameStore
    embedder: Embedder | None

    async def hits(self, question: Question) -> Found:
        """Facts, best first, and with each the episodes it was stated in; episodes also by the names they mention."""
        vector, named = await asyncio.gather(self.vector(question.text), self.named(question))
        begun = time.perf_counter()
        near = await self.facts.near(
            (question.text, vector, named), question.scope, limit=min(question.depth, MOST_FACTS), now=question.now
        )
        graph_ms = (time.perf_counter() - begun) * 1000
        facts = ranked(near, dated=question.scope.filters.valid_as_of is not None)
        mentioned = by_names(near)
        speaking = await self.facts.spoken_for(list(facts), mentioned, question.scope)
        hits = by_kind(facts, speaking, mentioned, question.kinds)
        trusted = trust(facts, speaking.local, question.numbers.local_trust)
        notes = {"neo4j_ms": round(graph_ms, 3), "trust": round(trusted, 4)}
        return Found([Hit(*pair) for pair in list(hits.items())[: question.depth]], notes)

    async def vector(self, text: str) -> np.ndarray | None:
        """The question's vector; none while the model is away."""
        if self.embedder is None:
            return None
        try:
            return await self.embedder.embed_query(text)
        except ModelUnavailableError:
            return None

    async def named(self, question: Question) -> list[str]:
        """The entities that the question names, however many episodes mention them."""
        wanted = sorted({span.name for span in spans(question.text)})
        known = await self.names.known(question.scope.namespace, wanted) if wanted else {}
        mentions = {name: one.mentions for name, one in known.items()}
        found = linked(question.text, mentions, most_mentions=MOST_MENTIONS + 1)
        return list(dict.fromkeys(known[span.name].entity for span in found))


def ranked(near: NearFacts, *, dated: bool) -> Scores:
    """The facts of all ways in one ranking; asked about a time, the latest value of a thing goes first."""
    scores = fuse({way: [fact.id for fact in facts] for way, facts in near.ways.items()}, k=FACT_RRF_K, weights=WEIGHTS)
    if not dated:
        return scores
    known = {fact.id: fact for facts in near.ways.values() for fact in facts}
    things = {one: (fact.source, fact.relation) for one, fact in known.items()}
    order = latest_first(list(scores), things, {one: fact.start for one, fact in known.items()})
    return dict(zip(order, scores.values(), strict=True))


def trust(facts: Scores, local: Collection[str], local_trust: float) -> float:
    """How far facts are to be trusted: those that a caller or a language model stated wholly, those of rules less.

    Each counts by its score; what names alone found is trusted as little as what rules found.

    >>> trust({"said": 3.0, "parsed": 1.0}, {"parsed"}, 0.2), trust({}, {}, 0.2)
    (0.8, 0.2)
    """
    total = sum(facts.values())
    ruled = sum(score for fact, score in facts.items() if fact in local)
    return 1 - (1 - local_trust) * ruled / total if total else local_trust


def by_names(near: NearFacts) -> list[str]:
    """The episodes that mention named entities: those that mention most of them first, then the newest."""
    return [one for one, _ in sorted(near.mentioned, key=lambda pair: -len(pair[1]))]


def by_kind(facts: Scores, speaking: Speaking, mentioned: Sequence[str], kinds: Collection[Kind]) -> Scores:
    """Each fact and the episodes it speaks for, where they are wanted, and those that mention a name."""
    hits: Scores = {}
    for fact, score in facts.items():
        if fact in speaking.episodes and "fact" in kinds:
            hits[fact] = score
        for episode in speaking.episodes.get(fact, ()) if "episode" in kinds else ():
            hits.setdefault(episode, score)
    returnable = [one for one in mentioned if one in speaking.returnable and "episode" in kinds]
    for rank, episode in enumerate(returnable, start=1):
        hits[episode] = max(hits.get(episode, 0.0), MENTION_WEIGHT / (FACT_RRF_K + rank))
    return dict(sorted(hits.items(), key=lambda hit: -hit[1]))
