"""Vectors made by a server that speaks `/v1/embeddings`: Ollama, vLLM, LM Studio, OpenAI."""

from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from graphmem.models.embedder import Embedded, Vector, unit_length
from graphmem.models.model_server import ModelServer, RefusedError, authorization, endpoint, sendable
from graphmem.models.retries import Retries
from graphmem.settings import Embedder as EmbedderSettings

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


class OpenAIEmbedder:
    """A client of one model on one server; no message of its errors has a text or the key in it."""

    languages: tuple[str, ...] = ()

    def __init__(self, settings: EmbedderSettings, retries: Retries | None = None) -> None:
        self.model = settings.model
        self.dimensions = settings.dimensions
        self._batch_size = settings.batch_size
        # OpenAI shortens the vectors of these when asked; other servers refuse or ignore the wish.
        self._wishes = {"dimensions": self.dimensions} if "text-embedding-3" in self.model else {}
        self._server = ModelServer(
            noun="embedding",
            model=settings.model,
            address=endpoint(settings.url, "/embeddings", "GRAPHMEM_EMBEDDER__URL"),
            headers=authorization(settings.api_key, "GRAPHMEM_EMBEDDER__API_KEY"),
            timeout_seconds=settings.timeout_seconds,
            retries=retries or Retries(),
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
        await self._server.close()

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
        """One request's vectors."""
        body = {
            "model": self.model,
            "input": [sendable(text) for text in texts],
            "encoding_format": "float",
        } | self._wishes
        return self._vectors(await self._server.ask(body), len(texts))

    def _vectors(self, content: bytes, count: int) -> Vector:
        """The vectors of an answer, in the order of the texts."""
        try:
            items = sorted(msgspec.json.decode(content, type=Answer).data, key=lambda item: item.index)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._server.unavailable("sent an answer that is not of the embeddings format") from error
        if [item.index for item in items] != list(range(count)):
            raise self._server.unavailable(f"sent {len(items)} vectors for {count} texts, or numbered them wrongly")
        for length in {len(item.embedding) for item in items} - {self.dimensions}:
            raise self._server.unavailable(
                f"sent a vector of length {length} where {self.dimensions} is set; "
                f"set GRAPHMEM_EMBEDDER__DIMENSIONS={length} if {self.model} is the model you want"
            )
        return self._checked(np.array([item.embedding for item in items], dtype=np.float64))

    def _checked(self, vectors: NDArray[np.float64]) -> Vector:
        """The vectors brought to length 1, which each must have a direction for."""
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(vectors, axis=1)
        if not np.all(np.isfinite(lengths) & (lengths > 0)):
            raise self._server.unavailable("sent a vector without a direction (all zeros, or too large)")
        return unit_length(vectors)
