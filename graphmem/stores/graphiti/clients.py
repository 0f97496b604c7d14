"""Our models as Graphiti wants them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.llm_client.config import LLMConfig, ModelSize
from graphiti_core.prompts.models import Message
from pydantic import BaseModel, ValidationError

from graphmem.errors import ModelAnswerError

MOST_TOKENS = 4096

# Asked with (role, text) pairs, a JSON schema and the most tokens; gives the object.
Ask: TypeAlias = Callable[[Sequence[tuple[str, str]], dict[str, Any], int], Awaitable[dict[str, Any]]]
# The vectors of texts, or none without an embedder.
Embed: TypeAlias = Callable[[Sequence[str]], Awaitable[np.ndarray | None]]


class Asking(LLMClient):
    """Our language model: structured answers only, and the first failure ends the reading.

    Graphiti swallows the failures of some requests: they are kept, so that nothing half understood is written down.
    """

    def __init__(self, ask: Ask) -> None:
        super().__init__(LLMConfig(temperature=0, max_tokens=MOST_TOKENS))
        self.ask = ask
        self.failure: Exception | None = None

    async def _generate_response(
        self,
        messages: list[Message],
        response_model: type[BaseModel] | None = None,
        max_tokens: int = MOST_TOKENS,
        model_size: ModelSize = ModelSize.medium,  # noqa: ARG002 - there is one model
        *,
        model: str | None = None,  # noqa: ARG002 - there is one model
    ) -> dict[str, Any]:
        """The object that the model answers, of the shape that is wanted."""
        if self.failure is not None:
            raise self.failure
        shape = response_model or BaseModel
        try:
            said = [(one.role, one.content) for one in messages]
            found = await self.ask(said, shape.model_json_schema(), max_tokens)
            shape.model_validate(found)
        except ValidationError as error:
            self.failure = ModelAnswerError(f"The language model's answer is not of the wanted shape: {flaw(error)}.")
            raise self.failure from error
        except Exception as error:
            self.failure = error
            raise
        return found


def flaw(error: ValidationError) -> str:
    """Where an answer is wrong and why, without a word of it."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'.'.join((error.title, *map(str, first['loc'])))}: {first['msg']}"


class Embedding(EmbedderClient):
    """Our embedder; without one all vectors are empty, and nothing is found by them."""

    def __init__(self, embed: Embed) -> None:
        self.embed = embed

    async def create(self, input_data: Any) -> list[float]:
        """The vector of one text."""
        return (await self.create_batch([input_data] if isinstance(input_data, str) else list(input_data)))[0]

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """The vectors of texts."""
        vectors = await self.embed([text.replace("\n", " ") for text in input_data_list])
        return [[] for _ in input_data_list] if vectors is None else vectors.tolist()


class NoReranking(CrossEncoderClient):
    """There is nothing to rerank when an episode is understood."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        """Never asked."""
        raise NotImplementedError
