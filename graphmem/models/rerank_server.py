"""A cross-encoder behind `/rerank`: Jina, Cohere, vLLM, llama.cpp, or Text Embeddings Inference."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from graphmem.models.model_server import ModelServer, RefusedError, authorization, endpoint, sendable
from graphmem.models.retries import Retries
from graphmem.settings import Reranker as RerankerSettings

# Whoever asks a question does not wait for a server that was away a moment ago.
AT_ONCE = Retries(attempts=1)


class Item(Struct):
    """How relevant the text of that position is; some servers call it `relevance_score`, others `score`."""

    index: int
    relevance_score: float | None = None
    score: float | None = None

    @property
    def relevance(self) -> float:
        """The one that is there."""
        found = self.score if self.relevance_score is None else self.relevance_score
        return math.nan if found is None else found


class Answer(Struct):
    """What most servers answer; other fields are left unread."""

    results: list[Item] = field(default_factory=list[Item])


class RerankServer:
    """A client of one model on one server; no message of its errors has a text or the key in it.

    Most servers call the texts `documents`; one that refuses that is asked with `texts`, from then on at once.
    """

    def __init__(self, settings: RerankerSettings, retries: Retries = AT_ONCE) -> None:
        self._model = settings.model
        self._texts_as = "documents"
        self._server = ModelServer(
            noun="reranking",
            model=settings.model,
            address=endpoint(settings.url, "/rerank", "GRAPHMEM_RERANKER__URL"),
            headers=authorization(settings.api_key, "GRAPHMEM_RERANKER__API_KEY"),
            timeout_seconds=settings.timeout_seconds,
            retries=retries,
        )

    async def relevance(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """What the model says of each text."""
        try:
            content = await self._server.ask(self._body(question, texts))
        except RefusedError:
            if self._texts_as == "texts":
                raise
            self._texts_as = "texts"
            content = await self._refused(question, texts)
        return self._scores(content, len(texts))

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    async def _refused(self, question: str, texts: Sequence[str]) -> bytes:
        """What the server answers in the other form; when it refuses that too, the form was not what it disliked."""
        try:
            return await self._server.ask(self._body(question, texts))
        except RefusedError:
            self._texts_as = "documents"
            raise

    def _body(self, question: str, texts: Sequence[str]) -> dict[str, Any]:
        """The request in the form that the server takes."""
        said = [sendable(text) for text in texts]
        asked: dict[str, Any] = {"query": sendable(question), self._texts_as: said}
        if self._texts_as == "texts":
            return asked | {"truncate": True}
        return asked | {"top_n": len(said), "return_documents": False} | ({"model": self._model} if self._model else {})

    def _scores(self, content: bytes, count: int) -> list[float]:
        """The scores of an answer, in the order of the texts."""
        try:
            answer = msgspec.json.decode(content, type=Answer | list[Item])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._server.unavailable("sent an answer that is not of the rerank format") from error
        items = sorted(answer.results if isinstance(answer, Answer) else answer, key=lambda item: item.index)
        if [item.index for item in items] != list(range(count)):
            raise self._server.unavailable(f"sent {len(items)} scores for {count} texts, or numbered them wrongly")
        scores = [item.relevance for item in items]
        if not all(math.isfinite(score) for score in scores):
            raise self._server.unavailable("sent a score that is no number")
        return scores
