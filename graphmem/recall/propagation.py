"""Synaptic propagation: from the names in a question, and what was found first, to what shares their names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphmem.memory import MemoryId, Scores, Step
from graphmem.recall.legs.leg import Question
from graphmem.recall.linking import linked, spans
from graphmem.recall.ranking.spread import Neighbourhood, gate, spread
from graphmem.stores.names import MOST_MENTIONS, NameStore

MOST_SPANS = 400


@dataclass(frozen=True)
class Charges:
    """What charge reached, best first; how far the gate is open; a note for the trace; and the ways it came."""

    charges: Scores = field(default_factory=dict[MemoryId, float])
    gate: float = 0.0
    note: dict[str, Any] = field(default_factory=dict[str, Any])
    paths: Mapping[MemoryId, tuple[Step, ...]] = field(default_factory=dict[MemoryId, tuple[Step, ...]])


@dataclass(frozen=True)
class Propagation:
    """Reads the neighbourhood of a question's names, and lets charge spread in it."""

    names: NameStore

    async def charge(self, question: Question, scores: Scores) -> Charges:
        """What the question's names and the first of the scores charge; silent where no name is known."""
        seeds = list(scores)[: question.numbers.seeds]
        wanted = sorted({span.name for span in list(spans(question.text))[:MOST_SPANS]})
        known = await self.names.known(question.scope.namespace, wanted) if wanted else {}
        mentions = {name: one.mentions for name, one in known.items()}
        found = [span.name for span in linked(question.text, mentions, most_mentions=MOST_MENTIONS)]
        note: dict[str, Any] = {"seeds": seeds, "names": found, "hops": 3, "gate": 0.0}
        if not found:
            return Charges({}, 0.0, note)
        meant = {name: known[name].entity for name in found}
        near = await self.names.around(meant, seeds, question.text, question.scope)
        ids = list(dict.fromkeys(meant.values()))
        links = [link for link in near.links if link[1] in near.name_degree]
        degrees = {episode: near.episode_degree.get(episode, 1) for episode, _ in links}
        reached = spread(ids, seeds, Neighbourhood(links, degrees, near.name_degree))
        charges = {one: charge for one, charge in reached.items() if one in near.returnable}
        opened = gate(near.idf_share, [mentions[name] for name in found])
        return Charges(charges, opened, note | {"gate": opened})
