"""Which relations are one relation, and which hold one value at a time: the table in relations.toml."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

TABLE = Path(__file__).with_name("relations.toml")
LONGEST = 200
NAMELESS = "RELATED_TO"
# Words before a verb or noun that do not change which relation it is: "is now working at", "has been a friend of".
FILLERS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "am",
        "be",
        "been",
        "being",
        "has",
        "have",
        "had",
        "a",
        "an",
        "the",
        "now",
        "currently",
        "also",
        "just",
        "recently",
        "still",
    ]
)


class Relation(Struct, frozen=True, forbid_unknown_fields=True):
    """One relation of the table."""

    forms: tuple[str, ...] = ()
    """How prose says that it holds, in the base form: "live in"."""
    begins: tuple[str, ...] = ()
    """How prose says that it begins to hold: "move to"."""
    ends: tuple[str, ...] = ()
    """How prose says that it no longer holds: "move out of"."""
    single_valued: bool = False
    """Whether a new target takes the place of the old one."""
    symmetric: bool = False
    """Whether it holds from target to source as well."""
    source_type: Literal["person", "place", "organisation", "event", "thing"] | None = None
    """What its source is, unless known otherwise; None when that varies."""
    target_type: Literal["person", "place", "organisation", "event", "thing"] | None = None
    """What its target is when it has a name; None when that varies."""
    alias: Literal["source", "target"] | None = None
    """Which end is another name of the other end; None when they are two."""
    state: bool = False
    """Whether it lasts, so that the past tense says that it is over: "lived in", but not "visited"."""
    overtakes: tuple[str, ...] = ()
    """Which relations between the same two are over once it holds."""


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    irregular: dict[str, tuple[str, ...]]
    relation: dict[str, Relation]


def canonical(relation: str) -> str:
    """The one name of a relation: from the table, or the words themselves in upper case.

    >>> canonical("lives in"), canonical("moved to"), canonical("is married to"), canonical("WORKS_FOR")
    ('LIVES_IN', 'LIVES_IN', 'MARRIED_TO', 'WORKS_AT')
    >>> canonical("once shared a flat with"), canonical("?!")
    ('ONCE_SHARED_A_FLAT_WITH', 'RELATED_TO')
    """
    words = folded(relation)
    known = forms().get(words) or forms().get(without_fillers(words))
    return known or words.upper().replace(" ", "_")[:LONGEST].strip("_") or NAMELESS


def is_known(relation: str) -> bool:
    """Whether the table has this relation, or these words for one.

    >>> is_known("moved to"), is_known("danced around")
    (True, False)
    """
    return canonical(relation) in table().relation


def is_single_valued(relation: str, also: Iterable[str] = ()) -> bool:
    """Whether a new target takes the place of the old: by the table, or because the operator says so in `also`.

    >>> is_single_valued("LIVES_IN"), is_single_valued("LIKES"), is_single_valued("DRIVES", also=["drives"])
    (True, False, True)
    """
    name = canonical(relation)
    return entry(name).single_valued or any(name == canonical(other) for other in also)


def overtakes(relation: str) -> tuple[str, ...]:
    """The relations between the same two that are over once this one holds.

    >>> overtakes("SOLD"), overtakes("KNOWS")
    (('OWNS', 'HAS'), ())
    """
    return entry(canonical(relation)).overtakes


def is_symmetric(relation: str) -> bool:
    """Whether the relation holds in both directions at once.

    >>> is_symmetric("husband of"), is_symmetric("daughter of")
    (True, False)
    """
    return entry(canonical(relation)).symmetric


def alias_end(relation: str) -> Literal["source", "target"] | None:
    """Which end of the relation is another name of the other end.

    >>> alias_end(canonical("a.k.a.")), alias_end(canonical("is called")), alias_end(canonical("nickname for"))
    ('target', 'target', 'source')
    >>> alias_end("LIKES")
    """
    return entry(relation).alias


def is_state(words: str) -> bool:
    """Whether these words say that something lasts, so that their past tense says that it is over.

    >>> is_state("live in"), is_state("move to"), is_state("visit")
    (True, False, False)
    """
    name = canonical(words)
    return entry(name).state and folded(words) not in beginnings()


def ended_by(words: str) -> tuple[str, ...]:
    """The relations that these words say to be over.

    >>> ended_by("moved away from"), ended_by("retire from"), ended_by("eat")
    (('LIVES_IN',), ('WORKS_AT',), ())
    """
    return endings().get(folded(words), ())


def folded(relation: str) -> str:
    """The words of a relation, in lower case with one blank between.

    >>> folded("  Lives-In ")
    'lives in'
    """
    return " ".join(re.findall(r"[^\W_]+(?:['\u2019][^\W_]+)*", relation.lower()))


def without_fillers(words: str) -> str:
    """The words without the fillers they begin with, one staying at least.

    >>> without_fillers("is now a friend of")
    'friend of'
    """
    parts = words.split(" ")
    start = next((place for place, word in enumerate(parts) if word not in FILLERS), len(parts) - 1)
    return " ".join(parts[start:])


def inflected(form: str) -> Iterator[str]:
    """The form with its first word in every ending that a verb may have.

    >>> sorted(inflected("live in"))
    ['live in', 'lived in', 'lives in', 'living in']
    >>> sorted(inflected("study at"))
    ['studied at', 'studies at', 'study at', 'studying at']
    """
    verb, blank, rest = form.partition(" ")
    yield form
    for ending in table().irregular.get(verb) or regular(verb):
        yield f"{ending}{blank}{rest}"


def regular(verb: str) -> tuple[str, ...]:
    """The endings of a regular verb.

    >>> regular("visit"), regular("marry"), regular("teach")[0]
    (('visits', 'visited', 'visiting'), ('marries', 'married', 'marrying'), 'teaches')
    """
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"
    if verb.endswith("e"):
        return f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"
    return f"{verb}{'es' if re.search(r'(s|x|z|ch|sh)$', verb) else 's'}", f"{verb}ed", f"{verb}ing"


@cache
def table() -> Table:
    """The file, read once."""
    return msgspec.convert(tomllib.loads(TABLE.read_text(encoding="utf-8")), Table)


def entry(name: str) -> Relation:
    """The table's row of a canonical name; an empty one for a name it lacks."""
    return table().relation.get(name, Relation())


@cache
def forms() -> dict[str, str]:
    """The canonical name for each way of saying it."""
    found = {
        inflection: name
        for name, row in table().relation.items()
        for form in (*row.forms, *row.begins)
        for inflection in inflected(form)
    }
    return found | {folded(name): name for name in table().relation}


@cache
def beginnings() -> frozenset[str]:
    """All the ways of saying that some relation begins."""
    rows = table().relation.values()
    return frozenset(inflection for row in rows for form in row.begins for inflection in inflected(form))


@cache
def endings() -> dict[str, tuple[str, ...]]:
    """The relations that each way of ending one ends."""
    found: dict[str, tuple[str, ...]] = {}
    for name, row in table().relation.items():
        for form in row.ends:
            for inflection in inflected(form):
                found[inflection] = (*found.get(inflection, ()), name)
    return found
