"""The client of `/v1/chat/completions` servers, against servers that answer and servers that fail."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from graphmem import settings as settings_module
from graphmem.errors import ModelAnswerError, ModelUnavailableError, SettingsError
from graphmem.models.language_model import LanguageModel, Message, build_language_model
from graphmem.models.retries import Retries
from graphmem.settings import LanguageModel as LanguageModelSettings
from tests.models.small_server import Answer, Request, Script, http, said, serving

pytestmark = pytest.mark.anyio

AT_ONCE = Retries(attempts=3, first_seconds=0.001)
BUSY = http("503 Service Unavailable")
TEXT = "the secret text"
KEY = "the-secret-key"
ASKED = [Message("system", "Be brief."), Message("user", TEXT)]
SCHEMA = {"title": "Answer", "type": "object", "properties": {"a": {"type": "integer"}}}


@asynccontextmanager
async def client(answer: Answer, **settings: object) -> AsyncIterator[LanguageModel]:
    """The client, and the server it asks."""
    async with serving(answer) as url:
        wanted = {"url": url, "model": "any", "api_key": KEY} | settings
        model = LanguageModel(LanguageModelSettings(**wanted), AT_ONCE)
        yield model
        await model.close()


async def test_the_request_is_of_the_chat_format_and_wants_the_most_likely_answer() -> None:
    script = Script(said("hello"))

    async with client(script, max_tokens=100) as model:
        completion = await model.complete(ASKED, max_tokens=500)

    (request,) = script.requests
    assert request.line == "POST /v1/chat/completions HTTP/1.1"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "any",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": TEXT}],
        "temperature": 0,
        "max_tokens": 100,
    }
    assert (completion.text, completion.tokens, completion.cut_short) == ("hello", 30, False)


async def test_a_schema_is_sent_along_and_its_object_comes_back_without_a_fence() -> None:
    script = Script(said('```json\n{"a": 1}\n```'))

    async with client(script) as model:
        completion = await model.complete(ASKED, schema=SCHEMA)

    wanted = {"type": "json_schema", "json_schema": {"name": "Answer", "schema": SCHEMA}}
    assert script.requests[0].body["response_format"] == wanted
    assert completion.text == '{"a": 1}'


async def test_free_text_that_was_cut_short_is_of_use_and_says_so() -> None:
    async with client(Script(said("Once upon", finish="length"))) as model:
        assert (await model.complete(ASKED)).cut_short


async def test_a_server_that_does_not_count_is_counted_for() -> None:
    body = {"choices": [{"message": {"content": "x" * 40}}]}

    async with client(Script(http("200 OK", json.dumps(body).encode()))) as model:
        completion = await model.complete([Message("user", "y" * 80)])

    assert (completion.prompt_tokens, completion.completion_tokens) == (20, 10)


NONSENSE = {
    "prose": (said(f"Sure! {TEXT}"), "not a JSON object", 30),
    "a list": (said("[1]"), "not a JSON object", 30),
    "half an object": (said('{"a": '), "not a JSON object", 30),
    "cut short": (said('{"a": 1}', finish="length"), "GRAPHMEM_LANGUAGE_MODEL__MAX_TOKENS", 30),
    "empty": (said(""), "an empty answer", 20),
    "another format": (http("200 OK", b'{"text": "no"}'), "not of the chat completions format", 0),
    "half a body": (http("200 OK", b'{"choices": [{"mess'), "not of the chat completions format", 0),
    "no choice": (http("200 OK", b'{"choices": []}'), "without a choice", 0),
    "a refusal": (http("400 Bad Request", TEXT.encode()), "answered 400 Bad Request", 0),
}


@pytest.mark.parametrize(("answer", "reason", "tokens"), NONSENSE.values(), ids=NONSENSE.keys())
async def test_an_answer_of_no_use_is_told_with_what_it_cost(answer: bytes, reason: str, tokens: int) -> None:
    async with client(Script(answer)) as model:
        with pytest.raises(ModelAnswerError, match=reason) as caught:
            await model.complete(ASKED, schema=SCHEMA)

    assert TEXT not in str(caught.value)
    assert caught.value.tokens == tokens


async def test_a_busy_server_is_asked_again_and_a_gone_one_is_named() -> None:
    async with client(Script(BUSY, http("429 Too Many Requests", retry_after="0"), said("yes"))) as model:
        assert (await model.complete(ASKED)).text == "yes"
    async with client(Script(http("429 Too Many Requests", retry_after="3600"))) as model:
        with pytest.raises(ModelUnavailableError, match=r"language model server .* answered 429"):
            await model.complete(ASKED)


@pytest.mark.parametrize("limits", [({"timeout_seconds": 0.05}, None), ({}, 0.05)])
async def test_no_one_waits_longer_than_wanted(limits: tuple[dict[str, float], float | None]) -> None:
    over = asyncio.Event()

    async def never(request: Request) -> bytes:
        await over.wait()
        return b""

    async with client(never, **limits[0]) as model:
        with pytest.raises(ModelUnavailableError, match=r"did not answer within 0.05 s"):
            await model.complete(ASKED, timeout_seconds=limits[1])
        over.set()


def test_without_an_address_there_is_none_and_an_incomplete_one_is_refused_at_the_start() -> None:
    assert build_language_model(settings_module.load({})) is None
    for variables, named in (
        ({"URL": "http://localhost:1/v1"}, "GRAPHMEM_LANGUAGE_MODEL__MODEL"),
        ({"URL": "localhost", "MODEL": "any"}, "GRAPHMEM_LANGUAGE_MODEL__URL"),
        ({"URL": "http://localhost/v1", "MODEL": "any", "API_KEY": "schlüssel"}, "GRAPHMEM_LANGUAGE_MODEL__API_KEY"),
    ):
        with pytest.raises(SettingsError, match=named):
            build_language_model(
                settings_module.load({f"GRAPHMEM_LANGUAGE_MODEL__{name}": v for name, v in variables.items()})
            )
