"""Episodes by the hundred thousand with the statistics of real ones, made without embedding each (pure)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from graphmem.memory import Episode

BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
SESSION_TURNS = 20
# As near to their sources as two real turns on one subject are to each other.
MIXED = 3
NOISE = 0.35


class MadeUp:
    """A source of texts and vectors: words of real turns in new company, vectors between those of the same turns."""

    def __init__(self, turns: Sequence[dict[str, Any]], vectors: np.ndarray) -> None:
        self.random = np.random.default_rng(0)
        self.turns = turns
        self.vectors = vectors
        # Turns are drawn by Zipf's law: a few subjects come up all the time, most seldom.
        weights = 1 / np.arange(1, len(turns) + 1)
        self.weights = self.random.permutation(weights / weights.sum())

    def episodes(self, namespace: str, start: int, count: int) -> tuple[list[Episode], np.ndarray]:
        """The next ones, with their vectors."""
        drawn = self.random.choice(len(self.turns), size=(count, MIXED), p=self.weights)
        drawn[:, 0] = self.random.integers(len(self.turns), size=count)
        made = [self.episode(namespace, start + place, sources) for place, sources in enumerate(drawn.tolist())]
        shares = self.random.dirichlet(np.ones(MIXED), size=count)
        noise = self.random.standard_normal((count, self.vectors.shape[1])) * NOISE / np.sqrt(self.vectors.shape[1])
        mixed = np.einsum("em,emd->ed", shares, self.vectors[drawn]) + noise
        return made, mixed / np.linalg.norm(mixed, axis=1, keepdims=True)

    def episode(self, namespace: str, number: int, sources: Sequence[int]) -> Episode:
        """As many words as its first source has, taken from all of them."""
        moment = BEGIN + timedelta(minutes=10 * number)
        first = self.turns[sources[0]]
        words: list[str] = [word for source in sources for word in self.turns[source]["content"].split()]
        length = len(first["content"].split())
        return Episode(
            namespace=namespace,
            id=f"e{number}",
            content=" ".join(self.random.choice(words, size=length, replace=False)),
            speaker=first["speaker"],
            session=f"s{number // SESSION_TURNS}",
            occurred_at=moment,
            created_at=moment,
        )
