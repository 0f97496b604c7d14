"""A language model as the judge of how well texts answer a question."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from graphmem.errors import ModelAnswerError
from graphmem.models.language_model import LanguageModel, Message
from graphmem.models.prompts import prompt

PROMPT = prompt(__file__)
QUESTION_CHARACTERS = 2000
TOKENS_A_SCORE = 8


class Verdict(Struct):
    """A score from 0 to 10 for each text, in their order."""

    scores: list[Annotated[int, Meta(ge=0, le=10)]]


class LanguageJudge:
    """Asks a language model, which is closed by whoever opened it."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    async def relevance(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """The scores that the model gives; equal ones are many, and stay in the order they had."""
        asked = msgspec.json.encode({"question": question[:QUESTION_CHARACTERS], "memories": list(texts)}).decode()
        completion = await self._model.complete(
            [Message("system", PROMPT), Message("user", asked)],
            schema=schema(len(texts)),
            max_tokens=32 + TOKENS_A_SCORE * len(texts),
        )
        try:
            scores = msgspec.json.decode(completion.text, type=Verdict).scores
        except msgspec.DecodeError as error:
            raise ModelAnswerError(
                "The language model gave no scores from 0 to 10.", tokens=completion.tokens
            ) from error
        if len(scores) != len(texts):
            reason = f"The language model gave {len(scores)} scores for {len(texts)} texts."
            raise ModelAnswerError(reason, tokens=completion.tokens)
        return scores

    async def close(self) -> None:
        """Nothing to close here."""


def schema(count: int) -> dict[str, Any]:
    """What the model is to answer: so many scores.

    >>> schema(2)["properties"]["scores"]["maxItems"]
    2
    """
    score = {"type": "integer", "minimum": 0, "maximum": 10}
    scores = {"type": "array", "items": score, "minItems": count, "maxItems": count}
    return {"title": "Verdict", "type": "object", "properties": {"scores": scores}, "required": ["scores"]}
