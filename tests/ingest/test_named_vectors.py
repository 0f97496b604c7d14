"""Names and facts get the vectors they lack: soon after, when the embedder is back, when there is another model."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import msgspec
import numpy as np
import pytest

from graphmem.errors import ModelUnavailableError
from graphmem.ingest.embed import EmbedHandler
from graphmem.memory import NewFact
from graphmem.models.embedder import Embedded
from graphmem.service import Service, open_service
from graphmem.settings import Neo4j, Settings
from graphmem.stores.named_vectors import NamedVectors
from tests.graphs import graph_of

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
BOAT = NewFact(source="Ann", relation="owns", target="a boat", fact="Ann owns a boat")


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    """A service with the graph and the embedder."""
    async with open_service(msgspec.structs.replace(settings, neo4j=neo4j_settings)) as opened:
        await opened.claim_vectors()
        yield opened


async def vectors(service: Service, namespace: str) -> dict[str, tuple[int, int | None]]:
    """Of each entity and fact, the length of its vector and the space it is of; length 0 without one."""
    rows = await service.postgres.rows(
        """
        select name, vector, space from entity where namespace = %(n)s
        union all select fact, vector, space from fact where namespace = %(n)s
        """,
        n=namespace,
    )
    return {row["name"]: (row["vector"].dimensions() if row["vector"] else 0, row["space"]) for row in rows}


async def test_what_is_stated_while_the_embedder_is_away_gets_its_vectors_by_a_job(
    service: Service, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise ModelUnavailableError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(type(service.embedder), "embed_texts", away)
        await service.stater.state(namespace, [BOAT], now=NOW)
    before = await vectors(service, namespace)
    await service.postgres.rows("update job set due_at = now() where kind = 'embed'")
    await service.drainer.drain(namespace)
    after, graph = await vectors(service, namespace), await graph_of(service, namespace)

    assert set(before.values()) == {(0, None)}
    assert {length for length, _ in after.values()} == {384}
    assert sum("name_embedding" in row for row in graph) == 2
    assert sum("fact_embedding" in row for row in graph) == 1
    assert [job.state for job in await service.jobs.page(namespace, state="waiting", limit=9, after=None)] == []


async def test_another_models_vectors_are_made_anew_and_only_the_active_models_are_kept(
    service: Service, namespace: str
) -> None:
    class Other:
        model = "other"

        async def embed_texts(self, texts: list[str]) -> Embedded:
            return Embedded(np.eye(len(texts), 3, dtype=np.float32), (False,) * len(texts))

    await service.stater.state(namespace, [BOAT], now=NOW)
    handler = EmbedHandler(service.episodes, NamedVectors(service.postgres), Other(), service.projector)  # pyright: ignore
    with pytest.raises(ModelUnavailableError, match="not made by other"):
        await handler(namespace, [""])
    await service.postgres.rows("update vector_space set active = false")
    await service.postgres.rows("insert into vector_space (model, dimensions, active) values ('other', 3, true)")

    await NamedVectors(service.postgres).ask_everywhere()
    asked = {job.kind for job in await service.jobs.page(namespace, state="waiting", limit=9, after=None)}
    await handler(namespace, [""])

    found = await vectors(service, namespace)
    assert "embed" in asked
    assert {length for length, _ in found.values()} == {3}
    assert len({space for _, space in found.values()}) == 1
