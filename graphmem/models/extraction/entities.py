"""The names in a parse: spaCy's entities and runs of proper nouns."""

from collections.abc import Iterator
from dataclasses import dataclass

from spacy.tokens import Doc, Span, Token

from graphmem.models.extraction.words import CALENDAR, GENERIC, GREETINGS, NOT_NAMES
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
    found += [as_named(trimmed(run), "thing") for run in proper_runs(doc, taken)]
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


def is_addressed(run: Span) -> bool:
    """Whether someone is called by that name: after a greeting and before a mark, or loosely tied to the sentence."""
    doc = run.doc
    before = [token for token in doc[max(0, run.start - 2) : run.start] if not token.is_punct]
    after = doc[run.end] if run.end < len(doc) else None
    greeted = bool(before) and before[-1].lower_ in GREETINGS
    called = run.root.dep_ in {"npadvmod", "intj"} and (run.start == 0 or doc[run.start - 1].is_punct)
    return (greeted or called) and (after is None or after.is_punct)


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
        or token.lower_ in GREETINGS | CALENDAR | {"last", "next", "this"}
        or not any(character.isalnum() for character in token.text)
    )


def as_named(span: Span, kind: EntityType) -> Named | None:
    """The name that a span is, or None when it is none after all."""
    name = " ".join(span.text.split())
    if not is_name(name) or len(span) > MOST_WORDS or is_merely_first(span):
        return None
    return Named(name, "person" if is_addressed(span) else kind, span.start, span.end)


def is_merely_first(span: Span) -> bool:
    """Whether it has its capital only from standing first: "Injury's been rough", "Cherish those days"."""
    token = span[0]
    first = token.i == token.sent.start or token.nbor(-1).is_punct
    if len(span) > 1 or not first or token.text.isupper() or not token.text.isascii():
        return False
    if token.lower_ in GENERIC or token.lemma_.lower() in GENERIC:
        return True
    tied = token.dep_ in {"nsubj", "nsubjpass", "poss", "npadvmod", "intj", "appos", "conj", "compound"}
    return token.tag_ not in {"NNP", "NNPS", "JJ"} or not (tied or token.ent_type_ or is_addressed(span))


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
