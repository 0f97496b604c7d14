"""Questions asked before need no model."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from graphmem.errors import ModelUnavailableError
from graphmem.models.embedder import Embedded, Vector
from graphmem.models.query_cache import QueryCache

pytestmark = pytest.mark.anyio


class CountingEmbedder:
    """A stand-in that notes what it is asked and answers when it is let."""

    model = "counting"
    dimensions = 2
    languages = ("en",)

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.let = asyncio.Event()
        self.let.set()
        self.error: ModelUnavailableError | None = None
        self.closed = False

    def ready(self) -> str | None:
        return "not today"

    async def embed_texts(self, texts: Sequence[str]) -> Embedded:
        return Embedded(np.ones((len(texts), 2), np.float32), (False,) * len(texts))

    async def embed_query(self, query: str) -> Vector:
        self.asked.append(query)
        await self.let.wait()
        if self.error:
            raise self.error
        return np.array([len(self.asked), 0], np.float32)

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
async def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
async def cache(embedder: CountingEmbedder) -> QueryCache:
    return QueryCache(embedder, size=2)


async def begun(cache: QueryCache, query: str) -> asyncio.Task[Vector]:
    """The question, asked and on its way."""
    task = asyncio.create_task(cache.embed_query(query))
    for _ in range(3):
        await asyncio.sleep(0)
    return task


async def test_a_question_asked_again_is_remembered(cache: QueryCache, embedder: CountingEmbedder) -> None:
    first = await cache.embed_query("where?")
    second = await cache.embed_query("where?")

    assert second is first
    assert embedder.asked == ["where?"]


async def test_the_question_unused_for_longest_is_forgotten_first(
    cache: QueryCache, embedder: CountingEmbedder
) -> None:
    for query in ("a", "b", "a", "c", "a", "b"):
        await cache.embed_query(query)

    assert embedder.asked == ["a", "b", "c", "b"]


async def test_without_room_nothing_is_remembered(embedder: CountingEmbedder) -> None:
    cache = QueryCache(embedder, size=0)

    await cache.embed_query("where?")
    await cache.embed_query("where?")

    assert embedder.asked == ["where?", "where?"]


async def test_those_who_ask_the_same_at_once_share_one_answer(cache: QueryCache, embedder: CountingEmbedder) -> None:
    vectors = await asyncio.gather(*(cache.embed_query("where?") for _ in range(10)))

    assert embedder.asked == ["where?"]
    assert all(vector is vectors[0] for vector in vectors)


async def test_a_failure_reaches_all_who_wait_and_is_not_remembered(
    cache: QueryCache, embedder: CountingEmbedder
) -> None:
    embedder.error = ModelUnavailableError("away")
    outcomes = await asyncio.gather(*(cache.embed_query("where?") for _ in range(2)), return_exceptions=True)
    assert outcomes == [embedder.error, embedder.error]

    embedder.error = None
    await cache.embed_query("where?")

    assert embedder.asked == ["where?", "where?"]


async def test_one_who_stops_waiting_takes_nothing_from_the_others(
    cache: QueryCache, embedder: CountingEmbedder
) -> None:
    embedder.let.clear()
    impatient = await begun(cache, "where?")
    patient = await begun(cache, "where?")

    impatient.cancel()
    await asyncio.gather(impatient, return_exceptions=True)
    embedder.let.set()

    assert (await patient).tolist() == [1, 0]
    assert impatient.cancelled()
    assert embedder.asked == ["where?"]


async def test_an_answer_nobody_waits_for_any_more_is_still_remembered(
    cache: QueryCache, embedder: CountingEmbedder
) -> None:
    embedder.let.clear()
    only = await begun(cache, "where?")
    only.cancel()
    await asyncio.gather(only, return_exceptions=True)

    embedder.let.set()
    await cache.embed_query("where?")

    assert embedder.asked == ["where?"]


async def test_a_remembered_vector_cannot_be_written_to(cache: QueryCache) -> None:
    vector = await cache.embed_query("where?")

    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 5


async def test_closing_ends_what_is_being_asked_and_closes_the_model(
    cache: QueryCache, embedder: CountingEmbedder
) -> None:
    embedder.let.clear()
    waiting = await begun(cache, "where?")

    await cache.close()
    await asyncio.gather(waiting, return_exceptions=True)

    assert waiting.cancelled()
    assert embedder.closed


async def test_the_rest_is_the_model_s_own(cache: QueryCache) -> None:
    embedded = await cache.embed_texts(["a", "b"])

    assert (cache.model, cache.dimensions, cache.languages, cache.ready()) == ("counting", 2, ("en",), "not today")
    assert embedded.vectors.shape == (2, 2)
