"""Graphiti at home in our graph: it finds its indexes, its search our facts; what it may retire shares an entity."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import msgspec
import numpy as np
import pytest

from graphmem.memory import NewEpisode, NewFact
from graphmem.service import Service, open_service
from graphmem.settings import Neo4j, Settings
from graphmem.stores.graphiti.candidates import Candidates
from graphmem.stores.graphiti.clients import Asking, Embedding, NoReranking

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
INDEXES = """
    SHOW INDEXES YIELD type, entityType, labelsOrTypes, properties
    WHERE type <> 'LOOKUP'
    RETURN type, entityType, labelsOrTypes, properties
"""


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    """A service with the graph, the extractor and the embedder."""
    async with open_service(msgspec.structs.replace(settings, neo4j=neo4j_settings)) as opened:
        await opened.claim_vectors()
        yield opened


async def test_graphitis_own_search_finds_what_the_local_extractor_wrote(
    service: Service, neo4j_settings: Neo4j, namespace: str
) -> None:
    from graphiti_core import Graphiti
    from graphiti_core.driver.neo4j_driver import Neo4jDriver
    from graphiti_core.search.search_config_recipes import COMBINED_HYBRID_SEARCH_RRF

    async def never(*_: object) -> dict[str, Any]:
        raise AssertionError("no language model is needed to search")

    async def embed(texts: Sequence[str]) -> np.ndarray:
        assert service.embedder is not None
        return (await service.embedder.embed_texts(texts)).vectors

    new = NewEpisode(id="a", content="I live in Paris. I work at Orange.", speaker="Ann")
    await service.ingester.add(namespace, new, now=NOW)
    await service.drainer.drain(namespace)
    await service.postgres.rows("update job set due_at = now() where kind = 'embed'")
    await service.drainer.drain(namespace)
    assert service.graph is not None
    before = await service.graph.run(INDEXES)

    # Made where no loop runs, it does not build indexes in the background.
    driver = await asyncio.to_thread(Neo4jDriver, neo4j_settings.uri, neo4j_settings.user, neo4j_settings.password)
    graphiti = Graphiti(
        graph_driver=driver, llm_client=Asking(never), embedder=Embedding(embed), cross_encoder=NoReranking()
    )
    await graphiti.build_indices_and_constraints()
    config = deepcopy(COMBINED_HYBRID_SEARCH_RRF)
    found = await graphiti.search_("Where does Ann live?", config=config, group_ids=[namespace])
    await graphiti.close()

    assert await service.graph.run(INDEXES) == before
    assert "Ann lives in Paris." in {edge.fact for edge in found.edges}
    assert {"Ann", "Paris"} <= {node.name for node in found.nodes}
    assert [episode.content for episode in found.episodes] == ["Ann: I live in Paris. I work at Orange."]


async def test_only_facts_that_share_an_entity_with_a_new_one_may_be_retired_by_it(
    service: Service, namespace: str
) -> None:
    from graphiti_core.search.search_filters import SearchFilters

    news = [
        NewFact(source="Ann", relation="captains", target="Reds", fact="Ann captains the Reds"),
        NewFact(source="Ben", relation="captains", target="Greens", fact="Ben captains the Greens"),
    ]
    await service.stater.state(namespace, news, now=NOW)
    assert service.projector is not None
    await service.projector.project(namespace)
    entities = await service.postgres.rows("select id::text, name from entity where namespace = %(n)s", n=namespace)
    [ann] = [row["id"] for row in entities if row["name"] == "Ann"]
    assert service.graph is not None
    assert service.embedder is not None
    words, ends = "Ann captains the Blues", [ann, "an entity that is new"]
    vector = (await service.embedder.embed_query(words)).tolist()
    pair = SearchFilters(edge_source_node_uuids=ends, edge_target_node_uuids=ends)

    candidates = Candidates(service.graph, namespace)
    same = await candidates.edge_fulltext_search(None, words, pair, [namespace], 20)
    same += await candidates.edge_similarity_search(None, vector, None, None, pair, [namespace], 20, 0.0)
    worded = await candidates.edge_fulltext_search(None, words, SearchFilters(), [namespace], 20)
    near = await candidates.edge_similarity_search(None, vector, None, None, SearchFilters(), [namespace], 20, 0.0)

    assert same == []
    assert [edge.fact for edge in worded] == ["Ann captains the Reds"]
    assert [edge.fact for edge in near] == ["Ann captains the Reds"]
