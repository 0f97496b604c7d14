"""The embedder and nothing else, in a process of its own: what storing and searching are measured against."""

import asyncio
import multiprocessing
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec
import numpy as np

from graphmem.ingest.intake import complete
from graphmem.memory import NewEpisode
from graphmem.models.embedder import Embedder, build_embedder
from graphmem.settings import load
from graphmem.stores.index_text import vector_text


@dataclass(frozen=True)
class BareEmbedder:
    """Measures in its process, one call at a time."""

    process: ProcessPoolExecutor

    def seconds(self, texts: Sequence[str]) -> float:
        """How long these take together."""
        return self.process.submit(timed, texts).result()[0]

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """What they become."""
        return self.process.submit(timed, texts).result()[1]


@contextmanager
def bare_embedder() -> Generator[BareEmbedder]:
    """The configured embedder, loaded and warm."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        bare = BareEmbedder(process)
        bare.seconds(["warm up"])
        yield bare


def index_texts(episodes: Sequence[dict[str, Any]]) -> list[str]:
    """The texts that the service embeds for these episodes."""
    news = msgspec.convert(list(episodes), list[NewEpisode])
    return [vector_text(complete(new, namespace="n", now=datetime.now(UTC))) for new in news]


def timed(texts: Sequence[str]) -> tuple[float, np.ndarray]:
    """In the other process: seconds and vectors."""
    begun = time.perf_counter()
    embedded = loop().run_until_complete(embedder().embed_texts(texts))
    return time.perf_counter() - begun, embedded.vectors


@cache
def embedder() -> Embedder:
    """One for the process."""
    built = build_embedder(load())
    if built is None:
        raise SystemExit("There is nothing to measure against: GRAPHMEM_EMBEDDER__KIND is none.")
    return built


@cache
def loop() -> asyncio.AbstractEventLoop:
    """One for the process: the embedder's thread answers to it."""
    return asyncio.new_event_loop()
