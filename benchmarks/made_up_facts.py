"""Facts by the hundred thousand, as rows of the ledger (pure): hubs and loners, common and rare words, near vectors."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import numpy as np
from pgvector import HalfVector

from graphmem.memory import Episode

BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
DIMENSIONS = 384
CLUSTERS, NOISE = 200, 0.6
WORDS, WORDS_A_FACT = 20_000, 9
RELATIONS = ("LIVES_IN", "WORKS_AT", "LIKES", "MET", "OWNS", "VISITED", "STUDIES", "MEMBER_OF")
# One in so many is over.
ENDED = 10
FACTS_AN_ENTITY, FACTS_AN_EPISODE = 2.5, 12.5

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A question that a fact answers: its words, its vector, and the entity it names."""

    namespace: str
    text: str
    vector: np.ndarray
    named: str


@dataclass(frozen=True)
class MadeUpGraph:
    """The graph of one namespace, as rows of the ledger."""

    namespace: str
    entities: list[Row]
    facts: list[Row]
    episodes: list[Episode]
    links: dict[str, dict[str, list[str]]]


class MadeUpFacts:
    """A source of graphs."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(0)
        self.centres = self.random.standard_normal((CLUSTERS, DIMENSIONS)) / np.sqrt(DIMENSIONS)
        weights = 1 / np.arange(1, WORDS + 1)
        self.weights = weights / weights.sum()

    def graph(self, namespace: str, size: int) -> MadeUpGraph:
        """A namespace of so many facts; their ends are drawn so that a few entities have many."""
        names = [f"Name{number} of{number % 97}" for number in range(int(size / FACTS_AN_ENTITY))]
        entities = [self.entity(name) for name in names]
        drawn: list[tuple[int, int]] = (self.random.beta(0.6, 2.0, size=(size, 2)) * len(entities)).astype(int).tolist()
        vectors = self.vectors(self.random.integers(CLUSTERS, size=size))
        texts = self.texts(size)
        facts = [
            self.fact(number, (entities[a], entities[b]), texts[number], vectors[number])
            for number, (a, b) in enumerate(drawn)
        ]
        said = {
            f"e{number}": facts[number :: int(size / FACTS_AN_EPISODE)]
            for number in range(int(size / FACTS_AN_EPISODE))
        }
        for episode, support in said.items():
            for fact in support:
                fact["episodes"] = [episode]
        links = {
            episode: {
                "facts": [fact["id"] for fact in support],
                "entities": sorted({fact[end] for fact in support for end in ("source", "target")}),
            }
            for episode, support in said.items()
        }
        episodes = [
            Episode(namespace=namespace, id=one, content=support[0]["fact"], occurred_at=BEGIN, created_at=BEGIN)
            for one, support in said.items()
        ]
        return MadeUpGraph(namespace, entities, facts, episodes, links)

    def questions(self, graph: MadeUpGraph, count: int) -> list[Asked]:
        """Questions in half the words of a fact, with a vector near its own."""
        chosen: list[int] = self.random.integers(len(graph.facts), size=count).tolist()
        return [self.question(graph.namespace, graph.facts[number]) for number in chosen]

    def question(self, namespace: str, fact: Row) -> Asked:
        """One of them."""
        words = fact["fact"].split()[::2]
        vector = fact["vector"].to_numpy() + self.random.standard_normal(DIMENSIONS) * NOISE / 4 / np.sqrt(DIMENSIONS)
        return Asked(namespace, f"What is {' '.join(words)}?", vector / np.linalg.norm(vector), fact["source"])

    def entity(self, name: str) -> Row:
        """A row of an entity; as ours are, without a vector."""
        return {"id": self.uuid(), "name": name, "type": "thing", "summary": "", "created_at": BEGIN, "vector": None}

    def fact(self, number: int, ends: Sequence[Row], text: str, vector: np.ndarray) -> Row:
        """A row of a fact."""
        moment = BEGIN + timedelta(minutes=number)
        over = moment + timedelta(days=30) if number % ENDED == 0 else None
        return {
            "id": self.uuid(),
            "source": ends[0]["id"],
            "target": ends[1]["id"],
            "relation": RELATIONS[number % len(RELATIONS)],
            "fact": f"{ends[0]['name']} {text} {ends[1]['name']}",
            "valid_at": moment,
            "invalid_at": over,
            "stated_invalid_at": None,
            "created_at": moment,
            "expired_at": over,
            "confirmed_at": moment,
            "retired_by": None,
            "vector": HalfVector(vector),
        }

    def texts(self, count: int) -> list[str]:
        """Words by Zipf's law."""
        drawn = self.random.choice(WORDS, size=(count, WORDS_A_FACT), p=self.weights)
        return [" ".join(f"word{number}" for number in row) for row in drawn.tolist()]

    def vectors(self, clusters: np.ndarray) -> np.ndarray:
        """One near the middle of each given cluster."""
        noise = self.random.standard_normal((len(clusters), DIMENSIONS)) * NOISE / np.sqrt(DIMENSIONS)
        drawn = self.centres[clusters] + noise
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    def uuid(self) -> str:
        """The next one; the same in every run."""
        return str(uuid.UUID(bytes=self.random.bytes(16), version=4))
