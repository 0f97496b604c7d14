"""Entities and facts found in this process, by spaCy's parse and the rules of `extraction`."""

from collections.abc import Sequence
from functools import partial

from graphmem.errors import ModelUnavailableError
from graphmem.models.extraction.installed import MODEL, MODEL_VERSION, missing
from graphmem.models.extractor import Extraction, Source
from graphmem.models.model_thread import ModelThread

RULES_VERSION = "2"
# Short pieces let whoever waits for the thread or the interpreter have their turn; larger ones are hardly faster.
TEXTS_AT_ONCE = 64
PATIENCE_SECONDS = 2.0


class LocalExtractor:
    """English read by the small model of spaCy, which is loaded when first used and once a process."""

    name = "local"
    version = f"{RULES_VERSION}+{MODEL}-{MODEL_VERSION}"

    def __init__(self) -> None:
        self._thread = ModelThread("extractor")

    def ready(self) -> str | None:
        """What is missing on this machine, with the remedy; None when all is there."""
        return missing()

    async def extract(self, texts: Sequence[Source]) -> list[Extraction]:
        """What each text says; read up to `language.MAX_CHARACTERS`."""
        found: list[Extraction] = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            work = partial(extracted, texts[start : start + TEXTS_AT_ONCE])
            found += await self._thread.run(work, patience_seconds=PATIENCE_SECONDS)
        return found

    async def close(self) -> None:
        """Let the thread end; the model stays for whoever comes next."""
        self._thread.close()


def extracted(texts: Sequence[Source]) -> list[Extraction]:
    """What each text says; computes, so it belongs in a thread."""
    if lack := missing():
        raise ModelUnavailableError(lack)
    from graphmem.models.extraction.language import parses
    from graphmem.models.extraction.reading import read

    return [read(parse, text) for parse, text in zip(parses([text.content for text in texts]), texts, strict=True)]
