"""Reading one episode with Graphiti, and what it decided in our nouns."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphiti_core import Graphiti
from graphiti_core.edges import EntityEdge
from graphiti_core.graphiti import AddEpisodeResults
from graphiti_core.nodes import EntityNode, EpisodeType
from pydantic import BaseModel, create_model

from graphmem.ledger import ReadEnd, ReadEntity, ReadFact, Reading, episode_uuid
from graphmem.memory import Episode
from graphmem.stores.graph import SOURCES, GraphStore
from graphmem.stores.graphiti.candidates import Candidates, ReadingDriver
from graphmem.stores.graphiti.clients import Ask, Asking, Embed, Embedding, NoReranking

# Most servers at home answer one request after the other: those that wait run out of time.
AT_ONCE = 2
ENTITY_TYPES = {
    "person": "A person, by name or as someone's relative or friend",
    "place": "A place: a country, city, building, address",
    "organisation": "A company, institution, team, band or other group with a name",
    "event": "Something that takes place at a time: a trip, a party, a meeting, an illness",
    "thing": "Any other specific thing: a product, a work, an animal, a hobby",
}

# Its log lines quote what was said.
logging.getLogger("graphiti_core").setLevel(logging.CRITICAL)


@dataclass(frozen=True)
class GraphitiReader:
    """Asks Graphiti; entity and relation types by name, with what they mean, besides ours."""

    graph: GraphStore
    entity_types: Mapping[str, str] = field(default_factory=dict[str, str])
    relation_types: Mapping[str, str] = field(default_factory=dict[str, str])

    async def read(self, episode: Episode, ask: Ask, embed: Embed, *, before: Sequence[str]) -> Reading:
        """What a language model makes of an episode, told what was said `before` it, by the ids of episodes."""
        candidates, asking = Candidates(self.graph, episode.namespace), Asking(ask)
        graphiti = Graphiti(
            graph_driver=ReadingDriver(self.graph, candidates),
            llm_client=asking,
            embedder=Embedding(embed),
            cross_encoder=NoReranking(),
            max_coroutines=AT_ONCE,
        )
        relations = typed(self.relation_types)
        results = await graphiti.add_episode(
            name=episode.title or episode.id,
            episode_body=f"{episode.speaker}: {episode.content}" if episode.speaker else episode.content,
            source_description=episode.origin,
            reference_time=episode.occurred_at,
            source=EpisodeType(SOURCES[episode.origin]),
            group_id=episode.namespace,
            previous_episode_uuids=[episode_uuid(episode.namespace, one) for one in before],
            entity_types=typed({**ENTITY_TYPES, **self.entity_types}, capital=True),
            edge_types=relations or None,
        )
        if asking.failure is not None:
            raise asking.failure
        return reading_of(results, candidates.facts)


def typed(types: Mapping[str, str], *, capital: bool = False) -> dict[str, type[BaseModel]]:
    """Types as Graphiti takes them."""
    named = {name.capitalize() if capital else name: meaning for name, meaning in types.items()}
    return {name: create_model(name, __doc__=meaning) for name, meaning in named.items()}


def reading_of(results: AddEpisodeResults, shown: Mapping[str, EntityEdge]) -> Reading:
    """The decisions in Graphiti's results, given the facts that it was shown, as they were."""
    new = {edge.uuid: edge for edge in results.edges if edge.uuid not in shown}
    confirmed = {edge.uuid: edge for edge in results.edges if edge.uuid in shown and edge.episodes}
    ended = {
        edge.uuid: edge
        for edge in results.edges
        if edge.uuid in shown and edge.invalid_at is not None and edge.invalid_at != shown[edge.uuid].invalid_at
    }
    late = {
        edge.uuid: by
        for edge in new.values()
        if edge.expired_at is not None and (by := beginning_when_ended(edge, shown.values())) is not None
    }
    others = [*new.values(), *confirmed.values(), *shown.values()]
    ends = [end_of(edge, beginning_when_ended(edge, others)) for edge in ended.values()]
    return Reading(
        entities=[entity_of(node) for node in results.nodes],
        new=[fact_of(edge, stated_end=edge.uuid not in late) for edge in new.values()],
        confirmed=sorted(confirmed),
        ends=ends + [end_of(new[uuid], by) for uuid, by in late.items()],
    )


def beginning_when_ended(ended: EntityEdge, others: Iterable[EntityEdge]) -> EntityEdge | None:
    """The fact in whose favour one ended: it shares an entity, and begins when that ends."""
    ends = {ended.source_node_uuid, ended.target_node_uuid}
    return next(
        (
            other
            for other in others
            if other.uuid != ended.uuid
            and other.valid_at == ended.invalid_at
            and ends & {other.source_node_uuid, other.target_node_uuid}
        ),
        None,
    )


def end_of(edge: EntityEdge, by: EntityEdge | None) -> ReadEnd:
    """A fact that ended, in favour of another."""
    assert edge.invalid_at is not None
    return ReadEnd(fact=edge.uuid, by=by.uuid if by else None, invalid_at=edge.invalid_at)


def fact_of(edge: EntityEdge, *, stated_end: bool) -> ReadFact:
    """A new fact, with the end it was stated with."""
    return ReadFact(
        id=edge.uuid,
        source=edge.source_node_uuid,
        relation=edge.name,
        target=edge.target_node_uuid,
        fact=edge.fact,
        valid_at=edge.valid_at,
        invalid_at=edge.invalid_at if stated_end else None,
        vector=edge.fact_embedding or None,
    )


def entity_of(node: EntityNode) -> ReadEntity:
    """An entity, of the type that is more than being one."""
    kind = next((label.lower() for label in node.labels if label != "Entity"), None)
    return ReadEntity(id=node.uuid, name=node.name, type=kind, summary=node.summary, vector=node.name_embedding or None)
