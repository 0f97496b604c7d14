"""Whether two texts say the same, and how to find such pairs without comparing all (pure)."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

WORD = re.compile(r"\w+(?:['\u2019]\w+)*")
SHINGLE = 3
ALIKE = 0.8
BANDS, ROWS = 16, 4
MOST_WORDS = 20_000
NEGATIONS = frozenset(["not", "no", "never", "none", "nobody", "nothing", "without", "neither", "nor", "cannot"])
RANDOM = np.random.default_rng(20_260_101)
FACTORS = RANDOM.integers(1, 2**63, BANDS * ROWS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
TERMS = RANDOM.integers(0, 2**63, BANDS * ROWS, dtype=np.uint64)


class Text(NamedTuple):
    """What a text is compared by: its runs of three words, and its words, each with a way it is written."""

    shingles: frozenset[str]
    words: Mapping[str, str]


def text_of(content: str) -> Text:
    """A text as it is compared; one of fewer than three words is like no other.

    >>> sorted(text_of("To Goa, in March!").shingles)
    ['goa in march', 'to goa in']
    """
    found = WORD.findall(content)[:MOST_WORDS]
    folded = [word.casefold() for word in found]
    runs = (" ".join(folded[start : start + SHINGLE]) for start in range(len(folded) - SHINGLE + 1))
    return Text(frozenset(runs), dict(zip(folded[::-1], found[::-1], strict=True)))


def bands(namespace: str, text: Text) -> list[int]:
    """Sixteen numbers, of which two texts share one with probability 1 - (1 - J^4)^16 at a Jaccard similarity of J.

    MinHash with banding (Broder 1997; Leskovec, Rajaraman & Ullman, Mining of Massive Datasets, 3.4): at J = 0.8 all
    but one pair of ten thousand are found, at J = 0.2 one pair of forty is looked at in vain. No band is shared with
    another namespace.

    >>> one, same, other = (text_of(said) for said in ("the red boat sank", "The red boat sank.", "a blue kite flew"))
    >>> bands("n", one) == bands("n", same), {*bands("n", one)} & {*bands("n", other)}, bands("n", text_of("Yes!"))
    (True, set(), [])
    >>> {*bands("n", one)} & {*bands("m", one)}
    set()
    """
    if not text.shingles:
        return []
    digests = [hashlib.blake2b(run.encode(), digest_size=8).digest() for run in text.shingles]
    hashes = np.frombuffer(b"".join(digests), dtype=np.uint64)
    least = np.array([((hashes * a + b) >> np.uint64(16)).min() for a, b in zip(FACTORS, TERMS, strict=True)])
    found: list[int] = []
    for band, rows in enumerate(least.reshape(BANDS, ROWS)):
        key = f"{namespace}:{band}:".encode() + rows.tobytes()
        found.append(int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big", signed=True))
    return found


def likeness(one: Text, other: Text) -> float:
    """The share of three-word runs that two texts have in common; 0 where a word that tells is in one alone.

    A number, a name or a "not" makes another statement of the same words.

    >>> said = [text_of(text) for text in ("the boat sank at noon", "The boat sank at noon!", "the boat sank at 12",
    ...         "the boat sank at noon today")]
    >>> likeness(said[0], said[1]), likeness(said[0], said[2]), likeness(said[0], said[3])
    (1.0, 0.0, 0.75)
    """
    together = one.shingles | other.shingles
    different = one.words.keys() ^ other.words.keys()
    if not together or any(tells(one.words.get(word) or other.words[word]) for word in different):
        return 0.0
    return len(one.shingles & other.shingles) / len(together)


def tells(word: str) -> bool:
    """Whether a word may change what is said: one with a digit or a capital letter, or one that denies.

    >>> [tells(word) for word in ("4pm", "Goa", "don't", "nice")]
    [True, True, True, False]
    """
    folded = word.casefold()
    return any(letter.isdigit() or letter.isupper() for letter in word) or (
        folded in NEGATIONS or folded.replace("\u2019", "'").endswith("n't")
    )


def grouped(texts: Mapping[int, Text], order: Sequence[int]) -> dict[int, tuple[int, float]]:
    """Which of the texts stand behind which, and how like it they are; `order` has the best first.

    The best one not yet placed is a front, and all that are like it stand behind it: so each is like its front.

    >>> said = {1: text_of("the boat sank at noon"), 2: text_of("a kite flew by"), 3: text_of("The boat sank at noon")}
    >>> grouped(said, [3, 2, 1])
    {1: (3, 1.0)}
    """
    behind: dict[int, tuple[int, float]] = {}
    for place, front in enumerate(order):
        if front in behind:
            continue
        for one in order[place + 1 :]:
            if one not in behind and (alike := likeness(texts[front], texts[one])) >= ALIKE:
                behind[one] = (front, alike)
    return behind
