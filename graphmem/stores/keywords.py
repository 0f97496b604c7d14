"""Keyword search: true BM25 over our own postings of Postgres's lexemes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphmem.memory import Hit
from graphmem.queries import sql
from graphmem.stores.filters import Scope
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
# A question of thousands of words is bounded by its first ones.
MOST_LEXEMES = 64
MOST_PHRASES = 4
# Above this size a common word has so many postings that reading them all is felt.
RAREST_ABOVE = 20_000
CANDIDATE_BUDGET = 2000
REMEMBERED_SIZES = 10_000
# Bounds of the search for words spelt alike; in a large namespace only words with the same first letter are compared.
MOST_TOKENS = 16
MOST_TOKEN_CHARACTERS = 64
MOST_WALKED = 50_000
MOST_ALIKE_LEXEMES = 100
MOST_ALIKE_CHARACTERS = 200_000
PHRASE = re.compile(r'"([^"]+\s[^"]+)"')


@dataclass(frozen=True)
class KeywordAnswer:
    """Hits, best first, with what was looked for and how."""

    hits: list[Hit]
    lexemes: list[str]
    path: str


@dataclass(frozen=True)
class KeywordStore:
    """Finds episodes by their words; remembers how large each namespace was when it was last asked."""

    postgres: Postgres
    sizes: dict[str, int] = field(default_factory=dict[str, int])

    async def matching(self, text: str, scope: Scope, *, limit: int, k1: float, b: float) -> KeywordAnswer:
        """The episodes that share words with the text; words are joined by OR, a quoted phrase counts as one more."""
        rarest = self.sizes.get(scope.namespace, 0) > RAREST_ABOVE and not scope.filters.narrow
        row = await self.postgres.row(
            QUERIES.matching_rarest if rarest else QUERIES.matching,
            budget=max(CANDIDATE_BUDGET, limit),
            text=text,
            phrases=PHRASE.findall(text)[:MOST_PHRASES],
            most_lexemes=MOST_LEXEMES,
            limit=limit,
            k1=k1,
            b=b,
            **scope.parameters(),
        )
        assert row is not None
        self.remember(scope.namespace, row["episodes"])
        hits = [Hit(memory_id, score) for memory_id, score in zip(row["ids"], row["scores"], strict=True)]
        return KeywordAnswer(hits, row["lexemes"], "rarest" if rarest else "all")

    async def resembling(self, tokens: Sequence[str], scope: Scope, *, limit: int) -> list[Hit]:
        """The episodes spelt like one of the tokens, best first by the Jaccard similarity of their trigrams."""
        rows = await self.postgres.rows(
            QUERIES.resembling,
            words=[token for token in tokens if len(token) <= MOST_TOKEN_CHARACTERS][:MOST_TOKENS],
            every_initial=self.sizes.get(scope.namespace, 0) <= RAREST_ABOVE,
            most_walked=MOST_WALKED,
            most_lexemes=MOST_ALIKE_LEXEMES,
            most_characters=MOST_ALIKE_CHARACTERS,
            most=limit,
            limit=limit,
            **scope.parameters(),
        )
        return [Hit(row["id"], row["similarity"]) for row in rows]

    def remember(self, namespace: str, episodes: int) -> None:
        """Keep the size for the next question."""
        if len(self.sizes) >= REMEMBERED_SIZES:
            self.sizes.clear()
        self.sizes[namespace] = episodes
