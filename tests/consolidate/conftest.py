"""A service for the night: with the graph, without models, so that a life says what it is told to."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from graphmem.service import Service, open_service
from graphmem.settings import Neo4j, Settings


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    """Postgres and Neo4j; facts are stated, nothing is extracted or embedded."""
    embedder = msgspec.structs.replace(settings.embedder, kind="none")
    extractor = msgspec.structs.replace(settings.extractor, kind="none")
    whole = msgspec.structs.replace(settings, neo4j=neo4j_settings, embedder=embedder, extractor=extractor)
    async with open_service(whole) as opened:
        yield opened
