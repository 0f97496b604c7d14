"""Reading episodes with a language model: each once as it is, within the namespace's budget.

ledger ──> graph ──> Graphiti over our model ──> decisions ──> ledger, in one transaction with the note that it was read
                                                                 └──> graph

Until that transaction nothing is written but what the answers cost, so it may be killed anywhere and run again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec
import numpy as np

from graphmem.errors import BudgetSpentError, ModelAnswerError, ModelUnavailableError
from graphmem.ingest.extract import in_own_words
from graphmem.ingest.project import Projector
from graphmem.ingest.record import Recorder
from graphmem.ingest.understanding import Known, Understanding, asked_of
from graphmem.ledger import Reading
from graphmem.memory import Episode
from graphmem.models.embedder import Embedder
from graphmem.models.language_model import LanguageModel, Message
from graphmem.models.model_server import UnreachableError
from graphmem.models.schemas import bounded
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.handed_out import HandedOut
from graphmem.stores.postgres import Connection
from graphmem.stores.readings import ReadingStore

# What was said right before tells who "she" is; more of it costs tokens in each of the requests.
SAID_BEFORE = 4
# Of a longer text only the beginning fits into what models look at.
MOST_CHARACTERS = 40_000

Ask = Callable[[Sequence[tuple[str, str]], dict[str, Any], int], Awaitable[dict[str, Any]]]
Embed = Callable[[Sequence[str]], Awaitable[np.ndarray | None]]


class Reader(Protocol):
    """Understands one episode by asking a model, looking into the graph and writing nothing."""

    async def read(self, episode: Episode, ask: Ask, embed: Embed, *, before: Sequence[str]) -> Reading:
        """What the model makes of it, told what was said `before`, by the ids of episodes."""
        ...


@dataclass(frozen=True)
class Understander:
    """A language model, the embedder beside it, and what puts the questions to them; that is loaded when first used."""

    model: LanguageModel
    embedder: Embedder | None
    reader: Callable[[], Reader]
    readings: ReadingStore
    monthly_tokens: int

    async def understood(self, episode: Episode) -> Reading:
        """What the model makes of an episode; nothing of one without words of its own."""
        if not episode.content.strip():
            return Reading(entities=[], new=[], confirmed=[], ends=[])
        await self.stay_within_budget(episode.namespace)
        reader = await asyncio.to_thread(self.reader)
        before = await self.readings.before_in_session(episode, limit=SAID_BEFORE)
        shortened = msgspec.structs.replace(episode, content=episode.content[:MOST_CHARACTERS])
        return await reader.read(shortened, self.asking(episode), self.vectors, before=before)

    async def stay_within_budget(self, namespace: str) -> None:
        """Raise when the namespace has spent what it may this month."""
        if self.monthly_tokens and await self.readings.spent(namespace) >= self.monthly_tokens:
            raise BudgetSpentError(
                f"The namespace has spent its {self.monthly_tokens} tokens of this month on reading episodes: they "
                "wait for the next, or for a higher GRAPHMEM_LANGUAGE_MODEL__MONTHLY_TOKENS."
            )

    def asking(self, episode: Episode) -> Ask:
        """How the model is asked on behalf of an episode: each answer is counted, of use or not."""

        async def ask(said: Sequence[tuple[str, str]], schema: dict[str, Any], most: int) -> dict[str, Any]:
            messages = [Message("system" if role == "system" else "user", text) for role, text in said]
            try:
                shape = bounded(schema, min(most, self.model.max_tokens))
                completion = await self.model.complete(messages, schema=shape, max_tokens=most)
            except UnreachableError:
                raise
            except ModelUnavailableError as error:
                # It is there, but too busy or too slow for this episode: that may not go on for ever.
                raise ModelAnswerError(str(error)) from error
            except ModelAnswerError as error:
                await self.readings.spend(episode.namespace, episode.id, tokens=error.tokens)
                raise
            await self.readings.spend(episode.namespace, episode.id, tokens=completion.tokens)
            return msgspec.json.decode(completion.text, type=dict[str, Any])

        return ask

    async def vectors(self, texts: Sequence[str]) -> np.ndarray | None:
        """The vectors of texts, if there is an embedder."""
        return None if self.embedder is None else (await self.embedder.embed_texts(texts)).vectors


@dataclass(frozen=True)
class ReadHandler:
    """Has episodes understood, and brings the ledger, then the graph, in step with what comes of it."""

    episodes: EpisodeStore
    handed_out: HandedOut
    recorder: Recorder
    projector: Projector
    understander: Understander

    async def __call__(self, namespace: str, ids: Sequence[str]) -> None:
        """Read those that are there and not read yet."""
        read = await self.understander.readings.read_by_now(namespace, ids)
        found = await self.episodes.find(namespace, [one for one in ids if one not in read])
        for episode in await in_own_words(self.handed_out, [e for e in found.values() if e.origin != "recalled"]):
            await self.projector.project(namespace)
            reading = await self.understander.understood(episode)
            await self.write_down(episode, reading)
            await self.projector.project(namespace)

    async def write_down(self, episode: Episode, reading: Reading) -> None:
        """Put a reading into the ledger, unless the episode was changed or removed meanwhile."""
        ledger, namespace = self.recorder.ledger, episode.namespace

        async def work(connection: Connection) -> None:
            async with connection.transaction():
                await ledger.lock(connection, namespace)
                present = await ledger.present_episodes(connection, namespace, [episode.id])
                if present.get(episode.id) != episode.created_at:
                    return
                understanding = Understanding(episode, reading, await self.known(connection, namespace, reading))
                said = understanding.said()
                await self.recorder.record_in(connection, namespace, said, instead_of=[episode.id])
                await ledger.describe_entities(connection, namespace, understanding.descriptions())
                await self.understander.readings.note(connection, episode, model=self.understander.model.model)

        await self.recorder.postgres.run(work)

    async def known(self, connection: Connection, namespace: str, reading: Reading) -> Known:
        """What the ledger has of all that a reading is about."""
        ledger = self.recorder.ledger
        entities, facts = asked_of(reading)
        found = await ledger.facts_now(connection, namespace, facts)
        ends = {end for fact in found.values() for end in (fact.named_source, fact.named_target)}
        return Known(
            await ledger.present_entities(connection, namespace, entities),
            found,
            await ledger.names_of(connection, namespace, ends),
        )
