"""What a leg found, read together with what was said around it in its session."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from graphmem.memory import Hit, MemoryId
from graphmem.recall.legs.leg import Question
from graphmem.recall.ranking.surroundings import STEPS, by_meaning, by_words, share
from graphmem.stores.surroundings import SurroundingsStore, Turn

REACH = max(map(abs, STEPS))
# Only the first hits are read with what stands around them: by words within .004 of all hundred, and half to read.
FIRST = 50


@dataclass(frozen=True)
class Surroundings:
    """Lets what stands around hits add to them, and lets in what stands beside them."""

    store: SurroundingsStore

    async def of_words(self, question: Question, hits: Sequence[Hit]) -> list[Hit]:
        """Hits by words; each read with the words around it that were found too."""
        if not question.numbers.surroundings_weight or not hits:
            return list(hits)
        found = {hit.memory_id: hit.score for hit in hits}
        turns = await self.store.around(list(found)[:FIRST], question.scope, reach=REACH)
        scores = by_words(found, windows(turns, turns), shares(turns, question))
        return [Hit(*pair) for pair in list(scores.items())[: question.depth]]

    async def of_meaning(self, question: Question, hits: Sequence[Hit], vector: np.ndarray, *, model: str) -> list[Hit]:
        """Hits by meaning; each with the meaning of what stands around it."""
        if not question.numbers.surroundings_weight or not hits:
            return list(hits)
        found = {hit.memory_id: hit.score for hit in hits}
        # What stands beside a hit is read with its own surroundings.
        turns = await self.store.around(list(found)[:FIRST], question.scope, reach=2 * REACH, model=model)
        turns = [turn for turn in turns if turn.vector is not None]
        vectors = {turn.id: turn.vector for turn in turns if turn.vector is not None}
        scores = by_meaning(
            found, windows(turns, beside(turns, list(found)[:FIRST])), shares(turns, question), vectors, vector
        )
        return [Hit(*pair) for pair in list(scores.items())[: question.depth]]


def windows(turns: Sequence[Turn], wanted: Sequence[Turn]) -> dict[MemoryId, dict[int, MemoryId]]:
    """The turns around each of the wanted ones, by how many places they come later."""
    at = {(turn.session, turn.place): turn.id for turn in turns}
    return {
        turn.id: {
            step: at[turn.session, turn.place + step] for step in STEPS if (turn.session, turn.place + step) in at
        }
        for turn in wanted
    }


def beside(turns: Sequence[Turn], found: Collection[MemoryId]) -> list[Turn]:
    """The turns that were found, and those that one of them stands near."""
    near = {(turn.session, turn.place + step) for turn in turns if turn.id in found for step in (0, *STEPS)}
    return [turn for turn in turns if (turn.session, turn.place) in near]


def shares(turns: Sequence[Turn], question: Question) -> dict[MemoryId, float]:
    """How much its surroundings count for each turn."""
    numbers = question.numbers
    weight, length = numbers.surroundings_weight, numbers.surroundings_length
    return {turn.id: share(turn.size, weight=weight, length=length) for turn in turns}
