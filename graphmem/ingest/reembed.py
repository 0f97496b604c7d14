"""Re-embedding: every stored text through another model, while search goes on with the old vectors."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import NamedTuple

from graphmem.memory import new_id
from graphmem.models.embedder import Embedder
from graphmem.stores.index_text import vector_text
from graphmem.stores.reembedding import Place, ReembeddingStore

BATCH = 256


class Progress(NamedTuple):
    """How many episodes have a vector of the new model, of how many."""

    made: int
    episodes: int


@dataclass(frozen=True)
class Reembedder:
    """Makes the vectors batch by batch; killed and started again it goes on where it was."""

    store: ReembeddingStore
    embedder: Embedder

    async def run(self) -> AsyncIterator[Progress]:
        """Progress after each batch; when the last has come, the new vectors are the ones that are searched."""
        space = await self.store.begin(self.embedder.model, self.embedder.dimensions)
        if space is None:
            return
        episodes, made = await self.store.count()
        yield Progress(made, episodes)
        place = Place()
        while (batch := await self.store.batch(place, limit=BATCH)).episodes:
            embedded = await self.embedder.embed_texts([vector_text(episode) for episode in batch.episodes])
            await self.store.store(batch, space, embedded.vectors, embedded.truncated)
            made += len(batch.episodes)
            place = batch.end
            yield Progress(made, max(made, episodes))
        await self.store.index()
        await self.store.switch(space, job=new_id())
