"""Who does which job, with the models that the settings give."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cache

from graphmem.ingest.drain import Handler
from graphmem.ingest.embed import EmbedHandler
from graphmem.ingest.extract import ExtractHandler
from graphmem.ingest.project import Projector
from graphmem.ingest.read import Reader, ReadHandler, Understander
from graphmem.ingest.record import Recorder
from graphmem.ingest.stating import ProjectHandler
from graphmem.memory import JobKind
from graphmem.models.embedder import Embedder
from graphmem.models.extractor import Extractor
from graphmem.models.language_model import LanguageModel
from graphmem.models.reranker import Reranker
from graphmem.settings import Settings, extraction, meanings
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.graph import GraphStore
from graphmem.stores.handed_out import HandedOut
from graphmem.stores.jobs import JobStore
from graphmem.stores.named_vectors import NamedVectors
from graphmem.stores.readings import ReadingStore


@dataclass(frozen=True)
class Models:
    """The models a service has; the quick one is the language model for what a question waits for, asked only once."""

    embedder: Embedder | None
    extractor: Extractor | None
    language_model: LanguageModel | None
    quick: LanguageModel | None
    reranker: Reranker | None


def open_graph(settings: Settings) -> AbstractAsyncContextManager[GraphStore]:
    """The graph, which knows the types of entities that the settings add to ours."""
    labels = frozenset(name.capitalize() for name in meanings(settings.extractor.entity_types))
    return GraphStore.open(settings.neo4j, labels=labels)


def handlers_of(
    settings: Settings, models: Models, recorder: Recorder, projector: Projector | None
) -> dict[JobKind, Handler]:
    """What does each kind of job; there is none for a kind that needs what is not there."""
    postgres = recorder.postgres
    episodes, handed_out, readings = EpisodeStore(postgres), HandedOut(postgres), ReadingStore(postgres)
    understander = understander_of(settings, models, projector, readings)
    asks = JobStore(postgres) if understander is not None else None
    extract = ExtractHandler(
        episodes, handed_out, recorder, readings, models.extractor, models.embedder, projector, asks
    )
    # What waits for a language model that is no longer set is extracted in its place.
    handlers: dict[JobKind, Handler] = {"extract": extract, "read": extract}
    if projector is not None:
        handlers["project"] = ProjectHandler(projector)
    if projector is not None and understander is not None:
        handlers["read"] = ReadHandler(episodes, handed_out, recorder, projector, understander)
    if models.embedder is not None:
        handlers["embed"] = EmbedHandler(episodes, NamedVectors(postgres), models.embedder, projector)
    return handlers


def understander_of(
    settings: Settings, models: Models, projector: Projector | None, readings: ReadingStore
) -> Understander | None:
    """What reads episodes with the language model; None where the settings have another read them, or nobody."""
    if extraction(settings) != "model" or models.language_model is None or projector is None:
        return None
    reader, budget = reader_of(settings, projector.graph), settings.language_model.monthly_tokens
    return Understander(models.language_model, models.embedder, reader, readings, budget)


def reader_of(settings: Settings, graph: GraphStore) -> Callable[[], Reader]:
    """Graphiti over our graph, imported when it is first needed: it takes a second and 100 MB."""

    @cache
    def load() -> Reader:
        from graphmem.stores.graphiti.reader import GraphitiReader

        types = settings.extractor
        return GraphitiReader(graph, meanings(types.entity_types), meanings(types.relation_types))

    return load
