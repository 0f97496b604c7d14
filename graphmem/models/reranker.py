"""What tells how well texts answer a question, by reading them together with it."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """A cross-encoder or a language model as a judge."""

    async def relevance(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A number for each text, higher for a better answer; only their order counts."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
