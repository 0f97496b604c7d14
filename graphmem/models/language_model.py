"""A language model behind `/v1/chat/completions`: Ollama, llama.cpp, vLLM, LM Studio, OpenAI."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from graphmem.errors import ModelAnswerError, SettingsError
from graphmem.models.model_server import ModelServer, RefusedError, authorization, endpoint, sendable
from graphmem.models.retries import Retries
from graphmem.settings import LanguageModel as LanguageModelSettings
from graphmem.settings import Settings

CHARACTERS_A_TOKEN = 4


class Message(Struct, frozen=True):
    """One part of what a model is told."""

    role: Literal["system", "user", "assistant"]
    content: str


class Completion(Struct, frozen=True):
    """What a model answered; `cut_short` when it had more to say than it was allowed."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    cut_short: bool = False

    @property
    def tokens(self) -> int:
        """What it cost."""
        return self.prompt_tokens + self.completion_tokens


class Reply(Struct):
    """The message of a choice."""

    content: str | None = None


class Choice(Struct):
    """One of the answers a server offers: we ask for one."""

    message: Reply
    finish_reason: str | None = None


class Usage(Struct):
    """What an answer cost, as the server counts it."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class Answer(Struct):
    """What a server answers; other fields are left unread."""

    choices: list[Choice]
    usage: Usage | None = None


class LanguageModel:
    """A client of one model on one server; no message of its errors has a text or the key in it.

    A server that is away, busy or too slow is a `ModelUnavailableError`; an answer that is of no use, or a request
    that the server will not have, is a `ModelAnswerError`.
    """

    def __init__(self, settings: LanguageModelSettings, retries: Retries | None = None) -> None:
        if not settings.model.strip():
            raise SettingsError("GRAPHMEM_LANGUAGE_MODEL__MODEL must name a model of GRAPHMEM_LANGUAGE_MODEL__URL.")
        self.model = settings.model
        self.max_tokens = settings.max_tokens
        self._server = ModelServer(
            noun="language model",
            model=settings.model,
            address=endpoint(settings.url, "/chat/completions", "GRAPHMEM_LANGUAGE_MODEL__URL"),
            headers=authorization(settings.api_key, "GRAPHMEM_LANGUAGE_MODEL__API_KEY"),
            timeout_seconds=settings.timeout_seconds,
            retries=retries or Retries(),
        )

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        timeout_seconds: float | None = None,
    ) -> Completion:
        """The model's answer, its most likely one; with a JSON schema a JSON object, whole, said without a fence.

        `timeout_seconds` bounds all tries together, where the setting bounds one.
        """
        most = min(max_tokens or self.max_tokens, self.max_tokens)
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": one.role, "content": sendable(one.content)} for one in messages],
            "temperature": 0,
            "max_tokens": most,
        }
        if schema is not None:
            named = {"name": schema.get("title", "answer"), "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        try:
            content = await self._server.ask(body, within_seconds=timeout_seconds)
        except RefusedError as error:
            raise ModelAnswerError(str(error)) from error
        completion = self._completion(content, messages)
        return completion if schema is None else self._whole_object(completion, most)

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    def _completion(self, content: bytes, messages: Sequence[Message]) -> Completion:
        """The answer that a server sent."""
        try:
            answer = msgspec.json.decode(content, type=Answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._nonsense("sent an answer that is not of the chat completions format") from error
        if not answer.choices:
            raise self._nonsense("sent an answer without a choice")
        choice = answer.choices[0]
        text = choice.message.content or ""
        usage = answer.usage or Usage()
        # A server that does not count is counted for: a budget must hold with it too.
        prompt = usage.prompt_tokens or sum(len(one.content) for one in messages) // CHARACTERS_A_TOKEN
        completion = Completion(
            text, prompt, usage.completion_tokens or len(text) // CHARACTERS_A_TOKEN, choice.finish_reason == "length"
        )
        if not text.strip():
            raise self._nonsense("sent an empty answer", completion)
        return completion

    def _whole_object(self, completion: Completion, most: int) -> Completion:
        """The answer as a JSON object, or the error that says why it is none."""
        if completion.cut_short:
            raise self._nonsense(
                f"was cut short after {most} tokens; GRAPHMEM_LANGUAGE_MODEL__MAX_TOKENS allows more", completion
            )
        text = unfenced(completion.text)
        try:
            msgspec.json.decode(text, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._nonsense("sent an answer that is not a JSON object", completion) from error
        return msgspec.structs.replace(completion, text=text)

    def _nonsense(self, reason: str, completion: Completion | None = None) -> ModelAnswerError:
        return ModelAnswerError(self._server.sentence(reason), tokens=completion.tokens if completion else 0)


def unfenced(text: str) -> str:
    """A text without the code fence that models like to put around JSON.

    >>> unfenced('```json\\n{"a": 1}\\n```'), unfenced('{"a": 1}')
    ('{"a": 1}', '{"a": 1}')
    """
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```"):
        return bare.removesuffix("```").partition("\n")[2].strip()
    return bare


def build_language_model(settings: Settings, retries: Retries | None = None) -> LanguageModel | None:
    """The language model that the settings name; None when they name none."""
    return LanguageModel(settings.language_model, retries) if settings.language_model.url.strip() else None
