"""Opens stores and models, and builds what http and cli call."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import time
from zoneinfo import available_timezones

from graphmem.consolidate.consolidator import ConsolidateHandler, Consolidator
from graphmem.consolidate.nightly import Means, Nightly
from graphmem.consolidate.schedule import Schedule
from graphmem.errors import SettingsError
from graphmem.evaluate.replay import Evaluator
from graphmem.evaluate.waiting import Evaluations
from graphmem.ingest.drain import Drainer
from graphmem.ingest.handlers import Models, handlers_of, open_graph
from graphmem.ingest.pipeline import Ingester
from graphmem.ingest.project import Projector
from graphmem.ingest.rebuild import Rebuilder
from graphmem.ingest.record import Recorder
from graphmem.ingest.stating import Stater
from graphmem.models.embedder import Embedder, build_embedder
from graphmem.models.extractor import Extractor, build_extractor
from graphmem.models.language_model import LanguageModel, build_language_model
from graphmem.models.reranker import build_reranker
from graphmem.models.retries import Retries
from graphmem.recall.accesses import Accesses
from graphmem.recall.asking import Asking
from graphmem.recall.briefing import Briefer
from graphmem.recall.expand import Expander
from graphmem.recall.judging import Judge
from graphmem.recall.legs.graph import GraphLeg
from graphmem.recall.legs.keyword import KeywordLeg
from graphmem.recall.legs.leg import Leg
from graphmem.recall.legs.vector import VectorLeg
from graphmem.recall.pipeline import Recaller
from graphmem.recall.preferences import Preferences
from graphmem.recall.propagation import Propagation
from graphmem.recall.surroundings import Surroundings
from graphmem.settings import Night, Settings
from graphmem.stores.accesses import AccessStore
from graphmem.stores.archive import ArchiveStore
from graphmem.stores.changes import ChangeStore
from graphmem.stores.consolidations import ConsolidationStore
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.evaluations import EvaluationStore
from graphmem.stores.fact_search import FactSearch
from graphmem.stores.facts import FactStore
from graphmem.stores.graph import GraphStore
from graphmem.stores.handed_out import HandedOut
from graphmem.stores.jobs import JobStore
from graphmem.stores.keys import KeyStore
from graphmem.stores.keywords import KeywordStore
from graphmem.stores.knowledge import KnowledgeStore
from graphmem.stores.ledger import LedgerStore
from graphmem.stores.named_vectors import NamedVectors
from graphmem.stores.names import NameStore
from graphmem.stores.namespaces import NamespaceStore
from graphmem.stores.natures import NatureStore
from graphmem.stores.neighbourhood import NeighbourhoodStore
from graphmem.stores.postgres import Postgres
from graphmem.stores.queue import Waker, open_queue
from graphmem.stores.spaces import SpaceStore
from graphmem.stores.surroundings import SurroundingsStore
from graphmem.stores.vectors import VectorStore

# Whoever asks a question does not wait for a server that was away a moment ago.
AT_ONCE = Retries(attempts=1)


@dataclass(frozen=True)
class Service:
    """The whole service inside one process."""

    settings: Settings
    postgres: Postgres
    graph: GraphStore | None
    embedder: Embedder | None
    extractor: Extractor | None
    language_model: LanguageModel | None
    keys: KeyStore
    namespaces: NamespaceStore
    episodes: EpisodeStore
    jobs: JobStore
    spaces: SpaceStore
    ledger: LedgerStore
    recorder: Recorder
    projector: Projector | None
    rebuilder: Rebuilder | None
    stater: Stater
    handed_out: HandedOut
    knowledge: KnowledgeStore
    archive: ArchiveStore
    preferences: Preferences
    waker: Waker
    ingester: Ingester
    recaller: Recaller
    briefer: Briefer
    accesses: Accesses
    evaluations: Evaluations
    drainer: Drainer
    consolidator: Consolidator
    schedule: Schedule | None

    async def claim_vectors(self) -> None:
        """Make sure that the stored vectors are the configured model's, and have those made that are lacking."""
        if self.embedder is not None:
            await self.spaces.claim(self.embedder.model, self.embedder.dimensions)
            await NamedVectors(self.postgres).ask_everywhere()


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
        graph = await stack.enter_async_context(open_graph(settings)) if with_graph else None
        embedder = build_embedder(settings)
        if embedder is not None:
            stack.push_async_callback(embedder.close)
        extractor = build_extractor(settings)
        if extractor is not None:
            stack.push_async_callback(extractor.close)
        language_model, quick = build_language_model(settings), build_language_model(settings, AT_ONCE)
        for model in (language_model, quick):
            if model is not None:
                stack.push_async_callback(model.close)
        reranker = build_reranker(settings, quick)
        if reranker is not None:
            stack.push_async_callback(reranker.close)
        models = Models(embedder, extractor, language_model, quick, reranker)
        queue = await stack.enter_async_context(open_queue(settings.postgres.dsn))
        yield assemble(settings, postgres, models, graph, Waker(queue))


def assemble(settings: Settings, postgres: Postgres, models: Models, graph: GraphStore | None, waker: Waker) -> Service:
    """Put the parts together."""
    episodes, jobs, ledger = EpisodeStore(postgres), JobStore(postgres), LedgerStore(postgres)
    namespaces = NamespaceStore(postgres, jobs)
    handed_out, preferences = HandedOut(postgres), Preferences(namespaces)
    recorder = Recorder(postgres, ledger, settings.graph.single_valued)
    projector = Projector(ledger, episodes, graph) if graph is not None else None
    recaller = build_recaller(settings, postgres, models, graph)
    handlers = handlers_of(settings, models, recorder, projector)
    drainer = Drainer(jobs, handlers, settings.worker)
    ingester = Ingester(postgres, episodes, namespaces, ChangeStore(postgres), models.embedder, waker)
    single_valued, work = settings.graph.single_valued, drainer.drain_episodes
    means = Means(graph, models.embedder, models.language_model, single_valued, work, ingester.forget)
    consolidator = built_night(settings, recorder, means, projector, waker)
    handlers["consolidate"] = ConsolidateHandler(consolidator.nightly)
    return Service(
        settings=settings,
        postgres=postgres,
        graph=graph,
        embedder=models.embedder,
        extractor=models.extractor,
        language_model=models.language_model,
        keys=KeyStore(postgres),
        namespaces=namespaces,
        episodes=episodes,
        jobs=jobs,
        spaces=SpaceStore(postgres),
        ledger=ledger,
        recorder=recorder,
        projector=projector,
        rebuilder=Rebuilder(jobs, projector) if projector is not None else None,
        handed_out=handed_out,
        stater=consolidator.stater,
        knowledge=KnowledgeStore(postgres),
        archive=ArchiveStore(postgres),
        preferences=preferences,
        waker=waker,
        ingester=ingester,
        recaller=recaller,
        briefer=Briefer(episodes, FactStore(postgres)),
        accesses=Accesses(AccessStore(postgres)),
        evaluations=Evaluations(Evaluator(recaller, preferences), EvaluationStore(postgres)),
        drainer=drainer,
        consolidator=consolidator,
        schedule=built_schedule(settings.night, consolidator, namespaces),
    )


def build_recaller(settings: Settings, postgres: Postgres, models: Models, graph: GraphStore | None) -> Recaller:
    """The read path, with the legs that there are stores and models for."""
    names, episodes = NameStore(postgres), EpisodeStore(postgres)
    surroundings = Surroundings(SurroundingsStore(postgres))
    legs: dict[str, Leg] = {"keyword": KeywordLeg(KeywordStore(postgres), surroundings)}
    facts = FactSearch(graph, postgres) if graph is not None else None
    near = NeighbourhoodStore(graph) if graph is not None else None
    if facts is not None:
        legs["graph"] = GraphLeg(facts, names, models.embedder)
    vector: VectorLeg | None = None
    if models.embedder is not None:
        vector = VectorLeg(models.embedder, VectorStore(postgres), surroundings)
        legs["vector"] = vector
    asking = Asking(legs, vector, Expander(models.quick, models.embedder))
    natures, propagation = NatureStore(postgres, episodes), Propagation(names, near, facts)
    judge = Judge(models.reranker, settings.reranker.timeout_seconds)
    return Recaller(asking, episodes, natures, FactStore(postgres), propagation, judge)


def built_night(
    settings: Settings, recorder: Recorder, means: Means, projector: Projector | None, waker: Waker
) -> Consolidator:
    """What does the runs of the night, and takes them back."""
    postgres = recorder.postgres
    jobs = JobStore(postgres)
    nightly = Nightly(ConsolidationStore(postgres), jobs, recorder, projector, means, settings.night.minutes)
    return Consolidator(nightly, Stater(recorder, jobs, means.embedder, projector, waker), waker)


def built_schedule(night: Night, consolidator: Consolidator, namespaces: NamespaceStore) -> Schedule | None:
    """What asks for the runs that are due; nothing where the night is left to those who ask."""
    if not night.enabled:
        return None
    if night.time_zone not in available_timezones():
        raise SettingsError(f"GRAPHMEM_NIGHT__TIME_ZONE: {night.time_zone} is not a time zone, as Europe/Paris is.")
    return Schedule(consolidator, namespaces, time.fromisoformat(night.at), night.time_zone)
