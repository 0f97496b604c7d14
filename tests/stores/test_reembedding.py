"""Another model takes over without a moment in which search does not answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pytest

from graphmem.errors import ModelUnavailableError, SettingsError
from graphmem.ingest.embed import EmbedHandler
from graphmem.ingest.reembed import Reembedder
from graphmem.memory import NewEpisode
from graphmem.models.embedder import Embedded
from graphmem.service import Service
from graphmem.stores.filters import Scope
from graphmem.stores.named_vectors import NamedVectors
from graphmem.stores.reembedding import ReembeddingStore
from graphmem.stores.vectors import VectorStore

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass(frozen=True)
class LetterCounts:
    """A small deterministic model: how often each letter stands in the text."""

    model: str = "letters"
    dimensions: int = 26
    languages: tuple[str, ...] = ()

    def ready(self) -> str | None:
        return None

    async def embed_texts(self, texts: Sequence[str]) -> Embedded:
        counts = np.array([[1 + text.lower().count(chr(97 + i)) for i in range(26)] for text in texts], np.float32)
        return Embedded(counts / np.linalg.norm(counts, axis=1, keepdims=True), tuple(False for _ in texts))

    async def embed_query(self, query: str) -> np.ndarray:
        return (await self.embed_texts([query])).vectors[0]

    async def close(self) -> None:
        return None


async def nearest(service: Service, model: LetterCounts, namespace: str, text: str) -> list[str]:
    vector = await model.embed_query(text)
    answer = await VectorStore(service.postgres).nearest(vector, Scope(namespace), model=model.model, limit=5)
    return [hit.memory_id for hit in answer.hits]


async def test_another_model_is_refused_with_the_remedy(service: Service, namespace: str) -> None:
    await service.ingester.add(namespace, NewEpisode(content="a cat"), now=NOW)

    with pytest.raises(SettingsError, match="graphmem reembed"):
        await service.spaces.claim("letters", 26)


async def test_before_the_first_vector_another_model_is_taken(service: Service) -> None:
    await service.spaces.claim("letters", 26)
    await service.spaces.claim("bge-small-en-v1.5", 384)


async def test_reembedding_switches_all_vectors_and_queues_those_written_meanwhile(
    service: Service, namespace: str
) -> None:
    news = [NewEpisode(id="zebra", content="zzzz zzzz"), NewEpisode(id="apple", content="aaaa aaaa")]
    await service.ingester.add_batch(namespace, news, now=NOW)
    model = LetterCounts()
    run = Reembedder(ReembeddingStore(service.postgres), model).run()

    await anext(run)
    await anext(run)
    await service.ingester.add(namespace, NewEpisode(id="late", content="zzz zz z"), now=NOW)
    async for _ in run:
        pass

    assert sorted((found := await nearest(service, model, namespace, "zzzz"))[:2]) == ["late", "zebra"]
    assert found[2:] == ["apple"]
    old = np.zeros(384, np.float32)
    with pytest.raises(ModelUnavailableError):
        await VectorStore(service.postgres).nearest(old, Scope(namespace), model="bge-small-en-v1.5", limit=5)


async def test_a_job_makes_the_vector_of_an_episode_the_switch_left_out(service: Service, namespace: str) -> None:
    await service.ingester.add(namespace, NewEpisode(id="a", content="aaaa"), now=NOW)
    store, model = ReembeddingStore(service.postgres), LetterCounts()
    space = await store.begin(model.model, model.dimensions)
    assert space is not None
    await store.index()
    await store.switch(space, job="01890000-0000-7000-8000-000000000000")
    assert await nearest(service, model, namespace, "aaaa") == []

    jobs = await service.jobs.of_episode(namespace, "a")
    await EmbedHandler(service.episodes, NamedVectors(service.postgres), model, None)(namespace, ["a"])

    assert [(job.kind, job.state) for job in jobs] == [("embed", "waiting"), ("extract", "waiting")]
    assert await nearest(service, model, namespace, "aaaa") == ["a"]


async def test_an_interrupted_run_goes_on_where_it_was(service: Service, namespace: str) -> None:
    await service.ingester.add_batch(namespace, [NewEpisode(content=f"text {n}") for n in range(5)], now=NOW)
    store, model = ReembeddingStore(service.postgres), LetterCounts()
    first = Reembedder(store, model).run()
    await anext(first)
    await anext(first)
    await first.aclose()

    counted = await anext(Reembedder(store, model).run())

    assert (counted.made, counted.episodes) == (5, 5)


async def test_old_vectors_are_never_stored_after_the_switch(service: Service, namespace: str) -> None:
    model = LetterCounts()
    await service.ingester.add(namespace, NewEpisode(id="a", content="aaaa"), now=NOW)
    async for _ in Reembedder(ReembeddingStore(service.postgres), model).run():
        pass

    outcome, _ = await service.ingester.add(namespace, NewEpisode(id="b", content="bbbb"), now=NOW)

    assert outcome.pending == ("vector",)
    assert service.embedder is not None
    with pytest.raises(ModelUnavailableError):
        await EmbedHandler(service.episodes, NamedVectors(service.postgres), service.embedder, None)(namespace, ["b"])
