"""One episode, read by a real language model: too small for good sense, but it answers as models do."""

import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from graphmem.memory import NewEpisode
from graphmem.service import open_service
from graphmem.settings import LanguageModel, Neo4j, Settings, Worker
from tests.graphs import graph_of
from tests.models.local_server import real_model

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif("TEST_WITH_MODEL" not in os.environ, reason="takes minutes of a processor: make test-model"),
]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


async def test_a_real_model_reads_an_episode_from_end_to_end(
    settings: Settings, neo4j_settings: Neo4j, namespace: str, tmp_path: Path
) -> None:
    with real_model(Path(settings.cache_dir), tmp_path / "model.log") as url:
        model = LanguageModel(url=url, model="smollm2", timeout_seconds=900, max_tokens=500)
        once = Worker(max_attempts=1)
        whole = msgspec.structs.replace(settings, neo4j=neo4j_settings, language_model=model, worker=once)
        async with open_service(whole) as service:
            await service.claim_vectors()
            new = NewEpisode(id="a", content="Ben lives in Paris.", speaker="Ann")
            await service.ingester.add(namespace, new, now=NOW)
            await service.drainer.drain(namespace)
            job = (await service.jobs.of_episode(namespace, "a"))[-1]
            graph = await graph_of(service, namespace)
            [reading] = await service.postgres.rows("select model from reading where namespace = %(n)s", n=namespace)
            assert service.rebuilder is not None
            await service.rebuilder.rebuild(namespace)

            assert (job.kind, job.state, job.error) == ("read", "done", None)
            assert job.cost["calls"] >= 2
            assert job.cost["tokens"] > 1000
            assert reading == {"model": "smollm2"}
            assert await graph_of(service, namespace) == graph
