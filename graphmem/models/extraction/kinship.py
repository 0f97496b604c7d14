"""Who is whose: "my sister Anna", "Anna's husband Tom", "Anna, my boss"."""

from collections.abc import Iterator

from spacy.tokens import Token

from graphmem.models.extraction.entities import Named
from graphmem.models.extraction.mentions import Mentions
from graphmem.models.extraction.statements import Statement
from graphmem.models.extraction.words import FIRST_PERSON, KIN, PETS
from graphmem.models.extractor import EntityType, FoundEntity

REACH = 4


def kinships(mentions: Mentions) -> Iterator[Statement]:
    """Whose sister, boss or dog each named one is, as said in passing."""
    for noun in mentions.doc:
        lemma = noun.lemma_.lower()
        if lemma not in KIN | PETS or noun.tag_ == "NNS":
            continue
        name = mentions.called(noun) or name_before(noun, mentions)
        owner = possessor(noun, mentions) if name else None
        if name and owner:
            kind: EntityType = "thing" if lemma in PETS else "person"
            yield Statement(FoundEntity(name.name, kind), f"{lemma} of", owner, noun, certain=True)


def name_before(noun: Token, mentions: Mentions) -> Named | None:
    """The name that the noun explains: "Anna, my boss,"."""
    return mentions.name_at(noun.head) if noun.dep_ == "appos" else None


def possessor(noun: Token, mentions: Mentions) -> FoundEntity | None:
    """Whose the noun is, by the nearest possessive to its left in the same phrase."""
    if owner := mentions.owner(noun):
        return owner
    for token in reversed(noun.doc[max(noun.sent.start, noun.i - REACH) : noun.i]):
        if token.dep_ == "poss" and token.head in {noun, noun.head}:
            return mentions.entity(token) if token.lower_ in FIRST_PERSON or mentions.name_at(token) else None
    return None
