"""spaCy's small English model: text in, parses out."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import spacy
import thinc.api
from spacy.language import Language
from spacy.tokens import Doc

from graphmem.models.extraction.installed import MODEL

# Four seconds of work; chat turns and notes are far shorter, and a longer document says first what it is about.
MAX_CHARACTERS = 100_000
PIECE_CHARACTERS = 1_500
# What is read at once takes 4 MB of memory for each thousand characters.
CHARACTERS_AT_ONCE = 24_000
DOCS_AT_ONCE = 64

_loading = threading.Lock()
_loaded: list[Language] = []


@dataclass(frozen=True)
class Parse:
    """What was read of a text, in pieces, and whether that is all of it."""

    docs: tuple[Doc, ...]
    truncated: bool


def model() -> Language:
    """The model, loaded by the first call."""
    with _loading:
        if not _loaded:
            # NumPy's matrix products are a third faster here than spaCy's own.
            with thinc.api.use_ops("numpy", use_blis=False):
                _loaded.append(spacy.load(MODEL, exclude=["senter"]))
    return _loaded[0]


def parses(texts: Sequence[str]) -> Iterator[Parse]:
    """The parse of each text, in the order of the texts, made when it is asked for."""
    cut = [tuple(pieces(readable(text[:MAX_CHARACTERS]))) for text in texts]
    longest = max((len(piece) for parts in cut for piece in parts), default=1)
    batch_size = min(DOCS_AT_ONCE, CHARACTERS_AT_ONCE // longest)
    docs = model().pipe((piece for parts in cut for piece in parts), batch_size=batch_size)
    for parts, text in zip(cut, texts, strict=True):
        yield Parse(tuple(next(docs) for _ in parts), truncated=len(text) > MAX_CHARACTERS)


def readable(text: str) -> str:
    """The text with half surrogates replaced, which spaCy cannot read."""
    return text.encode("utf-8", "replace").decode("utf-8")


def pieces(text: str) -> Iterator[str]:
    """The text in pieces that end where a paragraph, line, sentence or word does; none for blanks.

    >>> list(pieces("One.\\n\\nTwo. Three.")), list(pieces(" "))
    (['One.\\n\\nTwo. Three.'], [])
    """
    while len(text) > PIECE_CHARACTERS:
        end = cut_at(text[:PIECE_CHARACTERS])
        if text[:end].strip():
            yield text[:end]
        text = text[end:]
    if text.strip():
        yield text


def cut_at(text: str) -> int:
    """Where to cut a text that goes on: after its last paragraph, line, sentence or word, in its second half.

    >>> cut_at("One two. Three"), cut_at("One two three\\nfour"), cut_at("longword")
    (9, 14, 8)
    """
    for mark in ("\n\n", "\n", ". ", " "):
        place = text.rfind(mark)
        if place >= len(text) // 2:
            return place + len(mark)
    return len(text)
