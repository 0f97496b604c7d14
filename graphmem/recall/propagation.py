"""Synaptic propagation: from the names in a question, and what was found first, to what is tied to them."""

import asyncio
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphmem.errors import GraphUnavailableError
from graphmem.memory import Kind, MemoryId, Missing, Neighbourhood, Scores, Step, Tie
from graphmem.recall.legs.leg import Question
from graphmem.recall.linking import linked, spans
from graphmem.recall.ranking.charge import Charged, Edge, Signal, Web
from graphmem.recall.ranking.fire import fire
from graphmem.recall.ranking.order import best_first
from graphmem.recall.ranking.spread import gate, spread
from graphmem.recall.ranking.strength import strength
from graphmem.recall.understand import ABSENT
from graphmem.stores.fact_search import FactSearch
from graphmem.stores.names import MOST_MENTIONS, NamesNear, NameStore
from graphmem.stores.neighbourhood import NeighbourhoodStore, Seeds

MOST_SPANS = 400
NAMES_HOPS = 3
# Charge reaches thousands in a large namespace. What so many others are charged more than is not among the first by it.
MOST_CHARGED = 200
RELATIONS = {"mention": "MENTIONS", "session": "NEXT_EPISODE", "synapse": "SYNAPSE"}


@dataclass(frozen=True)
class Charges:
    """What charge reached, best first; how far the gate is open; a note for the trace; its ways; and what failed."""

    charges: Scores = field(default_factory=dict[MemoryId, float])
    gate: float = 0.0
    note: dict[str, Any] = field(default_factory=dict[str, Any])
    ways: Mapping[MemoryId, tuple[Signal, ...]] = field(default_factory=dict[MemoryId, tuple[Signal, ...]])
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True)
class Propagation:
    """Reads what lies around the first of the scores, and lets charge spread in it by the profile's kernel."""

    names: NameStore
    near: NeighbourhoodStore | None = None
    facts: FactSearch | None = None

    async def charge(self, question: Question, seeds: Mapping[MemoryId, Kind], words: Iterable[str]) -> Charges:
        """What the seeds charge, best first; with the graph away nothing is, and the answer says so."""
        if question.rules.kernel == "names":
            return await self.by_names(question, list(seeds))
        reason = ABSENT["graph"]
        if self.near is not None and self.facts is not None:
            try:
                async with asyncio.timeout(question.numbers.deadline_ms / 1000):
                    return await self.by_firing(question, seeds, set(words))
            except GraphUnavailableError as error:
                reason = str(error)
            except TimeoutError:
                reason = f"no answer within {question.numbers.deadline_ms} ms"
        note = {"kernel": "fire", "seeds": list(seeds), "hops": question.numbers.hops, "error": reason}
        return Charges(note=note, missing=(Missing("graph", reason),))

    async def paths(
        self, namespace: str, ways: Mapping[MemoryId, tuple[Signal, ...]]
    ) -> dict[MemoryId, tuple[Step, ...]]:
        """The ways as an answer shows them: entities by their names, episodes by their ids."""
        nodes = {node for way in ways.values() for signal in way for node in (signal.source, signal.target)}
        names = await self.names.entity_names(namespace, nodes)
        return {one: tuple(step(signal, names) for signal in way) for one, way in ways.items()}

    async def by_names(self, question: Question, seeds: list[MemoryId]) -> Charges:
        """Spread from the question's names, and a little from the seeds; silent where no name is known."""
        wanted = sorted({span.name for span in list(spans(question.text))[:MOST_SPANS]})
        known = await self.names.known(question.scope.namespace, wanted) if wanted else {}
        mentions = {name: one.mentions for name, one in known.items()}
        found = [span.name for span in linked(question.text, mentions, most_mentions=MOST_MENTIONS)]
        note: dict[str, Any] = {"kernel": "names", "seeds": seeds, "names": found, "hops": NAMES_HOPS, "gate": 0.0}
        if not found:
            return Charges(note=note)
        meant = {name: known[name].entity for name in found}
        near = await self.names.around(meant, seeds, question.text, question.scope)
        begun = {one: 1 / near.name_degree[one] for one in meant.values() if near.name_degree.get(one)}
        begun |= {one: 0.1 / rank for rank, one in enumerate(seeds, start=1)}
        charged = spread(begun, web_of_names(near), hops=NAMES_HOPS)
        opened = gate(near.idf_share, [mentions[name] for name in found])
        returnable = ((one, charge) for one, charge in charged.charges.items() if one in near.returnable)
        charges = dict(itertools.islice(returnable, MOST_CHARGED))
        return Charges(charges, opened, note | {"gate": opened}, charged.ways)

    async def by_firing(self, question: Question, seeds: Mapping[MemoryId, Kind], words: set[str]) -> Charges:
        """Let the seeds fire in the graph around them."""
        assert self.near is not None
        facts = [one for one, kind in seeds.items() if kind == "fact"]
        episodes = [one for one, kind in seeds.items() if kind == "episode"]
        hops, scope = question.numbers.hops, question.scope
        found = await self.near.around(Seeds((), facts, episodes), scope, hops=hops, now=question.now)
        charged = fire(beginnings(seeds, found), web_of(found, now=round(question.now.timestamp() * 1000)), hops=hops)
        charges = await self.returnable(question, found, charged)
        note: dict[str, Any] = {"kernel": "fire", "seeds": list(seeds), "hops": hops, "gate": 1.0}
        boost = question.numbers.label_boost
        if boost and words:
            labels = await self.names.labels(scope.namespace, list(charges))
            overlaps = {one: overlap(labels.get(one, ""), words) for one in charges}
            charges = best_first({one: charge + boost * overlaps[one] for one, charge in charges.items()})
            note["overlaps"] = {one: count for one, count in overlaps.items() if count}
        return Charges(charges, 1.0, note, charged.ways)

    async def returnable(self, question: Question, near: Neighbourhood, charged: Charged) -> Scores:
        """The charges of what the question's filters and kinds let through."""
        assert self.facts is not None
        nodes = {one for one, node in near.nodes.items() if node.kind == "episode"}
        edges = {tie.fact for tie in near.ties if tie.fact is not None}
        facts = [one for one in charged.charges if one in edges and "fact" in question.kinds]
        episodes = [one for one in charged.charges if one in nodes and "episode" in question.kinds]
        speaking = await self.facts.spoken_for(facts, episodes, question.scope)
        allowed = speaking.returnable | speaking.episodes.keys()
        return {one: charge for one, charge in charged.charges.items() if one in allowed}


def web_of_names(near: NamesNear) -> Web:
    """The links between episodes and names; hubs are left out."""
    edges = [Edge(episode, name) for episode, name in near.links if name in near.name_degree]
    return Web(edges, near.episode_degree | near.name_degree)


def web_of(near: Neighbourhood, *, now: int) -> Web:
    """Facts, mentions and the order of sessions, each as strong as it is at that time."""
    return Web([edge_of(tie, now) for tie in near.ties], {one: node.degree for one, node in near.nodes.items()})


def edge_of(tie: Tie, now: int) -> Edge:
    """A tie of the graph as charge sees it."""
    relation = tie.relation or RELATIONS.get(tie.kind, tie.kind)
    return Edge(tie.source, tie.target, strength(tie, now=now), relation, tie.fact)


def beginnings(seeds: Mapping[MemoryId, Kind], near: Neighbourhood) -> dict[str, float]:
    """Charge 1 for each seed; a fact's ends begin with it."""
    ends = [end for tie in near.ties if tie.fact in seeds for end in (tie.source, tie.target)]
    return dict.fromkeys([*seeds, *ends], 1.0)


def step(signal: Signal, names: Mapping[str, str]) -> Step:
    """A signal as an answer shows it."""
    source, target = (names.get(node, node) for node in (signal.source, signal.target))
    return Step(source, signal.relation, target, signal.charge)


def overlap(label: str, words: Iterable[str]) -> int:
    """How many of the words stand in a label, also as parts of its words.

    >>> overlap("Pricing the Goa trip", {"price", "goa", "trip"})
    2
    """
    lowered = label.lower()
    return sum(word in lowered for word in words)
