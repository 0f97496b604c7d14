"""From an episode to knowledge: what it names and says goes into the ledger, and from there into the graph."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec import structs

from graphmem.ingest.own_words import fingerprints, own_words
from graphmem.ingest.project import Projector
from graphmem.ingest.record import Recorder, Said
from graphmem.ledger import Mention, Statement, entity_uuid, named_uuid
from graphmem.memory import Episode, StatedFact
from graphmem.models.embedder import Embedder
from graphmem.models.extractor import Extraction, Extractor, Source
from graphmem.names import normalised
from graphmem.relations import canonical
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.handed_out import HandedOut
from graphmem.stores.jobs import JobStore
from graphmem.stores.named_vectors import NamedVectors
from graphmem.stores.readings import ReadingStore

WHOLE_NAMESPACE = ""


@dataclass(frozen=True)
class Names:
    """Which entity follows from a name by itself; what it means besides is found when it is written down."""

    namespace: str

    def entity(self, name: str) -> str:
        """The entity's uuid."""
        return entity_uuid(self.namespace, normalised(name))


@dataclass(frozen=True)
class ExtractHandler:
    """Understands episodes; what they said before is replaced, what is gone is taken back.

    It looks at what is there now, not at what happened, so the order and number of calls do not matter. What a language
    model has read of an episode as it is stays; with `asks`, the others are put down to be read by one.
    """

    episodes: EpisodeStore
    handed_out: HandedOut
    recorder: Recorder
    readings: ReadingStore
    extractor: Extractor | None
    embedder: Embedder | None
    projector: Projector | None
    asks: JobStore | None = None

    async def __call__(self, namespace: str, ids: Sequence[str]) -> None:
        """Bring the ledger, then the graph, in step with some episodes."""
        if WHOLE_NAMESPACE in ids and self.projector is not None:
            await self.projector.rebuild(namespace)
        named = [episode_id for episode_id in ids if episode_id != WHOLE_NAMESPACE]
        read = await self.readings.read_by_now(namespace, named)
        unread = [episode_id for episode_id in named if episode_id not in read]
        present = await self.episodes.find(namespace, unread)
        readable = [episode for episode in present.values() if episode.origin != "recalled"]
        said = await self.said_in(namespace, await in_own_words(self.handed_out, readable))
        await self.recorder.record(namespace, said, instead_of=unread)
        if self.embedder is not None:
            await NamedVectors(self.recorder.postgres).ask(namespace)
        if self.asks is not None:
            await self.asks.ask_to_read(namespace, [episode.id for episode in readable])
        if self.projector is not None:
            await self.projector.project(namespace)

    async def said_in(self, namespace: str, episodes: Sequence[Episode]) -> Said:
        """What episodes name and say, by the extractor and by what was stated with them."""
        found = await self.extractions(episodes)
        names = Names(namespace)
        mentions = [m for e, x in zip(episodes, found, strict=True) for m in mentions_of(e, x, names)]
        statements = [s for e, x in zip(episodes, found, strict=True) for s in statements_of(e, x, names)]
        stated = {s.fixed_fact: s.text for s in statements if s.fixed_fact}
        return Said(mentions, statements, await fact_vectors(self.embedder, stated))

    async def extractions(self, episodes: Sequence[Episode]) -> list[Extraction]:
        """What the extractor finds; nothing without one."""
        if self.extractor is None or not episodes:
            return [Extraction() for _ in episodes]
        return await self.extractor.extract(
            [Source(content=e.content, occurred_at=e.occurred_at, speaker=e.speaker, title=e.title) for e in episodes]
        )


async def in_own_words(handed_out: HandedOut, episodes: Sequence[Episode]) -> list[Episode]:
    """Episodes of one namespace as they are to be read: without what memory handed out lately and they only repeat."""
    if not episodes:
        return []
    lines = {line for episode in episodes for line in fingerprints(episode.content)}
    repeated = await handed_out.among(episodes[0].namespace, lines)
    return [structs.replace(episode, content=own_words(episode.content, repeated)) for episode in episodes]


async def fact_vectors(embedder: Embedder | None, facts: Mapping[str, str]) -> dict[str, str]:
    """The vectors of facts by their text, as Postgres reads them; none without an embedder."""
    if embedder is None or not facts:
        return {}
    embedded = await embedder.embed_texts([text.replace("\n", " ") for text in facts.values()])
    return dict(zip(facts, map(pgvector, embedded.vectors), strict=True))


def pgvector(vector: Iterable[float]) -> str:
    """A vector as Postgres reads it.

    >>> pgvector([0.5, 1 / 3])
    '[0.5,0.333333]'
    """
    return "[" + ",".join(f"{number:.6g}" for number in vector) + "]"


def names_in(episode: Episode, found: Extraction) -> Iterator[str]:
    """Every name an episode uses."""
    yield from (entity.name for entity in found.entities)
    yield from (end for fact in episode.facts for end in (fact.source, fact.target))
    yield from (end for fact in found.facts for end in (fact.source, fact.target))
    if episode.speaker and normalised(episode.speaker):
        yield episode.speaker


def mentions_of(episode: Episode, found: Extraction, names: Names) -> list[Mention]:
    """Whom an episode names, each once, its speaker too; a stated name or type outranks what the extractor found."""
    types: dict[str, tuple[str, str | None]] = {}
    for name in names_in(episode, found):
        if normalised(name):
            types.setdefault(names.entity(name), (name, None))
    for entity in found.entities:
        if normalised(entity.name):
            types[names.entity(entity.name)] = (entity.name, entity.type)
    if episode.speaker and normalised(episode.speaker):
        types[names.entity(episode.speaker)] = (episode.speaker, "person")
    for fact in episode.facts:
        for name, kind in ((fact.source, fact.source_type), (fact.target, fact.target_type)):
            types[names.entity(name)] = (name, kind or types[names.entity(name)][1])
    return [
        Mention(
            episode=episode.id, named=entity, entity=entity, name=name[:500], type=kind, created_at=episode.created_at
        )
        for entity, (name, kind) in types.items()
    ]


def statements_of(episode: Episode, found: Extraction, names: Names) -> list[Statement]:
    """What an episode says about pairs: as stated with it, and as found in it."""
    stated = [
        stated_statement(fact, names, episode=episode.id, created_at=episode.created_at) for fact in episode.facts
    ]
    local: dict[str, Statement] = {}
    for fact in found.facts:
        source, target = names.entity(fact.source), names.entity(fact.target)
        identity = named_uuid("statement", names.namespace, episode.id, source, fact.relation, target)
        local[identity] = Statement(
            id=identity,
            episode=episode.id,
            named_source=source,
            named_target=target,
            source=source,
            relation=fact.relation,
            target=target,
            text=fact.fact[:4000],
            valid_at=fact.valid_at,
            invalid_at=fact.invalid_at,
            ends=fact.valid_at is None and fact.invalid_at is not None,
            origin="local",
            fixed_fact=None,
            created_at=episode.created_at,
        )
    return [*stated, *local.values()]


def stated_statement(fact: StatedFact, names: Names, *, episode: str, created_at: datetime) -> Statement:
    """What a caller states: a fact of its own, known by its source, relation, target and wording."""
    source, relation, target = names.entity(fact.source), canonical(fact.relation), names.entity(fact.target)
    fact_id = named_uuid("stated", names.namespace, source, relation, target, fact.fact)
    return Statement(
        id=named_uuid("statement", names.namespace, episode, fact_id),
        episode=episode,
        named_source=source,
        named_target=target,
        source=source,
        relation=relation,
        target=target,
        text=fact.fact,
        valid_at=fact.valid_at,
        invalid_at=fact.invalid_at,
        ends=False,
        origin="stated",
        fixed_fact=fact_id,
        created_at=created_at,
    )
