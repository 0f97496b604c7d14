"""What turns text into vectors: the protocol, and the adapter that the settings name."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graphmem.settings import Settings

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Embedded:
    """The vectors of some texts, one a row and of length 1, and which texts were too long to be read to their end."""

    vectors: Vector
    truncated: tuple[bool, ...]


class Embedder(Protocol):
    """A model that turns text into vectors; all its failures are `ModelUnavailableError`."""

    @property
    def model(self) -> str:
        """Its name, stored with each vector."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it was made for; empty when that is not known."""
        ...

    def ready(self) -> str | None:
        """Why it cannot be used, as far as can be told without loading or calling anything; None when it can."""
        ...

    async def embed_texts(self, texts: Sequence[str]) -> Embedded:
        """The vectors of texts to be found, in the order of the texts."""
        ...

    async def embed_query(self, query: str) -> Vector:
        """The vector of a question; not to be written to."""
        ...

    async def close(self) -> None:
        """Let go of threads and connections."""
        ...


def build_embedder(settings: Settings) -> Embedder | None:
    """The embedder that the settings name, with its cache of questions; None for kind `none`."""
    from graphmem.models.local_embedder import LocalEmbedder
    from graphmem.models.openai_embedder import OpenAIEmbedder
    from graphmem.models.query_cache import QueryCache

    wanted = settings.embedder
    if wanted.kind == "none":
        return None
    if wanted.kind == "openai":
        return QueryCache(OpenAIEmbedder(wanted), size=wanted.cache_size)
    folder = Path(settings.cache_dir) / "models" / wanted.model
    return QueryCache(LocalEmbedder(folder, wanted), size=wanted.cache_size)


def unit_length(vectors: NDArray[Any]) -> Vector:
    """The rows, each divided by its length.

    >>> unit_length(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]], dtype=float32)
    """
    exact = vectors.astype(np.float64)
    return (exact / np.linalg.norm(exact, axis=1, keepdims=True)).astype(np.float32)
