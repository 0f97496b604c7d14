"""The client of `/v1/embeddings` servers: against a real model, and against servers that fail."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from graphmem import settings as settings_module
from graphmem.errors import ModelUnavailableError, SettingsError
from graphmem.models.embedder import build_embedder
from graphmem.models.local_embedder import LocalEmbedder
from graphmem.models.openai_embedder import MAX_CHARACTERS, OpenAIEmbedder
from graphmem.models.retries import Retries
from graphmem.settings import Embedder as EmbedderSettings
from tests.models.small_server import Answer, Request, Script, http, model_server, serving, vectors

pytestmark = pytest.mark.anyio

DEFAULTS = settings_module.load({})
FOLDER = Path(DEFAULTS.cache_dir) / "models" / DEFAULTS.embedder.model
AT_ONCE = Retries(attempts=3, first_seconds=0.001)
BUSY = http("503 Service Unavailable")
TEXT = "the secret text"
KEY = "the-secret-key"


@asynccontextmanager
async def client(answer: Answer, retries: Retries = AT_ONCE, **settings: object) -> AsyncIterator[OpenAIEmbedder]:
    """The embedder, and the server it asks."""
    wanted = {"kind": "openai", "model": "any", "dimensions": 2, "api_key": KEY} | settings
    async with serving(answer) as url:
        embedder = OpenAIEmbedder(EmbedderSettings(**(wanted | {"url": url})), retries)
        yield embedder
        await embedder.close()


async def test_a_real_model_server_gives_the_model_s_own_vectors_in_order() -> None:
    texts = ["I moved to Porto.", "My sister has two kittens.", "", "Good night 🌙", "The oven needs forty minutes."]
    local = LocalEmbedder(FOLDER, DEFAULTS.embedder)
    expected = (await local.embed_texts(texts)).vectors

    async with client(model_server(local), dimensions=384, batch_size=2) as embedder:
        embedded = await embedder.embed_texts(texts)
        query = await embedder.embed_query(texts[0])

    np.testing.assert_allclose(embedded.vectors, expected, atol=1e-6)
    np.testing.assert_allclose(query, expected[0], atol=1e-6)
    assert embedded.vectors.dtype == np.float32
    assert embedded.truncated == (False,) * 5
    await local.close()


async def test_the_request_names_the_model_and_carries_the_key() -> None:
    script = Script(vectors([3, 4]))

    async with client(script) as embedder:
        await embedder.embed_texts([TEXT])

    (request,) = script.requests
    assert request.line == "POST /v1/embeddings HTTP/1.1"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {"model": "any", "input": [TEXT], "encoding_format": "float"}


async def test_without_a_key_none_is_sent() -> None:
    script = Script(vectors([3, 4]))

    async with client(script, api_key="") as embedder:
        await embedder.embed_texts([TEXT])

    assert "authorization" not in script.requests[0].headers


async def test_only_openai_s_own_models_are_told_the_length() -> None:
    script = Script(vectors([3, 4]))

    async with client(script, model="text-embedding-3-small") as embedder:
        await embedder.embed_texts([TEXT])

    assert script.requests[0].body["dimensions"] == 2


async def test_vectors_are_brought_to_length_one() -> None:
    async with client(Script(vectors([3, 4]))) as embedder:
        assert (await embedder.embed_query(TEXT)).tolist() == pytest.approx([0.6, 0.8])


async def test_no_texts_are_no_request() -> None:
    async with client(Script()) as embedder:
        assert (await embedder.embed_texts([])).vectors.shape == (0, 2)


async def test_texts_go_in_batches() -> None:
    script = Script(vectors([1, 0], [0, 1]), vectors([1, 0]))

    async with client(script, batch_size=2) as embedder:
        embedded = await embedder.embed_texts(["a", "b", "c"])

    assert [request.body["input"] for request in script.requests] == [["a", "b"], ["c"]]
    assert embedded.vectors.tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize(
    "failure", [http("429 Too Many Requests", retry_after="0"), BUSY, b"", b"HTTP/1.1 200 OK\r\ncontent-le"]
)
async def test_a_server_that_is_busy_or_hangs_up_is_asked_again(failure: bytes) -> None:
    async with client(Script(failure, failure, vectors([1, 0]))) as embedder:
        assert (await embedder.embed_query(TEXT)).tolist() == [1, 0]


async def test_a_server_that_stays_busy_is_given_up() -> None:
    script = Script(BUSY, BUSY, BUSY, vectors([1, 0]))

    async with client(script) as embedder:
        with pytest.raises(ModelUnavailableError, match="answered 503 Service Unavailable"):
            await embedder.embed_query(TEXT)

    assert len(script.requests) == 3


async def test_a_server_that_asks_for_more_patience_than_we_have_is_given_up_at_once() -> None:
    script = Script(http("429 Too Many Requests", retry_after="3600"))

    async with client(script) as embedder:
        with pytest.raises(ModelUnavailableError, match="answered 429"):
            await embedder.embed_query(TEXT)


async def test_a_server_that_is_not_there_is_named() -> None:
    gone = OpenAIEmbedder(EmbedderSettings(kind="openai", url="http://127.0.0.1:9/v1", dimensions=2), AT_ONCE)

    with pytest.raises(ModelUnavailableError, match=r"http://127.0.0.1:9/v1/embeddings cannot be reached"):
        await gone.embed_query(TEXT)
    await gone.close()


async def test_a_server_that_never_answers_is_waited_for_no_longer_than_set() -> None:
    over = asyncio.Event()

    async def never(request: Request) -> bytes:
        await over.wait()
        return b""

    async with client(never, timeout_seconds=0.05) as embedder:
        with pytest.raises(ModelUnavailableError, match=r"did not answer within 0.05 s"):
            await embedder.embed_query(TEXT)
        over.set()


UNREADABLE = {
    "no json": (b"<html>" + TEXT.encode() + KEY.encode(), "not of the embeddings format"),
    "no utf-8": (b'{"data": "\xff"}', "not of the embeddings format"),
    "half an answer": (b'{"data": [{"index": 0, "embedding": [1, ', "not of the embeddings format"),
    "another format": (json.dumps({"embeddings": [[1, 0]]}).encode(), "not of the embeddings format"),
    "words for numbers": (b'{"data": [{"index": 0, "embedding": ["one", 0]}]}', "not of the embeddings format"),
    "base64": (b'{"data": [{"index": 0, "embedding": "AACAPwAAAAA="}]}', "not of the embeddings format"),
    "too few": (b'{"data": []}', "sent 0 vectors for 1 texts"),
    "numbered wrongly": (b'{"data": [{"index": 7, "embedding": [1, 0]}]}', "numbered them wrongly"),
    "another length": (b'{"data": [{"index": 0, "embedding": [1, 0, 0]}]}', "GRAPHMEM_EMBEDDER__DIMENSIONS=3"),
    "zeros": (b'{"data": [{"index": 0, "embedding": [0, 0]}]}', "without a direction"),
    "too large": (b'{"data": [{"index": 0, "embedding": [1e308, 1e308]}]}', "without a direction"),
}


@pytest.mark.parametrize(("body", "reason"), UNREADABLE.values(), ids=UNREADABLE.keys())
async def test_an_answer_that_makes_no_sense_is_said_to(body: bytes, reason: str) -> None:
    async with client(Script(http("200 OK", body))) as embedder:
        with pytest.raises(ModelUnavailableError, match=reason):
            await embedder.embed_query(TEXT)


@pytest.mark.parametrize(
    "status",
    ["301 Moved Permanently", "401 Unauthorized", "404 Not Found", "400 Bad Request", "500 Internal Server Error"],
)
async def test_a_refusal_is_told_without_the_text_or_the_key(status: str) -> None:
    echo = http(status, f"{TEXT} {KEY}".encode(), location="http://elsewhere.invalid/")

    async with client(Script(*[echo] * 3)) as embedder:
        with pytest.raises(ModelUnavailableError, match=status) as caught:
            await embedder.embed_query(TEXT)

    assert TEXT not in str(caught.value)
    assert KEY not in str(caught.value)


async def test_a_password_in_the_address_is_not_told() -> None:
    embedder = OpenAIEmbedder(EmbedderSettings(url="http://me:hush@127.0.0.1:9/v1", dimensions=2), AT_ONCE)

    with pytest.raises(ModelUnavailableError) as caught:
        await embedder.embed_query(TEXT)

    assert "hush" not in str(caught.value)
    await embedder.close()


async def refuse_above_1000(request: Request) -> bytes:
    """A server whose model reads 1,000 characters."""
    texts = request.body["input"]
    too_long = any(len(text) > 1000 for text in texts)
    return http("400 Bad Request") if too_long else vectors(*[[len(text), 0] for text in texts])


async def test_one_text_too_long_for_the_server_is_cut_and_spoils_nothing_for_the_others() -> None:
    async with client(refuse_above_1000) as embedder:
        embedded = await embedder.embed_texts(["short", "x" * 10_000, "short too"])

    assert embedded.truncated == (False, True, False)
    assert embedded.vectors.tolist() == [[1, 0]] * 3


async def test_a_million_characters_are_cut_before_they_are_sent() -> None:
    script = Script(vectors([1, 0]))

    async with client(script) as embedder:
        embedded = await embedder.embed_texts(["x" * 1_000_000])

    assert len(script.requests[0].body["input"][0]) == MAX_CHARACTERS
    assert embedded.truncated == (True,)


async def test_half_a_surrogate_is_sent_as_a_replacement() -> None:
    script = Script(vectors([1, 0]))

    async with client(script) as embedder:
        await embedder.embed_texts(["fox \ud83e!"])

    assert script.requests[0].body["input"] == ["fox ?!"]


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)

    async with client(Script(vectors([1, 0]))) as embedder:
        assert (await embedder.embed_query(TEXT)).tolist() == [1, 0]


@pytest.mark.parametrize("url", ["", "localhost:11434/v1", "ftp://localhost/v1", "http://", "http://[::1/v1"])
def test_an_address_that_is_none_is_refused_at_the_start(url: str) -> None:
    settings = settings_module.load({"GRAPHMEM_EMBEDDER__KIND": "openai", "GRAPHMEM_EMBEDDER__URL": url})

    with pytest.raises(SettingsError, match="GRAPHMEM_EMBEDDER__URL"):
        build_embedder(settings)


def test_a_key_that_no_header_can_carry_is_refused_at_the_start() -> None:
    with pytest.raises(SettingsError, match="GRAPHMEM_EMBEDDER__API_KEY"):
        OpenAIEmbedder(EmbedderSettings(url="http://localhost/v1", api_key="schlüssel"))


async def test_settings_build_the_client() -> None:
    variables = {"KIND": "openai", "URL": "http://localhost:1/v1", "MODEL": "nomic-embed-text", "DIMENSIONS": "768"}
    built = build_embedder(settings_module.load({f"GRAPHMEM_EMBEDDER__{name}": v for name, v in variables.items()}))

    assert built is not None
    assert (built.model, built.dimensions, built.languages, built.ready()) == ("nomic-embed-text", 768, (), None)
    await built.close()
