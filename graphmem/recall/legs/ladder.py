"""What the keyword leg tries next when it found nothing (pure): the retry ladder of `000`."""

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

LEAST_CHARACTERS = 3
# Words too common to lead to anything, in English and, as far as `000` asks, in Dutch.
STOP_WORDS = frozenset(
    """
    a an the and or but nor if then than so as at by for from in into of off on onto out over to up with about after
    before again i me my mine we us our ours you your yours he him his she her hers it its they them their theirs this
    that these those who whom whose which what when where why how is am are was were be been being do does did done
    have has had having can could may might must shall should will would not no any some all each both there here just
    also too very only own same such
    de het een en of
    """.split()  # noqa: SIM905 - a column of words, not a list of strings
)


class Rung(NamedTuple):
    """One further try: its name in the trace, and what is looked for."""

    strategy: str
    query: str


class Attempt(NamedTuple):
    """What a try gave."""

    strategy: str
    query: str
    hits: int


def rungs(question: str) -> Iterator[Rung]:
    """The rungs in order; one whose input is empty, or no news, is left out.

    Rung 2, the refresh of an index that is always fresh here, does nothing and leaves no trace.

    >>> [*rungs("Any kangaroos?!")][0]
    Rung(strategy='strongest_term', query='kangaroos')
    >>> [rung.strategy for rung in rungs("zebra")]
    ['refreshed_sanitised', 'refreshed_strongest', 'trigram_fuzzy']
    >>> [*rungs("?!")]
    []
    """
    clean = sanitised(question)
    strongest = strongest_term(question)
    if strongest and strongest != question.strip().lower():
        yield Rung("strongest_term", strongest)
    if clean:
        yield Rung("refreshed_sanitised", clean)
    if again := strongest_term(clean):
        yield Rung("refreshed_strongest", again)
    if tokens := query_tokens(question):
        yield Rung("trigram_fuzzy", " ".join(tokens))


def sanitised(question: str) -> str:
    r"""The question with each run of punctuation and symbols (\p{P}, \p{S}) as one space.

    >>> sanitised("who's   (at) R&D?!")
    'who s at R D'
    """
    return " ".join("".join(" " if unicodedata.category(one)[0] in "PS" else one for one in question).split())


def strongest_term(question: str) -> str | None:
    """Its longest word of at least three characters that is no stop word; the first of several.

    >>> strongest_term("Where does the ZEBRA sleep?"), strongest_term("het een of")
    ('zebra', None)
    """
    return max(query_tokens(question), key=len, default=None)


def query_tokens(question: str) -> list[str]:
    """Its words of at least three characters that are no stop words, in lower case, each once.

    >>> query_tokens("The Zebra, the zebra and a gnu")
    ['zebra', 'gnu']
    """
    words = sanitised(question).lower().split()
    return list(dict.fromkeys(word for word in words if len(word) >= LEAST_CHARACTERS and word not in STOP_WORDS))
