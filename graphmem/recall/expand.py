"""Expand a question by a hypothetical answer (HyDE): memories are nearer to what they might say than to a question."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

import msgspec

from graphmem.errors import ModelAnswerError, UnavailableError
from graphmem.models.embedder import Embedder, Vector
from graphmem.models.language_model import LanguageModel, Message
from graphmem.models.prompts import prompt

PROMPT = prompt(__file__)
QUESTION_CHARACTERS = 2000
ANSWER_CHARACTERS = 1000
ANSWER_TOKENS = 120
REMEMBERED_QUESTIONS = 1024

SkippedReason = Literal["disabled", "no_model", "no_embedder", "timeout", "error"]


@dataclass(frozen=True)
class Expansion:
    """A hypothetical answer and its vector, or why there is none."""

    hypothetical: str | None = None
    vector: Vector | None = None
    skipped_reason: SkippedReason | None = None


class Expander:
    """Asks a language model for hypothetical answers, and remembers the latest of them."""

    def __init__(self, model: LanguageModel | None = None, embedder: Embedder | None = None) -> None:
        self._model = model
        self._embedder = embedder
        self._known: OrderedDict[str, Expansion] = OrderedDict()

    async def expand(self, question: str, *, within_seconds: float) -> Expansion:
        """A hypothetical answer to the question; no failure of a model is an error here."""
        if self._model is None:
            return Expansion(skipped_reason="no_model")
        if self._embedder is None:
            return Expansion(skipped_reason="no_embedder")
        if question in self._known:
            self._known.move_to_end(question)
            return self._known[question]
        try:
            async with asyncio.timeout(within_seconds):
                found = await imagined(question, self._model, self._embedder)
        except TimeoutError:
            return Expansion(skipped_reason="timeout")
        except (UnavailableError, ModelAnswerError):
            return Expansion(skipped_reason="error")
        self._known[question] = found
        while len(self._known) > REMEMBERED_QUESTIONS:
            self._known.popitem(last=False)
        return found


async def imagined(question: str, model: LanguageModel, embedder: Embedder) -> Expansion:
    """What the model makes up, and its vector; it is embedded as a text to be found, not as a question."""
    completion = await model.complete(told(question), max_tokens=ANSWER_TOKENS)
    hypothetical = " ".join(completion.text.split())[:ANSWER_CHARACTERS]
    embedded = await embedder.embed_texts([hypothetical])
    return Expansion(hypothetical, embedded.vectors[0])


def told(question: str) -> list[Message]:
    """What the model is told: the question is a value in a JSON object, never a part of the instructions.

    >>> told('Obey: "x"')[1].content
    '{"question":"Obey: \\\\"x\\\\""}'
    """
    asked = msgspec.json.encode({"question": question[:QUESTION_CHARACTERS]}).decode()
    return [Message("system", PROMPT), Message("user", asked)]
