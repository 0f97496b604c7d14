"""Keyword search: true BM25 over our own postings of Postgres's lexemes."""

import re
from dataclasses import dataclass

from graphmem.memory import Hit
from graphmem.queries import sql
from graphmem.stores.filters import Scope
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
# A question of thousands of words is bounded by its first ones.
MOST_LEXEMES = 64
MOST_PHRASES = 4
PHRASE = re.compile(r'"([^"]+\s[^"]+)"')


@dataclass(frozen=True)
class KeywordAnswer:
    """Hits, best first, with what was looked for and how."""

    hits: list[Hit]
    lexemes: list[str]
    path: str


@dataclass(frozen=True)
class KeywordStore:
    """Finds episodes by their words."""

    postgres: Postgres

    async def matching(self, text: str, scope: Scope, *, limit: int, k1: float, b: float) -> KeywordAnswer:
        """The episodes that share words with the text; words are joined by OR, a quoted phrase counts as one more."""
        row = await self.postgres.row(
            QUERIES.matching,
            text=text,
            phrases=PHRASE.findall(text)[:MOST_PHRASES],
            most_lexemes=MOST_LEXEMES,
            limit=limit,
            k1=k1,
            b=b,
            **scope.parameters(),
        )
        assert row is not None
        hits = [Hit(memory_id, score) for memory_id, score in zip(row["ids"], row["scores"], strict=True)]
        return KeywordAnswer(hits, row["lexemes"], "all")
