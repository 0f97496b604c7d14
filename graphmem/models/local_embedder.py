"""Vectors made in this process, by the model in the cache folder."""

import itertools
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from graphmem.errors import ModelUnavailableError
from graphmem.models import onnx_model
from graphmem.models.embedder import Embedded, Vector
from graphmem.models.model_thread import ModelThread
from graphmem.models.onnx_model import OnnxModel, Tokens
from graphmem.settings import Embedder as EmbedderSettings

T = TypeVar("T")

QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
LANGUAGES = ("en",)
# Larger calls are no faster, take more memory, and keep a question waiting for longer.
TOKENS_A_CALL = 512
TEXTS_TOKENISED_AT_ONCE = 64
QUERY_PATIENCE_SECONDS = 0.0
TEXT_PATIENCE_SECONDS = 2.0


class LocalEmbedder:
    """bge-small-en-v1.5, loaded when first used; questions go before texts, and no call to the model is long."""

    languages = LANGUAGES

    def __init__(self, folder: Path, settings: EmbedderSettings) -> None:
        self.model = settings.model
        self.dimensions = settings.dimensions
        self._folder = folder
        self._threads = settings.threads
        self._batch_size = settings.batch_size
        self._thread = ModelThread("embedder")
        self._loaded: OnnxModel | None = None

    def ready(self) -> str | None:
        """What is missing on this machine, with the remedy; None when the model is loaded or can be."""
        return None if self._loaded else onnx_model.missing(self._folder)

    async def embed_texts(self, texts: Sequence[str]) -> Embedded:
        """The vectors of texts to be found; read up to 512 tokens."""
        tokens: list[Tokens] = []
        for piece in pieces(texts, TEXTS_TOKENISED_AT_ONCE):
            tokens += await self._thread.run(partial(self._tokens, piece), patience_seconds=TEXT_PATIENCE_SECONDS)
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for batch in batches([len(t.ids) for t in tokens], max_texts=self._batch_size, max_tokens=TOKENS_A_CALL):
            ids = [tokens[position].ids for position in batch]
            vectors[batch] = await self._thread.run(partial(self._vectors, ids), patience_seconds=TEXT_PATIENCE_SECONDS)
        return Embedded(vectors, tuple(t.truncated for t in tokens))

    async def embed_query(self, query: str) -> Vector:
        """The vector of a question, before all texts that wait."""
        return await self._thread.run(partial(self._query_vector, query), patience_seconds=QUERY_PATIENCE_SECONDS)

    async def close(self) -> None:
        """Let the thread end and the model go."""
        self._thread.close()
        self._loaded = None

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        return self._model().tokens(texts)

    def _vectors(self, ids: Sequence[list[int]]) -> Vector:
        return self._model().vectors(ids)

    def _query_vector(self, query: str) -> Vector:
        model = self._model()
        (tokens,) = model.tokens([QUERY_PREFIX + query])
        return model.vectors([tokens.ids])[0]

    def _model(self) -> OnnxModel:
        """The model, loaded by the first call; a failure is tried again next time."""
        if self._loaded is None:
            model = onnx_model.loaded(self._folder, threads=self._threads)
            if model.dimensions != self.dimensions:
                raise ModelUnavailableError(
                    f"{self.model} makes vectors of length {model.dimensions}: "
                    f"set GRAPHMEM_EMBEDDER__DIMENSIONS={model.dimensions}."
                )
            self._loaded = model
        return self._loaded


def pieces(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The items in runs of at most `size`."""
    return (items[start : start + size] for start in range(0, len(items), size))


def batches(lengths: Sequence[int], *, max_texts: int, max_tokens: int) -> list[list[int]]:
    """The positions of texts that go to the model together: equally long ones, longest first, within both limits.

    >>> batches([3, 5, 3, 3], max_texts=2, max_tokens=100)
    [[1], [0, 2], [3]]
    """
    longest_first = sorted(range(len(lengths)), key=lambda position: -lengths[position])
    return [
        list(batch)
        for length, group in itertools.groupby(longest_first, key=lambda position: lengths[position])
        for batch in pieces(list(group), max(1, min(max_texts, max_tokens // length)))
    ]
