"""A parsed text into its entities and facts: the reading on one page."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from graphmem.models.extraction.copulas import descriptions
from graphmem.models.extraction.entities import is_name, named
from graphmem.models.extraction.kinship import kinships
from graphmem.models.extraction.language import Parse
from graphmem.models.extraction.mentions import Mentions
from graphmem.models.extraction.nicknames import nicknames
from graphmem.models.extraction.statements import Statement, statements
from graphmem.models.extraction.times import is_ahead, times
from graphmem.models.extraction.wording import worded
from graphmem.models.extractor import Extraction, FoundEntity, FoundFact, Source
from graphmem.names import normalised
from graphmem.relations import alias_end, canonical, ended_by, entry

BRACKETED = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")
# What "left" ends depends on what was left.
ENDS_FOR = {"organisation": "WORKS_AT", "thing": "WORKS_AT", "place": "LIVES_IN", "person": "PARTNER_OF"}


def read(parse: Parse, source: Source) -> Extraction:
    """What a text says."""
    book = Book()
    for entity in given(source):
        book.enter(entity)
    for doc in parse.docs:
        mentions = Mentions(doc, tuple(named(doc)), spoken_by(source))
        book.enter_all(FoundEntity(item.name, item.type) for item in mentions.names)
        for statement in chain(kinships(mentions), descriptions(mentions), nicknames(mentions), statements(mentions)):
            book.state(statement, source)
    return book.extraction(truncated=parse.truncated)


def spoken_by(source: Source) -> str | None:
    """The speaker's name, if any."""
    return " ".join((source.speaker or "").split()) or None


def given(source: Source) -> Iterator[FoundEntity]:
    """The entities known without reading: the speaker, and the title with and without its bracketed part."""
    if speaker := spoken_by(source):
        yield FoundEntity(speaker, "person")
    title = " ".join((source.title or "").split())
    for name in (title, BRACKETED.sub("", title)):
        if normalised(name):
            yield FoundEntity(name, "thing")


class Book:
    """What was found so far, each entity and fact once."""

    def __init__(self) -> None:
        self._entities: dict[str, FoundEntity] = {}
        self._facts: dict[tuple[str, str, str], FoundFact] = {}

    def enter_all(self, entities: Iterable[FoundEntity]) -> None:
        """Enter each of them."""
        for entity in entities:
            self.enter(entity)

    def enter(self, entity: FoundEntity, *, certain: bool = False) -> str:
        """The entity's name as first written; a type that is certain or says more takes the place of the first."""
        key = normalised(entity.name)
        known = self._entities.setdefault(key, entity)
        if certain or (known.type == "thing" and entity.type != "thing"):
            known = self._entities[key] = FoundEntity(known.name, entity.type)
        return known.name

    def enter_both(self, statement: Statement, relation: str) -> tuple[str, str]:
        """The names of a statement's source and target, whose types the relation may tell."""
        told = entry(relation)
        source, target = statement.source, statement.target
        subject = self.enter(source, certain=statement.certain)
        if told.source_type:
            self.enter(FoundEntity(source.name, told.source_type))
        if told.target_type and target.name[:1].isupper():
            return subject, self.enter(FoundEntity(target.name, told.target_type), certain=True)
        return subject, self.enter(target)

    def state(self, statement: Statement, source: Source) -> None:
        """Write a statement down as a fact, unless it says nothing or was said before."""
        if normalised(statement.source.name) == normalised(statement.target.name):
            return
        relation, ends = relation_of(statement)
        if alias_end(relation) and not are_names(statement, spoken_by(source)):
            return
        when = times(statement, source.occurred_at, ends=ends)
        if is_ahead(statement) and not (when.valid_at and when.valid_at > source.occurred_at):
            relation = canonical(f"plans to {statement.words}")
        subject, target = self.enter_both(statement, relation)
        fact = FoundFact(
            source=subject,
            relation=relation,
            target=target,
            fact=worded(statement.verb.sent, spoken_by(source)),
            valid_at=when.valid_at,
            invalid_at=when.invalid_at,
        )
        self._facts.setdefault((normalised(subject), relation, normalised(target)), fact)

    def extraction(self, *, truncated: bool) -> Extraction:
        """All of it."""
        return Extraction(
            entities=tuple(self._entities.values()), facts=tuple(self._facts.values()), truncated=truncated
        )


def are_names(statement: Statement, speaker: str | None) -> bool:
    """Whether both ends of a statement are names, and no descriptions: "Bob is known as a great cook" tells no name."""
    return is_name(statement.target.name) and (statement.source.name == speaker or is_name(statement.source.name))


def relation_of(statement: Statement) -> tuple[str, bool]:
    """The relation of a statement, and whether it says that the relation is over."""
    if statement.stance.manner:
        return canonical(f"{statement.stance.manner} {statement.words}"), False
    if statement.words == "join" and statement.target.type == "organisation":
        # Joining a firm is taking work there; joining a club or a class is not.
        return "WORKS_AT", False
    if ended := ended_by(statement.words):
        wanted = ENDS_FOR.get(statement.target.type) if statement.target.name[:1].isupper() else None
        relation = ended[0] if len(ended) == 1 else wanted if wanted in ended else None
        return relation or canonical(statement.words), relation is not None
    return canonical(statement.words), False
