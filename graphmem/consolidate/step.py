"""What a step of the night is: it looks at what it has not seen, and proposes."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from graphmem.night import Batch, StepName
from graphmem.stores.changes import ChangeStore

MARK = "mark"


@dataclass(frozen=True)
class Night:
    """One run: whose it is, and its present, which is the same however often the run is taken up again."""

    namespace: str
    run: str
    now: datetime
    dry_run: bool = False


class Step(Protocol):
    """One step. It reads through stores and decides; the journal writes what it proposes.

    `propose` is an asynchronous generator: what it yields is written before it goes on, so what it reads after a
    `yield` has the batch before in it. It holds no connection open meanwhile, keeps no more than one batch in memory
    beside what is small for each thing, and ends when it has nothing more to look at. It begins at `place`, which is
    what the last batch of an earlier night said, or empty. Asked again at once, it proposes nothing.
    What is due anyway and needs no decision, it may do itself after the `yield`, unless the run is dry.
    """

    @property
    def name(self) -> StepName:
        """What the step is called."""
        ...

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:
        """How many things it would look at."""
        ...

    def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """Batches of what it would decide, each with how far it has looked then."""
        ...


async def fresh_ids(
    changes: ChangeStore, night: Night, kind: str, place: Mapping[str, Any], *, limit: int
) -> AsyncIterator[tuple[list[str], dict[str, Any]]]:
    """Ids of things of a kind (episode, entity, fact) that changed since a place, with the place after them.

    What a batch itself changes comes again in a later one, until nothing changes any more.
    """
    mark = int(place.get(MARK, 0))
    while (fresh := await changes.fresh(night.namespace, kind, after=mark, limit=limit)).ids:
        mark = fresh.mark
        yield fresh.ids, {MARK: mark}
