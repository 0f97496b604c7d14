"""Import: JSON lines in, of any number, stored in batches; a bad line is reported and skipped."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from graphmem.errors import InvalidError
from graphmem.ingest.complaints import DECODING_ERRORS, invalid
from graphmem.ingest.intake import complete
from graphmem.ingest.pipeline import Ingester
from graphmem.memory import Episode, NewEpisode, new_id

BATCH_LINES = 500
BATCH_CHARACTERS = 2_000_000
MOST_LINE_BYTES = 16 * 1024 * 1024
DECODER = msgspec.json.Decoder(NewEpisode)


class BadLine(msgspec.Struct, frozen=True):
    """A line that was skipped, and why."""

    line: int
    error: str


class Progress(msgspec.Struct, frozen=True):
    """How far an import has come; `done` on the last one."""

    lines: int
    created: int
    existing: int
    failed: int
    done: bool
    job: str
    errors: tuple[BadLine, ...] = ()


@dataclass
class Batch:
    """Lines that wait to be stored together."""

    pairs: list[tuple[int, NewEpisode, Episode]] = field(default_factory=list[tuple[int, NewEpisode, Episode]])
    ids: set[str] = field(default_factory=set[str])
    characters: int = 0

    def add(self, line: int, new: NewEpisode, episode: Episode) -> None:
        """Keep one more."""
        self.pairs.append((line, new, episode))
        self.ids.add(episode.id)
        self.characters += len(episode.content)

    def is_full(self, coming: Episode) -> bool:
        """Whether what waits must be stored before this one: size is bounded, and an id stands in a batch once."""
        return (
            len(self.pairs) >= BATCH_LINES
            or self.characters + len(coming.content) > BATCH_CHARACTERS
            or coming.id in self.ids
        )


@dataclass
class Importer:
    """One import into one namespace, and its counts so far."""

    ingester: Ingester
    namespace: str
    now: datetime
    job: str = field(default_factory=new_id)
    lines: int = 0
    created: int = 0
    existing: int = 0
    failed: int = 0

    async def run(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[Progress]:
        """Progress after each batch; the last one is `done`."""
        batch = Batch()
        bad: list[BadLine] = []
        async for number, line in lines_of(chunks):
            self.lines += 1
            try:
                new, episode = self.read(line)
            except InvalidError as error:
                bad.append(BadLine(number, str(error)))
                self.failed += 1
            else:
                if batch.is_full(episode):
                    yield await self.store(batch, bad)
                    batch, bad = Batch(), []
                batch.add(number, new, episode)
            if len(bad) >= BATCH_LINES:
                yield await self.store(batch, bad)
                batch, bad = Batch(), []
        yield await self.store(batch, bad, done=True)

    def read(self, line: bytes | None) -> tuple[NewEpisode, Episode]:
        """One line as an episode of this namespace, or why it is none."""
        if line is None:
            raise InvalidError(f"the line is longer than {MOST_LINE_BYTES} bytes")
        try:
            new = DECODER.decode(line)
        except DECODING_ERRORS as error:
            raise invalid(error) from error
        if isinstance(new.namespace, str) and new.namespace != self.namespace:
            raise InvalidError("namespace: must be the one imported into, or left out")
        return new, complete(new, namespace=self.namespace, now=self.now)

    async def store(self, batch: Batch, bad: list[BadLine], *, done: bool = False) -> Progress:
        """Store what waits and count it."""
        if batch.pairs:
            written = await self.ingester.write(
                [(new, episode) for _, new, episode in batch.pairs], job=self.job, skip_conflicts=True
            )
            for (line, _, _), outcome in zip(batch.pairs, written.outcomes, strict=True):
                if outcome.conflict:
                    bad.append(BadLine(line, f"{outcome.conflict}: differs from the stored episode {outcome.id}"))
                    self.failed += 1
            self.created += sum(outcome.created for outcome in written.outcomes)
            self.existing += sum(not outcome.created and not outcome.conflict for outcome in written.outcomes)
        errors = tuple(sorted(bad, key=lambda one: one.line))
        return Progress(self.lines, self.created, self.existing, self.failed, done, self.job, errors)


async def lines_of(chunks: AsyncIterator[bytes]) -> AsyncIterator[tuple[int, bytes | None]]:
    """The lines that are not blank, each with its number; None for one that is too long to hold in memory."""
    rest = bytearray()
    too_long = False
    number = 1
    async for chunk in chunks:
        rest += chunk
        *whole, tail = rest.split(b"\n") if b"\n" in chunk else (rest,)
        for line in whole:
            if too_long:
                too_long = False
                yield number, None
            elif line.strip():
                yield number, bytes(line)
            number += 1
        rest = tail
        if len(rest) > MOST_LINE_BYTES:
            too_long = True
            rest = bytearray()
    if too_long:
        yield number, None
    elif rest.strip():
        yield number, bytes(rest)
