"""The names in a parse: spaCy's entities and runs of proper nouns."""

from collections.abc import Iterator
from dataclasses import dataclass

from spacy.tokens import Doc, Span, Token

from graphmem.models.extraction.words import CALENDAR, GREETINGS, NOT_NAMES
from graphmem.models.extractor import EntityType
from graphmem.names import normalised

TYPES: dict[str, EntityType] = {
    "PERSON": "person",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "ORG": "organisation",
    "EVENT": "event",
    "NORP": "thing",
    "PRODUCT": "thing",
    "WORK_OF_ART": "thing",
    "LANGUAGE": "thing",
    "LAW": "thing",
}
NUMBERS = frozenset({"CARDINAL", "DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "ORDINAL"})
LONGEST_NAME = 100
MOST_WORDS = 8


@dataclass(frozen=True)
class Named:
    """A name, and the tokens it stands on."""

    name: str
    type: EntityType
    start: int
    end: int


def named(doc: Doc) -> list[Named]:
    """The names of a parse in the order of the text, none overlapping another."""
    taken = {token.i for span in doc.ents for token in span}
    found = [as_named(trimmed(span), TYPES[span.label_]) for span in doc.ents if span.label_ in TYPES]
    found += [as_named(trimmed(run), guessed_type(run)) for run in proper_runs(doc, taken)]
    return sorted((item for item in found if item), key=lambda item: item.start)


def proper_runs(doc: Doc, taken: set[int]) -> Iterator[Span]:
    """Proper nouns side by side that are in no entity of spaCy's."""
    start: int | None = None
    for token in doc:
        proper = token.pos_ == "PROPN" and token.i not in taken and token.text[:1].isupper()
        if proper and start is None:
            start = token.i
        if not proper and start is not None:
            yield doc[start : token.i]
            start = None
    if start is not None:
        yield doc[start:]


def guessed_type(run: Span) -> EntityType:
    """A person when addressed ("Thanks, Ravi!"), otherwise a thing."""
    return "person" if run.root.dep_ in {"npadvmod", "intj"} and is_addressed(run) else "thing"


def is_addressed(run: Span) -> bool:
    """Whether the name stands between a greeting or comma and a stop, as one is called by name."""
    doc = run.doc
    before = doc[run.start - 1] if run.start else None
    after = doc[run.end] if run.end < len(doc) else None
    opens = before is None or before.is_punct or before.lower_ in GREETINGS
    return opens and (after is None or after.is_punct)


def trimmed(span: Span) -> Span:
    """The span without what is no part of a name at its ends: greetings, articles, marks, a possessive."""
    start, end = span.start, span.end
    while start < end and is_edge(span.doc[start]):
        start += 1
    while start < end and is_edge(span.doc[end - 1]):
        end -= 1
    return span.doc[start:end]


def is_edge(token: Token) -> bool:
    """Whether a token is no part of a name when it stands at its end."""
    return (
        token.is_punct
        or token.is_space
        or token.tag_ in {"POS", "DT", "PRP$", "PRP", "UH", "CC", "IN"}
        or token.lower_ in GREETINGS
        or not any(character.isalnum() for character in token.text)
    )


def as_named(span: Span, kind: EntityType) -> Named | None:
    """The name that a span is, or None when it is none after all."""
    name = " ".join(span.text.split())
    if not is_name(name) or len(span) > MOST_WORDS:
        return None
    return Named(name, kind, span.start, span.end)


def is_name(text: str) -> bool:
    """Whether a text can be a name: letters, a capital where the script has them, and no word of mere talk.

    >>> is_name("Anna"), is_name("東京"), is_name("LOL"), is_name("monday"), is_name("2023")
    (True, True, False, False, False)
    """
    known = normalised(text)
    letters = [character for character in text if character.isalpha()]
    return (
        len(text) <= LONGEST_NAME
        and (len(letters) > 1 or not text.isascii())
        and (any(letter.isupper() for letter in letters) or not any(letter.islower() for letter in letters))
        and known not in NOT_NAMES
        and known not in CALENDAR
    )
