"""Opens stores and models, and builds what http and cli call."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from graphmem.errors import SettingsError
from graphmem.ingest.drain import Drainer, EmbedHandler, ExtractHandler, Handler
from graphmem.ingest.pipeline import Ingester
from graphmem.memory import JobKind
from graphmem.models.embedder import Embedder, build_embedder
from graphmem.recall.legs.keyword import KeywordLeg
from graphmem.recall.legs.leg import Leg
from graphmem.recall.legs.vector import VectorLeg
from graphmem.recall.pipeline import Recaller
from graphmem.recall.preferences import Preferences
from graphmem.settings import Settings
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.graph import GraphStore
from graphmem.stores.jobs import JobStore
from graphmem.stores.keys import KeyStore
from graphmem.stores.keywords import KeywordStore
from graphmem.stores.namespaces import NamespaceStore
from graphmem.stores.postgres import Postgres
from graphmem.stores.queue import Waker, open_queue
from graphmem.stores.spaces import SpaceStore
from graphmem.stores.vectors import VectorStore


@dataclass(frozen=True)
class Service:
    """The whole service inside one process."""

    settings: Settings
    postgres: Postgres
    graph: GraphStore | None
    embedder: Embedder | None
    keys: KeyStore
    namespaces: NamespaceStore
    episodes: EpisodeStore
    jobs: JobStore
    spaces: SpaceStore
    preferences: Preferences
    waker: Waker
    ingester: Ingester
    recaller: Recaller
    drainer: Drainer

    async def claim_vectors(self) -> None:
        """Make sure that the stored vectors are the configured model's."""
        if self.embedder is not None:
            await self.spaces.claim(self.embedder.model, self.embedder.dimensions)


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncGenerator[Service]:
    """The service, open while the block runs; a part that is away is no error until it is needed."""
    if not settings.postgres.dsn:
        raise SettingsError(
            "GRAPHMEM_POSTGRES__DSN is not set: start everything with `graphmem up`, or name a Postgres."
        )
    async with AsyncExitStack() as stack:
        postgres = await stack.enter_async_context(
            Postgres.open(settings.postgres.dsn, pool_size=settings.postgres.pool_size)
        )
        with_graph = settings.neo4j.enabled and settings.neo4j.uri
        graph = await stack.enter_async_context(GraphStore.open(settings.neo4j)) if with_graph else None
        embedder = build_embedder(settings)
        if embedder is not None:
            stack.push_async_callback(embedder.close)
        queue = await stack.enter_async_context(open_queue(settings.postgres.dsn))
        yield assemble(settings, postgres, graph, embedder, Waker(queue))


def assemble(
    settings: Settings, postgres: Postgres, graph: GraphStore | None, embedder: Embedder | None, waker: Waker
) -> Service:
    """Put the parts together."""
    episodes, jobs, vectors = EpisodeStore(postgres), JobStore(postgres), VectorStore(postgres)
    namespaces = NamespaceStore(postgres, jobs)
    legs: dict[str, Leg] = {"keyword": KeywordLeg(KeywordStore(postgres))}
    handlers: dict[JobKind, Handler] = {}
    if embedder is not None:
        legs["vector"] = VectorLeg(embedder, vectors)
        handlers["embed"] = EmbedHandler(episodes, embedder)
    if graph is not None:
        handlers["extract"] = ExtractHandler(episodes, jobs, graph)
    return Service(
        settings=settings,
        postgres=postgres,
        graph=graph,
        embedder=embedder,
        keys=KeyStore(postgres),
        namespaces=namespaces,
        episodes=episodes,
        jobs=jobs,
        spaces=SpaceStore(postgres),
        preferences=Preferences(namespaces),
        waker=waker,
        ingester=Ingester(postgres, episodes, namespaces, embedder, waker),
        recaller=Recaller(legs, episodes),
        drainer=Drainer(jobs, handlers, settings.worker),
    )
