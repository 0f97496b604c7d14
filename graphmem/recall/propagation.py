"""Synaptic propagation: from the names in a question, and what was found first, to what shares their names."""

from dataclasses import dataclass
from typing import Any

from graphmem.ledger import entity_uuid
from graphmem.memory import Scores
from graphmem.recall.legs.leg import Question
from graphmem.recall.linking import linked, spans
from graphmem.recall.ranking.spread import Neighbourhood, gate, propagate, spread
from graphmem.stores.names import MOST_MENTIONS, NameStore

SEEDS = 10
MOST_SPANS = 400


@dataclass(frozen=True)
class Propagation:
    """Reads the neighbourhood of a question's names, and lets charge spread in it."""

    names: NameStore

    async def spread_from(self, question: Question, scores: Scores) -> tuple[Scores, dict[str, Any]]:
        """The scores with what the charge adds, and a note for the trace; silent where no name is known."""
        seeds = list(scores)[:SEEDS]
        wanted = sorted({span.name for span in list(spans(question.text))[:MOST_SPANS]})
        known = await self.names.known(question.scope.namespace, wanted) if wanted else {}
        found = [span.name for span in linked(question.text, known, most_mentions=MOST_MENTIONS)]
        note: dict[str, Any] = {"seeds": seeds, "names": found, "hops": 3, "gate": 0.0, "charges": []}
        if not found:
            return scores, note
        near = await self.names.around(found, seeds, question.text, question.scope)
        ids = [entity_uuid(question.scope.namespace, name) for name in found]
        links = [link for link in near.links if link[1] in near.name_degree]
        degrees = {episode: near.episode_degree.get(episode, 1) for episode, _ in links}
        reached = spread(ids, seeds, Neighbourhood(links, degrees, near.name_degree))
        charges = {one: charge for one, charge in reached.items() if one in near.returnable}
        note["gate"] = gate(near.idf_share, [known[name] for name in found])
        note["charges"] = [{"id": one, "rank": n, "charge": c} for n, (one, c) in enumerate(charges.items(), start=1)]
        weight = question.numbers.propagate_weight * note["gate"]
        return propagate(scores, charges, weight=weight, k=question.numbers.rrf_k), note
