"""What finds entities and facts in text: what goes in, what comes out, and the adapter that the settings name."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from msgspec import Struct

from graphmem.settings import Settings, extraction

EntityType = Literal["person", "place", "organisation", "event", "thing"]


class Source(Struct, frozen=True, kw_only=True):
    """What is read: an episode's text, and what is known of it."""

    content: str
    occurred_at: datetime
    speaker: str | None = None
    title: str | None = None


class FoundEntity(Struct, frozen=True):
    """Someone or something that a text names."""

    name: str
    type: EntityType


class FoundFact(Struct, frozen=True, kw_only=True):
    """What a text says of two entities, which it names by names of its own extraction.

    `valid_at` is None when only the end is known.
    """

    source: str
    relation: str
    target: str
    fact: str
    valid_at: datetime | None = None
    invalid_at: datetime | None = None


class Extraction(Struct, frozen=True, kw_only=True):
    """All that was found in one text, in the order of the text; `truncated` when it was too long to be read to its end.

    No two entities have the same normalised name, and no two facts the same source, relation and target.
    """

    entities: tuple[FoundEntity, ...] = ()
    facts: tuple[FoundFact, ...] = ()
    truncated: bool = False


class Extractor(Protocol):
    """Finds entities and facts; all its failures are `ModelUnavailableError`."""

    @property
    def name(self) -> str:
        """What it is, stored with what it found."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever it may find something else in the same text."""
        ...

    def ready(self) -> str | None:
        """Why it cannot be used, with the remedy; None when it can."""
        ...

    async def extract(self, texts: Sequence[Source]) -> list[Extraction]:
        """What each text says, in the order of the texts; a text's company does not matter."""
        ...

    async def close(self) -> None:
        """Let go of threads and models."""
        ...


def build_extractor(settings: Settings) -> Extractor | None:
    """The extractor that the settings name; None where a language model or nothing reads."""
    from graphmem.models.local_extractor import LocalExtractor

    return LocalExtractor() if extraction(settings) == "local" else None
