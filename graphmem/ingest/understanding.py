"""What a language model made of an episode, as mentions and statements (pure).

Its ids are of the graph as it was when the model read; `Known` is what of that is in the ledger still. Who is new gets
the id that follows from the name, so that all who name it mean the same; what fits nothing any more is left out.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import structs

from graphmem.ingest.extract import Names, mentions_of, pgvector, statements_of
from graphmem.ingest.record import Said
from graphmem.ledger import OUTSIDE, Mention, NamedFact, ReadEnd, ReadFact, Reading, Statement, named_uuid
from graphmem.memory import Episode
from graphmem.models.extractor import Extraction
from graphmem.names import normalised
from graphmem.relations import alias_end, canonical

# It must outlive both facts, so it has no word of either.
NO_LONGER = "No longer holds, by the language model's decision."


@dataclass(frozen=True)
class Known:
    """What is in the ledger: entities, facts by id, and names of entities that follow from names, with types."""

    entities: Set[str] = frozenset()
    facts: Mapping[str, NamedFact] = field(default_factory=dict[str, NamedFact])
    names: Mapping[str, tuple[str, str | None]] = field(default_factory=dict[str, tuple[str, str | None]])


def asked_of(reading: Reading) -> tuple[set[str], set[str]]:
    """The ids of entities and of facts for which a reading depends on what is known."""
    entities = {one.id for one in reading.entities} | {end for one in reading.new for end in (one.source, one.target)}
    facts = {*reading.confirmed, *(fact for end in reading.ends for fact in (end.fact, end.by) if fact is not None)}
    return entities, facts


class Subject(NamedTuple):
    """What a statement is about: a fact, and its pair."""

    fact: str
    named_source: str
    named_target: str
    source: str
    relation: str
    target: str


@dataclass(frozen=True)
class Understanding:
    """One reading of one episode, on its way into the ledger."""

    episode: Episode
    reading: Reading
    known: Known

    @property
    def names(self) -> Names:
        """Which entities follow from names here."""
        return Names(self.episode.namespace)

    def said(self) -> Said:
        """All that the episode names and says, what was stated with it included."""
        entities = self.entities()
        new = {one.id: (subject, one) for one in self.reading.new if (subject := self.subject(one, entities))}
        known = {one: subject_of(fact) for one, fact in self.known.facts.items()}
        subjects = known | {one: subject for one, (subject, _) in new.items()}
        confirmed = [one for one in self.reading.confirmed if one in known]
        ends = [said for end in self.reading.ends if (said := self.ended(end, subjects)) is not None]
        statements = [
            *statements_of(self.episode, Extraction(), self.names),
            *(self.stated(subject, found) for subject, found in new.values()),
            *(self.confirmed(known[one], self.known.facts[one]) for one in confirmed),
            *ends,
        ]
        mentions = self.mentions(entities, [known[one] for one in confirmed])
        vectors = {subject.fact: pgvector(found.vector) for subject, found in new.values() if found.vector}
        return Said(mentions, statements, vectors)

    def entities(self) -> dict[str, str]:
        """The entity that each one of the reading is: the graph's, or the one that follows from its name."""
        named = {one.id: self.names.entity(one.name) for one in self.reading.entities if normalised(one.name)}
        return named | {one: one for one in self.known.entities}

    def descriptions(self) -> list[dict[str, str | None]]:
        """What the entities are in the model's words, and the vectors of their names."""
        entities = self.entities()
        return [
            {
                "id": entities[one.id],
                "name": one.name,
                "summary": one.summary,
                "vector": pgvector(one.vector) if one.vector else None,
            }
            for one in self.reading.entities
            if one.id in entities
        ]

    def mentions(self, entities: Mapping[str, str], confirmed: Sequence[Subject]) -> list[Mention]:
        """Whom the episode names: its speaker, who was stated with it, whom the model found, whom it confirms."""
        found = {one.named: one for one in mentions_of(self.episode, Extraction(), self.names)}
        others = [(entities[one.id], one.name, one.type) for one in self.reading.entities if one.id in entities]
        ends = sorted({end for one in confirmed for end in (one.named_source, one.named_target)})
        for named, name, kind in [*others, *((end, *self.known.names[end]) for end in ends if end in self.known.names)]:
            before = found.get(named) or self.mention(named, name)
            found[named] = structs.replace(before, type=before.type or kind)
        return list(found.values())

    def mention(self, named: str, name: str) -> Mention:
        """The episode names an entity."""
        created_at = self.episode.created_at
        return Mention(
            episode=self.episode.id, named=named, entity=named, name=name[:500], type=None, created_at=created_at
        )

    def subject(self, found: ReadFact, entities: Mapping[str, str]) -> Subject | None:
        """What a new fact is about, if it is about two."""
        source, target = entities.get(found.source), entities.get(found.target)
        if source is None or target is None or source == target:
            return None
        relation = canonical(found.relation)
        fact = named_uuid("model", self.episode.namespace, self.episode.id, source, relation, target, found.fact)
        return Subject(fact, source, target, source, relation, target)

    def stated(self, subject: Subject, found: ReadFact) -> Statement:
        """The episode says something new; an end before the beginning is no end."""
        backwards = found.valid_at is not None and found.invalid_at is not None and found.invalid_at <= found.valid_at
        return structs.replace(
            self.statement(subject, found.fact[:4000]),
            valid_at=found.valid_at,
            invalid_at=None if backwards else found.invalid_at,
        )

    def confirmed(self, subject: Subject, fact: NamedFact) -> Statement:
        """The episode says what is known, from when that began: what has ended since does not hold again by it."""
        return structs.replace(self.statement(subject, fact.fact), valid_at=fact.valid_at)

    def ended(self, end: ReadEnd, subjects: Mapping[str, Subject]) -> Statement | None:
        """A fact ended, for as long as the one in its place is there; without one, the end goes with the episode."""
        subject, by = subjects.get(end.fact), subjects.get(end.by or "")
        if subject is None or alias_end(subject.relation) or (end.by is not None and by is None):
            return None
        return structs.replace(
            self.statement(subject, NO_LONGER),
            id=named_uuid("ends", self.episode.namespace, subject.fact, by.fact if by else self.episode.id),
            episode=OUTSIDE if by else self.episode.id,
            invalid_at=end.invalid_at,
            ends=True,
            replaced_by=by.fact if by else None,
        )

    def statement(self, subject: Subject, text: str) -> Statement:
        """The episode says that a fact holds."""
        return Statement(
            id=named_uuid("statement", self.episode.namespace, self.episode.id, subject.fact),
            episode=self.episode.id,
            named_source=subject.named_source,
            named_target=subject.named_target,
            source=subject.source,
            relation=subject.relation,
            target=subject.target,
            text=text,
            valid_at=None,
            invalid_at=None,
            ends=False,
            origin="model",
            fixed_fact=subject.fact,
            created_at=self.episode.created_at,
        )


def subject_of(fact: NamedFact) -> Subject:
    """What a known fact is about."""
    return Subject(fact.id, fact.named_source, fact.named_target, fact.source, fact.relation, fact.target)
