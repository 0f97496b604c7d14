"""What an episode says by itself (pure): without what memory handed out a moment ago and the text only repeats."""

import hashlib
import html
import re
from collections.abc import Collection, Iterator

BLOCK = re.compile(r"<memory>.*?</memory>", re.DOTALL | re.IGNORECASE)
MARKS = re.compile(r"^[\s>*#\u2022-]+")
# Shorter lines are said by chance, and would be missed.
SHORTEST = 20


def own_words(text: str, handed_out: Collection[int]) -> str:
    """The text without context blocks, and without lines that were handed out, given by their fingerprints.

    >>> own_words("As I remember:\\n<memory>\\n- Ann lives in Rome\\n</memory>\\nShe moved.", [])
    'As I remember:\\n\\nShe moved.'
    >>> own_words('> - Ann said: "I live in Rome"\\nYes!', set(fingerprints('- Ann said: "I live in Rome"')))
    'Yes!'
    """
    lines = BLOCK.sub("", text).split("\n")
    return "\n".join(line for line in lines if fingerprint(line) not in handed_out)


def fingerprints(text: str) -> list[int]:
    """What its lines are known by; none for those that are too short."""
    return list(dict.fromkeys(found_in(text)))


def found_in(text: str) -> Iterator[int]:
    """The same, with repetitions."""
    for line in text.split("\n"):
        if (known := fingerprint(line)) is not None:
            yield known


def fingerprint(line: str) -> int | None:
    """A number for a line, whatever its case, white space, quoting and list marks; none for a short one.

    >>> fingerprint("* Ann   lives in &lt;Rome>, Italy ") == fingerprint("ann lives in <Rome>, Italy")
    True
    >>> fingerprint("- yes, of course")
    """
    words = " ".join(MARKS.sub("", html.unescape(line)).split()).casefold()
    if len(words) < SHORTEST:
        return None
    return int.from_bytes(hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=8).digest(), signed=True)
