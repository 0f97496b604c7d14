"""Who goes by another name, where a text says so in so many words: "Robert, also known as Bob", "call me Bob"."""

import re
from collections.abc import Iterator

from spacy.tokens import Span

from graphmem.models.extraction.entities import Named, is_name
from graphmem.models.extraction.mentions import Mentions
from graphmem.models.extraction.statements import Statement
from graphmem.models.extractor import FoundEntity

NAME = r"[^\W\d_a-z][\w'\u2019-]*"
NAMES = rf"{NAME}(?: {NAME}){{0,2}}"
QUOTE = "[\"'\u2018\u2019\u201c\u201d]"
KNOWN_AS = re.compile(
    r"(?i:\s*[,(]?\s*(?:(?:is|was)\s+)?(?:(?:also|better|formerly|otherwise)\s+(?:known\s+as|called)|a\.k\.a\.|aka|nicknamed))"
    rf"\s+(?:the\s+)?{QUOTE}?({NAMES}){QUOTE}?"
)
OF_ME = re.compile(
    r"(?<!\w)(?i:my\s+(?:full\s+|real\s+)?name\s+is|my\s+name['\u2019]s|my\s+nickname\s+is|i\s+go\s+by|"
    r"(?:people|everyone|everybody|friends)\s+calls?\s+me|(?:you\s+can|(?:so|just|please),?)\s+call\s+me|"
    rf"(?:^|(?<=[.!?]\s))call\s+me)\s+{QUOTE}?({NAMES}){QUOTE}?"
)
IN_QUOTES = re.compile(rf"({NAME}) [\"\u201c]({NAME})[\"\u201d] ({NAME})")
NOT = re.compile(r"(?i:\b(?:not|never|don['\u2019]t|doesn['\u2019]t|if)\s+(?:\w+\s+)?)$")


def nicknames(mentions: Mentions) -> Iterator[Statement]:
    """What says that two names are one's."""
    text = mentions.doc.text
    for match in KNOWN_AS.finditer(text):
        if before := name_up_to(match.start(), mentions):
            yield from said_of(FoundEntity(before.name, before.type), match[1], match.start(1), mentions)
    for match in OF_ME.finditer(text):
        if mentions.speaker and not NOT.search(text[: match.start()]):
            yield from said_of(FoundEntity(mentions.speaker, "person"), match[1], match.start(1), mentions)
    for match in IN_QUOTES.finditer(text):
        whole = FoundEntity(f"{match[1]} {match[3]}", "person")
        yield from said_of(whole, match[2], match.start(2), mentions)


def name_up_to(place: int, mentions: Mentions) -> Named | None:
    """The name that ends where something begins."""
    return next((item for item in mentions.names if characters(item, mentions).end_char == place), None)


def characters(item: Named, mentions: Mentions) -> Span:
    """The piece of the text that a name stands on."""
    return mentions.doc[item.start : item.end]


def said_of(entity: FoundEntity, alias: str, place: int, mentions: Mentions) -> Iterator[Statement]:
    """That it goes by another name, which stands at that place of the text."""
    word = mentions.doc.char_span(place, place + len(alias), alignment_mode="expand")
    name = alias.rstrip("'\u2019-")
    if word is not None and is_name(name):
        yield Statement(entity, "also known as", FoundEntity(name, entity.type), word.root)
