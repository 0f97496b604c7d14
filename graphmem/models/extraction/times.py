"""From when to when a statement holds."""

from datetime import datetime, timedelta

from msgspec import Struct
from spacy.tokens import Span, Token

from graphmem.models.extraction.clauses import is_past, is_perfect
from graphmem.models.extraction.dates import duration_days, period
from graphmem.models.extraction.statements import Statement
from graphmem.models.extraction.words import MOVING
from graphmem.relations import is_state

BEFORE = frozenset({"until", "till", "by"})


class Times(Struct, frozen=True):
    """From when to when; None where nothing is said of it."""

    valid_at: datetime | None
    invalid_at: datetime | None = None


def times(statement: Statement, said_at: datetime, *, ends: bool) -> Times:
    """When the statement began to hold and when it ended, as far as its clause says; the time of saying otherwise."""
    future = is_ahead(statement) or statement.stance.planned
    start = end = since = None
    for span in dates_of(statement.verb):
        link = preposition(span)
        days = duration_days(span.text)
        found = None if days else period(span.text, said_at, future=future)
        if days and is_perfect(statement.verb) and days < said_at.toordinal():
            since = said_at - timedelta(days=days)
        elif found and link in BEFORE:
            end = found.start
        elif found and start is None:
            start, last = found.start, found.end
            since = start if link == "since" else since
            past_state = is_past(statement.verb) and is_state(statement.words) and link not in {"since", "from"}
            end = end or (last if past_state else None)
    return placed(statement, said_at, Times(since or start, end), ends=ends)


def placed(statement: Statement, said_at: datetime, told: Times, *, ends: bool) -> Times:
    """What was told, and what follows from the tense where nothing was."""
    if ends or statement.stance.over:
        return Times(None, told.valid_at or told.invalid_at or said_at)
    if told.invalid_at is None and told.valid_at is None and is_past(statement.verb) and is_state(statement.words):
        return Times(None, said_at)
    if told.invalid_at and not told.valid_at:
        return Times(None, told.invalid_at)
    start = told.valid_at or said_at
    # Today's date says no more than the time of saying, which is finer.
    start = said_at if start.date() == said_at.date() else start
    ended_first = told.invalid_at is not None and told.invalid_at <= start
    return Times(None if ended_first else start, told.invalid_at)


def dates_of(verb: Token) -> list[Span]:
    """The dates of the verb's clause."""
    clauses = {verb, verb.head} if verb.dep_ == "xcomp" else {verb}
    return [span for span in verb.sent.ents if span.label_ == "DATE" and clause_of(span.root) in clauses]


def clause_of(token: Token) -> Token:
    """The verb that a word belongs to."""
    return next((head for head in token.ancestors if head.pos_ in {"VERB", "AUX"}), token)


def preposition(span: Span) -> str:
    """The word that ties a date to its clause: "since", "until", "in"; empty when there is none."""
    before = span.doc[span.start - 1].lower_ if span.start > span.sent.start else ""
    return span.root.head.lower_ if span.root.dep_ == "pobj" else before


def is_ahead(statement: Statement) -> bool:
    """Whether it is still to come: "I will move", "I'm moving"."""
    verb = statement.verb
    under_way = verb.tag_ == "VBG" and any(
        child.tag_ in {"VBP", "VBZ"} and child.lemma_ == "be" for child in verb.children if child.dep_ == "aux"
    )
    perfect = is_perfect(verb)
    return not statement.stance.manner and (
        statement.stance.planned or (under_way and not perfect and verb.lemma_ in MOVING)
    )
