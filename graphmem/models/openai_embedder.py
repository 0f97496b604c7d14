"""Vectors made by a server that speaks `/v1/embeddings`: Ollama, vLLM, LM Studio, OpenAI."""

import asyncio
import ipaddress
from collections.abc import Sequence

import httpx
import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from graphmem.errors import ModelUnavailableError, SettingsError
from graphmem.models.embedder import Embedded, Vector, unit_length
from graphmem.models.retries import Retries
from graphmem.settings import Embedder as EmbedderSettings

TOO_MANY = 429
# What a server answers when it dislikes the text itself, mostly for its length.
REFUSALS = {400, 413, 422}
# The longest texts that today's models read are 32k tokens.
MAX_CHARACTERS = 131_072
# No model refuses a text this short for its length.
SHORT_CHARACTERS = 500


class Item(Struct):
    """One vector of an answer, and the position of its text."""

    index: int
    embedding: list[float]


class Answer(Struct):
    """What a server answers; other fields are left unread."""

    data: list[Item]


class RefusedError(ModelUnavailableError):
    """The server will not have this request; a shorter one may pass."""


class OpenAIEmbedder:
    """A client of one model on one server; no message of its errors has a text or the key in it."""

    languages: tuple[str, ...] = ()

    def __init__(self, settings: EmbedderSettings, retries: Retries | None = None) -> None:
        self.model = settings.model
        self.dimensions = settings.dimensions
        self._batch_size = settings.batch_size
        self._timeout_seconds = settings.timeout_seconds
        self._retries = retries or Retries()
        self._address = embeddings_address(settings.url)
        # OpenAI shortens the vectors of these when asked; other servers refuse or ignore the wish.
        self._wishes = {"dimensions": self.dimensions} if "text-embedding-3" in self.model else {}
        self._client = httpx.AsyncClient(
            headers=authorization(settings.api_key),
            timeout=settings.timeout_seconds,
            trust_env=not is_loopback(self._address.host),
        )

    def ready(self) -> str | None:
        """None: whether the server answers is known only by asking it."""
        return None

    async def embed_texts(self, texts: Sequence[str]) -> Embedded:
        """The vectors of texts to be found; one that is too long for the server is cut until it fits."""
        cut = [text[:MAX_CHARACTERS] for text in texts]
        parts = [
            await self._embed_batch(cut[start : start + self._batch_size])
            for start in range(0, len(cut), self._batch_size)
        ]
        vectors = np.concatenate([np.empty((0, self.dimensions), np.float32), *(part.vectors for part in parts)])
        shortened = [flag for part in parts for flag in part.truncated]
        return Embedded(vectors, tuple(a or len(b) > MAX_CHARACTERS for a, b in zip(shortened, texts, strict=True)))

    async def embed_query(self, query: str) -> Vector:
        """The vector of a question; it gets no prefix, since most models want none."""
        return (await self.embed_texts([query])).vectors[0]

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _embed_batch(self, texts: Sequence[str]) -> Embedded:
        """The vectors of a batch; when the server refuses it, of its texts one by one."""
        try:
            return Embedded(await self._ask(texts), (False,) * len(texts))
        except RefusedError:
            single = [await self._embed_shortened(text) for text in texts]
            return Embedded(np.stack([vector for vector, _ in single]), tuple(flag for _, flag in single))

    async def _embed_shortened(self, text: str) -> tuple[Vector, bool]:
        """The vector of as much of a text as the server takes, halved until it does, and whether it was."""
        length = len(text)
        while True:
            try:
                return (await self._ask([text[:length]]))[0], length < len(text)
            except RefusedError:
                if length <= SHORT_CHARACTERS:
                    raise
                length //= 2

    async def _ask(self, texts: Sequence[str]) -> Vector:
        """One request's vectors, asked for again while the server is busy or away."""
        body = {
            "model": self.model,
            "input": [sendable(text) for text in texts],
            "encoding_format": "float",
        } | self._wishes
        failed = 0
        while True:
            response, reason = await self._post(msgspec.json.encode(body))
            if response is not None and response.is_success:
                return self._vectors(response.content, len(texts))
            failed += 1
            pause = self._retries.pause_seconds(
                failed, response.headers.get("retry-after") if response is not None else None
            )
            if pause is None:
                raise self._unavailable(reason)
            await asyncio.sleep(pause)

    async def _post(self, body: bytes) -> tuple[httpx.Response | None, str]:
        """The server's answer, or none, and what is wrong with it; raises when asking again is of no use."""
        try:
            response = await self._client.post(
                self._address, content=body, headers={"content-type": "application/json"}
            )
        except httpx.TimeoutException as error:
            raise self._unavailable(f"did not answer within {self._timeout_seconds:g} s") from error
        except httpx.TransportError as error:
            return None, f"cannot be reached ({type(error).__name__})"
        except httpx.HTTPError as error:
            raise self._unavailable(f"sent what cannot be read ({type(error).__name__})") from error
        reason = f"answered {response.status_code} {response.reason_phrase}"
        if response.status_code in REFUSALS:
            raise RefusedError(self._sentence(reason))
        if response.is_success or response.is_server_error or response.status_code == TOO_MANY:
            return response, reason
        raise self._unavailable(reason)

    def _vectors(self, content: bytes, count: int) -> Vector:
        """The vectors of an answer, in the order of the texts."""
        try:
            items = sorted(msgspec.json.decode(content, type=Answer).data, key=lambda item: item.index)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._unavailable("sent an answer that is not of the embeddings format") from error
        if [item.index for item in items] != list(range(count)):
            raise self._unavailable(f"sent {len(items)} vectors for {count} texts, or numbered them wrongly")
        for length in {len(item.embedding) for item in items} - {self.dimensions}:
            raise self._unavailable(
                f"sent a vector of length {length} where {self.dimensions} is set; "
                f"set GRAPHMEM_EMBEDDER__DIMENSIONS={length} if {self.model} is the model you want"
            )
        return self._checked(np.array([item.embedding for item in items], dtype=np.float64))

    def _checked(self, vectors: NDArray[np.float64]) -> Vector:
        """The vectors brought to length 1, which each must have a direction for."""
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(vectors, axis=1)
        if not np.all(np.isfinite(lengths) & (lengths > 0)):
            raise self._unavailable("sent a vector without a direction (all zeros, or too large)")
        return unit_length(vectors)

    def _unavailable(self, reason: str) -> ModelUnavailableError:
        return ModelUnavailableError(self._sentence(reason))

    def _sentence(self, reason: str) -> str:
        """A sentence that names the server without the credentials its address may have."""
        place = f"{self._address.scheme}://{self._address.netloc.decode('ascii')}{self._address.path}"
        return f"The embedding server {place} {reason} (model {self.model})."


def sendable(text: str) -> str:
    """The text with half surrogates replaced, which JSON cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def embeddings_address(url: str) -> httpx.URL:
    """Where the vectors are asked for.

    >>> embeddings_address("http://localhost:11434/v1/")
    URL('http://localhost:11434/v1/embeddings')
    """
    try:
        address = httpx.URL(url.strip().rstrip("/").removesuffix("/embeddings") + "/embeddings")
    except httpx.InvalidURL as error:
        raise SettingsError(f"GRAPHMEM_EMBEDDER__URL is not an address: {error}.") from error
    if address.scheme not in {"http", "https"} or not address.host:
        raise SettingsError(
            "GRAPHMEM_EMBEDDER__URL must be the address of a server up to /v1, such as http://localhost:11434/v1, "
            "when GRAPHMEM_EMBEDDER__KIND is openai."
        )
    return address


def authorization(api_key: str) -> dict[str, str]:
    """The header that carries the key, or none."""
    key = api_key.strip()
    if not (key.isascii() and key.isprintable()):
        raise SettingsError("GRAPHMEM_EMBEDDER__API_KEY has characters that no key has: copy it again.")
    return {"authorization": f"Bearer {key}"} if key else {}


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, which no proxy of the environment can reach for us.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("api.openai.com")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
