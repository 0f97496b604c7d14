"""What tells how well texts answer a question, by reading them together with it: the protocol, and who it may be."""

from collections.abc import Sequence
from typing import Protocol

from graphmem.errors import SettingsError
from graphmem.models.language_model import LanguageModel
from graphmem.settings import Settings


class Reranker(Protocol):
    """A cross-encoder or a language model as a judge; a failure is an UnavailableError or a ModelAnswerError."""

    async def relevance(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A number for each text, higher for a better answer; only their order counts."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


def build_reranker(settings: Settings, language_model: LanguageModel | None) -> Reranker | None:
    """The reranker that the settings name; None for kind `none`."""
    from graphmem.models.language_judge import LanguageJudge
    from graphmem.models.rerank_server import RerankServer

    if settings.reranker.kind == "server":
        return RerankServer(settings.reranker)
    if settings.reranker.kind == "language_model":
        if language_model is None:
            raise SettingsError(
                "GRAPHMEM_RERANKER__KIND=language_model needs a language model: set GRAPHMEM_LANGUAGE_MODEL__URL."
            )
        return LanguageJudge(language_model)
    return None
