"""Vectors that could not be made at once, or are another model's: of episodes, of entities' names, of facts."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.errors import ModelUnavailableError
from graphmem.ingest.extract import WHOLE_NAMESPACE
from graphmem.ingest.project import Projector
from graphmem.models.embedder import Embedder
from graphmem.stores.episodes import EpisodeStore, Vectors
from graphmem.stores.index_text import vector_text
from graphmem.stores.named_vectors import NamedVectors

AT_ONCE = 256


@dataclass(frozen=True)
class EmbedHandler:
    """Makes the vectors that are lacking; what they are of is shown in the graph with them."""

    episodes: EpisodeStore
    vectors: NamedVectors
    embedder: Embedder
    projector: Projector | None

    async def __call__(self, namespace: str, ids: Sequence[str]) -> None:
        """Embed those of the episodes that still lack a vector; without an id, what the namespace knows."""
        if WHOLE_NAMESPACE in ids:
            await self.embed_knowledge(namespace)
        missing = await self.episodes.without_vectors(namespace, [one for one in ids if one != WHOLE_NAMESPACE])
        if missing:
            embedded = await self.embedder.embed_texts([vector_text(episode) for episode in missing])
            named = [episode.id for episode in missing]
            await self.episodes.add_vectors(
                missing, Vectors(self.embedder.model, named, embedded.vectors, embedded.truncated)
            )

    async def embed_knowledge(self, namespace: str) -> None:
        """Give every entity and fact a vector of the active model."""
        await self.vectors.borrow(namespace)
        while lacking := await self.vectors.lacking(namespace, limit=AT_ONCE):
            embedded = await self.embedder.embed_texts([one.words.replace("\n", " ") for one in lacking])
            if not await self.vectors.keep(namespace, lacking, embedded.vectors, model=self.embedder.model):
                raise ModelUnavailableError(f"The stored vectors are not made by {self.embedder.model}.")
        if self.projector is not None:
            await self.projector.project(namespace)
