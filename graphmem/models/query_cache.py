"""Questions asked before need no model: the vectors of the latest ones, kept in memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from graphmem.models.embedder import Embedded, Embedder, Vector


class QueryCache:
    """An embedder that remembers its latest `size` questions and asks each only once, however many wait for it."""

    def __init__(self, embedder: Embedder, *, size: int) -> None:
        self._embedder = embedder
        self._size = size
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._asked: dict[str, asyncio.Task[Vector]] = {}

    @property
    def model(self) -> str:
        """The name of the model behind it."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        return self._embedder.dimensions

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the model behind it."""
        return self._embedder.languages

    def ready(self) -> str | None:
        """Why the model behind it cannot be used, or None."""
        return self._embedder.ready()

    async def embed_texts(self, texts: Sequence[str]) -> Embedded:
        """The vectors of texts, which are not remembered: each is embedded once in its life."""
        return await self._embedder.embed_texts(texts)

    async def embed_query(self, query: str) -> Vector:
        """The vector of a question: remembered, or soon to be known to another who asked, or made now."""
        if query in self._known:
            self._known.move_to_end(query)
            return self._known[query]
        task = self._asked.get(query) or self._ask(query)
        # Whoever stops waiting does not take the answer from the others.
        return await asyncio.shield(task)

    def _ask(self, query: str) -> asyncio.Task[Vector]:
        task = asyncio.create_task(self._answer(query))
        self._asked[query] = task
        task.add_done_callback(_retrieve)
        return task

    async def _answer(self, query: str) -> Vector:
        try:
            vector = await self._embedder.embed_query(query)
        finally:
            del self._asked[query]
        vector.setflags(write=False)
        self._known[query] = vector
        while len(self._known) > self._size:
            self._known.popitem(last=False)
        return vector

    async def close(self) -> None:
        """Drop what is still being asked, then close the model behind it."""
        for task in self._asked.values():
            task.cancel()
        await self._embedder.close()


def _retrieve(task: asyncio.Task[Vector]) -> None:
    """Look at the outcome, so that a failure nobody waits for any more is not reported as forgotten."""
    if not task.cancelled():
        task.exception()
