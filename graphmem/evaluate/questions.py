"""Questions whose answers are known, and the file that holds them, one JSON object a line (pure)."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from graphmem.errors import InvalidError
from graphmem.ingest.complaints import DECODING_ERRORS, explain
from graphmem.memory import NO_NUL_PATTERN, Filters, Name, QueryText, Time, utc

MOST_QUESTIONS = 1000
MOST_COMPLAINTS = 20

Ids = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=128, pattern=NO_NUL_PATTERN)], ...], Meta(max_length=1000)
]


class Case(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question, the memories that answer it (none when nothing does), and those that no longer do."""

    query: QueryText
    gold: Ids
    stale: Ids = ()
    id: Name | None = None
    category: Name | None = None
    valid_as_of: Time | None = None
    known_as_of: Time | None = None
    since: Time | None = None
    until: Time | None = None

    def filters(self) -> Filters:
        """The times that bound its answer."""
        return Filters(
            valid_as_of=instant(self.valid_as_of),
            known_as_of=instant(self.known_as_of),
            since=instant(self.since),
            until=instant(self.until),
        )


def instant(time: datetime | None) -> datetime | None:
    """A time in UTC, if there is one."""
    return utc(time) if time else None


def check(cases: Iterable[Case]) -> None:
    """Raise where a question contradicts itself, naming it by its place."""
    for place, case in enumerate(cases):
        if complaint := contradiction(case):
            raise InvalidError.of(f"questions[{place}].{complaint[0]}", complaint[1])


def contradiction(case: Case) -> tuple[str, str] | None:
    """The field that cannot be meant, and why."""
    if shared := sorted(set(case.gold) & set(case.stale)):
        return "stale", f"names {shared[0]}, which is gold too"
    if case.since and case.until and case.since > case.until:
        return "since", "must not be later than until"
    try:
        case.filters()
    except OverflowError:
        return "valid_as_of", "each time must lie between the years 1 and 9999 in UTC"
    return None


def read(lines: Iterable[bytes], *, most: int = MOST_QUESTIONS) -> list[Case]:
    """The questions of a file; empty lines are nothing, and every bad line is named with its number.

    >>> [case.gold for case in read([b'{"query": "Where?", "gold": ["a"]}', b''])]
    [('a',)]
    >>> read([b'{"query": "Where?"}'])
    Traceback (most recent call last):
        ...
    graphmem.errors.InvalidError: line 1: gold: is required
    """
    cases: list[Case] = []
    complaints: list[str] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                case = msgspec.json.decode(line, type=Case)
                wrong = contradiction(case)
            except DECODING_ERRORS as error:
                case, wrong = None, explained(error)
            if wrong:
                complaints.append(f"line {number}: {wrong[0]}: {wrong[1]}")
            elif case:
                cases.append(case)
    if complaints:
        more = [f"and {len(complaints) - MOST_COMPLAINTS} more"] if len(complaints) > MOST_COMPLAINTS else []
        raise InvalidError("\n".join([*complaints[:MOST_COMPLAINTS], *more]))
    if not 0 < len(cases) <= most:
        raise InvalidError(f"A file has between 1 and {most} questions; this one has {len(cases)}.")
    return cases


def explained(error: Exception) -> tuple[str, str]:
    """What is wrong with a line: the field and the rule; one that is no JSON object at all says so."""
    if isinstance(error, UnicodeDecodeError):
        return "line", "is not valid UTF-8"
    if isinstance(error, RecursionError):
        return "line", "is nested too deeply"
    field, rule = explain(error)
    return ("line" if field == "body" else field), rule
