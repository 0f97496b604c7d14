"""Names in a question (pure): which of its runs of words may be the name of something we know."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from graphmem.names import normalised

WORD = re.compile(r"\w[\w'\u2019.&-]*")
LONGEST_NAME = 6
MOST_WORDS = 64


class Span(NamedTuple):
    """A run of words of the question: where it stands, and the name it would be."""

    start: int
    end: int
    name: str


def spans(question: str) -> Iterator[Span]:
    """Runs of up to six words with a capital letter in them, the question's first word not counting.

    >>> [span.name for span in spans("Was Maria in Rome?")]
    ['was maria', 'was maria in', 'was maria in rome', 'maria', 'maria in', 'maria in rome', 'in rome', 'rome']
    """
    words = WORD.findall(question)[:MOST_WORDS]
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST_NAME, len(words)) + 1):
            capitals = [place for place in range(start, end) if any(letter.isupper() for letter in words[place])]
            name = normalised(" ".join(words[start:end]))
            if name and any(place > 0 for place in capitals):
                yield Span(start, end, name)


def linked(question: str, known: Mapping[str, int], *, most_mentions: int) -> list[Span]:
    """The longest known names that do not overlap; a name mentioned too often says nothing.

    >>> [span.name for span in linked("Did Ann see New York?", {"ann": 3, "york": 1, "new york": 2}, most_mentions=50)]
    ['new york', 'ann']
    """
    chosen: list[Span] = []
    candidates = [span for span in spans(question) if 0 < known.get(span.name, 0) <= most_mentions]
    for span in sorted(candidates, key=lambda one: (one.start - one.end, one.start)):
        if all(span.end <= other.start or span.start >= other.end for other in chosen):
            chosen.append(span)
    return chosen
