"""A memory by the hundred thousand with the statistics of real ones: episodes in sessions, entities, three facts each.

Words are those of real turns in new company, vectors lie between those of the same turns; subjects and entities come up
by Zipf's law. A block of a namespace is the same in every run, so that an interrupted filling goes on where it was.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from pgvector import HalfVector

from graphmem.ledger import entity_uuid, named_uuid
from graphmem.memory import Episode
from graphmem.names import normalised

Row: TypeAlias = dict[str, Any]

BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
BLOCK = 500
SESSION_TURNS = 20
FACTS_AN_EPISODE = 3
# As near to their sources as two real turns on one subject are to each other.
MIXED, NOISE = 3, 0.35
# How many entities there are for an episode; how they are drawn gives few of them many facts.
ENTITIES_AN_EPISODE = 0.8
FACT_WORDS = 6
# One fact in so many is over.
ENDED = 10
RELATIONS = ("LIVES_IN", "WORKS_AT", "LIKES", "MET", "OWNS", "VISITED", "STUDIES", "MEMBER_OF")
SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


class Block(NamedTuple):
    """Some episodes of a namespace, and all that is known from them."""

    episodes: list[Episode]
    vectors: np.ndarray
    facts: list[Row]


@dataclass(frozen=True)
class Asked:
    """A real question that also names somebody, with its vector."""

    text: str
    vector: np.ndarray


@dataclass(frozen=True)
class MadeUp:
    """A source of memories, from real turns and their vectors."""

    turns: Sequence[Row]
    vectors: np.ndarray

    def block(self, namespace: str, number: int, *, of: int) -> Block:
        """One block of a namespace that will have so many episodes; the last one may be shorter."""
        start, count = number * BLOCK, min(BLOCK, of - number * BLOCK)
        random = np.random.default_rng([zlib.crc32(namespace.encode()), number])
        drawn = np.minimum(random.zipf(1.3, size=(count, MIXED)) - 1, len(self.turns) - 1)
        drawn[:, 0] = random.integers(len(self.turns), size=count)
        vectors = self.mixed(random, drawn)
        people = (random.beta(0.6, 2.0, size=(count, FACTS_AN_EPISODE, 2)) * (of * ENTITIES_AN_EPISODE)).astype(int)
        near = random.standard_normal((count, FACTS_AN_EPISODE, vectors.shape[1])) * NOISE / np.sqrt(vectors.shape[1])
        episodes: list[Episode] = []
        facts: list[Row] = []
        for place in range(count):
            words = self.words(random, drawn[place].tolist())
            said = [
                self.fact(namespace, (start + place, which), ends, words, vectors[place] + near[place, which])
                for which, ends in enumerate(people[place].tolist())
            ]
            episodes.append(self.episode(namespace, start + place, drawn[place, 0], words, said))
            facts += said
        return Block(episodes, vectors, facts)

    def mixed(self, random: np.random.Generator, drawn: np.ndarray) -> np.ndarray:
        """Vectors between those of the drawn turns."""
        shares = random.dirichlet(np.ones(MIXED), size=len(drawn))
        noise = random.standard_normal((len(drawn), self.vectors.shape[1])) * NOISE / np.sqrt(self.vectors.shape[1])
        mixed = np.einsum("em,emd->ed", shares, self.vectors[drawn]) + noise
        return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)

    def words(self, random: np.random.Generator, drawn: Sequence[int]) -> list[str]:
        """As many words as the first of the turns has, taken from all of them."""
        every = [word for source in drawn for word in self.turns[source]["content"].split()]
        length = len(self.turns[drawn[0]]["content"].split())
        return random.choice(every, size=length, replace=False).tolist()

    def episode(self, namespace: str, number: int, source: int, words: Sequence[str], said: Sequence[Row]) -> Episode:
        """A turn with the names of those whom its facts are about."""
        moment = BEGIN + timedelta(minutes=10 * number)
        names = dict.fromkeys(name for fact in said for name in (fact["source_name"], fact["target_name"]))
        return Episode(
            namespace=namespace,
            id=f"e{number}",
            content=" ".join([*words, *names]),
            speaker=self.turns[source]["speaker"],
            session=f"s{number // SESSION_TURNS}",
            occurred_at=moment,
            created_at=moment,
        )

    def fact(
        self, namespace: str, place: tuple[int, int], ends: Sequence[int], words: Sequence[str], vector: np.ndarray
    ) -> Row:
        """A row of a fact, as the ledger and the graph take it, with its episode and its names."""
        number = place[0] * FACTS_AN_EPISODE + place[1]
        moment = BEGIN + timedelta(minutes=10 * place[0])
        over = moment + timedelta(days=30) if number % ENDED == 0 else None
        source, target = (name_of(end) for end in ends)
        said = " ".join(words[place[1] :: FACTS_AN_EPISODE][:FACT_WORDS])
        return {
            "id": named_uuid("made up", namespace, str(number)),
            "episode": f"e{place[0]}",
            "episodes": [f"e{place[0]}"],
            "source": entity_uuid(namespace, normalised(source)),
            "source_name": source,
            "target": entity_uuid(namespace, normalised(target)),
            "target_name": target,
            "relation": RELATIONS[number % len(RELATIONS)],
            "fact": f"{source} {said} {target}",
            "valid_at": moment,
            "invalid_at": over,
            "stated_invalid_at": None,
            "created_at": moment,
            "expired_at": over,
            "confirmed_at": moment,
            "retired_by": None,
            "vector": HalfVector(vector / np.linalg.norm(vector)),
        }


def questions(texts: Sequence[str], vectors: np.ndarray, *, of: int) -> list[Asked]:
    """Real questions, each with the name of somebody of a namespace of so many episodes."""
    random = np.random.default_rng(7)
    drawn: list[int] = (random.beta(0.6, 2.0, size=len(texts)) * (of * ENTITIES_AN_EPISODE)).astype(int).tolist()
    return [
        Asked(f"{text.rstrip('?')}, {name_of(end)}?", vector)
        for text, vector, end in zip(texts, vectors, drawn, strict=True)
    ]


def name_of(number: int) -> str:
    """A name that no other number has.

    >>> name_of(0), name_of(4901)
    ('Baba', 'Bebabe')
    """
    syllables: list[str] = []
    while number or len(syllables) < 2:
        number, place = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[place])
    return "".join(reversed(syllables)).capitalize()
