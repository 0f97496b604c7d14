"""Writing the night down: each batch in one transaction with its changes, and putting changes back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from msgspec import structs

from graphmem.consolidate.rows import Rows
from graphmem.consolidate.step import Night
from graphmem.errors import ConflictError
from graphmem.ingest.record import Recorder
from graphmem.ledger import named_uuid
from graphmem.memory import new_id
from graphmem.night import Batch, Change, Proposal
from graphmem.stores.changes import ChangeStore, Decided
from graphmem.stores.jobs import Asked, JobStore
from graphmem.stores.postgres import Connection

VETOES = frozenset({"undone", "rejected"})
NAMED = 20


class PutBack(NamedTuple):
    """Changes that were put back, newest first, and the job that was asked to show it in the graph."""

    changes: list[Change]
    asked: Asked | None


@dataclass(frozen=True)
class Journal:
    """Applies what steps propose, and takes it back; each call is one transaction under the ledger's lock.

    Without `jobs` nobody is asked to show it in the graph: there is none, or a run does that itself.
    """

    recorder: Recorder
    changes: ChangeStore
    jobs: JobStore | None = None
    rows: Rows = field(default_factory=Rows)

    async def write(self, night: Night, step: str, batch: Batch, *, seen: int) -> list[Change]:
        """Write a batch down, its sure proposals in effect; the changes that are new.

        What was decided before is left out, and what rests on things that changed after the mark `seen`: the step
        looks at these again.
        """

        async def work(connection: Connection) -> list[Change]:
            async with connection.transaction():
                await self.recorder.ledger.lock(connection, night.namespace)
                new = await self.judged(connection, night, step, batch.proposals, seen=seen)
                new = await self.rows.with_images(connection, night.namespace, new)
                await self.rows.put(
                    self.recorder, connection, night.namespace, [edit for one in new if one.sure for edit in one.edits]
                )
                await self.changes.write(connection, night.namespace, new)
                await self.changes.keep_place(connection, night.namespace, step, batch.place)
                return new

        return await self.changes.postgres.run(work)

    async def judged(
        self, connection: Connection, night: Night, step: str, proposals: Sequence[Proposal], *, seen: int
    ) -> list[Change]:
        """Changes of those proposals that are new; open ones of which more is known now are outdated."""
        if not proposals:
            return []
        decides = {one.decides(night.namespace, step) for one in proposals}
        known: dict[str, list[Decided]] = {}
        for one in await self.changes.decided(connection, night.namespace, decides):
            known.setdefault(one.decides, []).append(one)
        touched = {each for one in proposals for each in one.all_touched()}
        late = await self.changes.changed_since(connection, night.namespace, touched, mark=seen)
        new: list[Change] = []
        for one in proposals:
            before = known.get(one.decides(night.namespace, step), [])
            if late.isdisjoint(one.all_touched()) and not settled_before(one, before):
                new.append(change_of(one, night, step, place=len(before)))
        answered = {one.decides for one in new}
        outdated = [one.id for found in known.values() for one in found if one.decides in answered]
        open_ones = [one.id for found in known.values() for one in found if one.state == "proposed"]
        await self.changes.set_state(
            connection, night.namespace, set(outdated) & set(open_ones), "outdated", now=night.now
        )
        return new

    async def put_back(self, namespace: str, ids: Sequence[str], *, now: datetime, cascade: bool = False) -> PutBack:
        """Make everything as it was before these changes; with `cascade`, before those that build on them first.

        All that was put back, newest first. Refused, with the reason, when others build on them, or when a row is no
        longer as the change left it.
        """

        async def work(connection: Connection) -> PutBack:
            async with connection.transaction():
                await self.recorder.ledger.lock(connection, namespace)
                found = [one for one in await self.changes.locked(connection, namespace, ids) if one.in_effect]
                refuse_what_was_due(found)
                found = await self.with_builders(connection, namespace, found, cascade=cascade)
                await self.reverse(connection, namespace, found)
                await self.changes.set_state(connection, namespace, [one.id for one in found], "undone", now=now)
                return PutBack(found, await self.ask_to_show(connection, namespace))

        return await self.changes.postgres.run(work)

    async def refuse_builders(self, namespace: str, run: str, *, cascade: bool) -> None:
        """Refuse when changes of other runs build on what a run did, and `cascade` is not set."""

        async def work(connection: Connection) -> None:
            builders = [] if cascade else await self.changes.builders_of_run(connection, namespace, run)
            refuse(builders)

        await self.changes.postgres.run(work)

    async def with_builders(
        self, connection: Connection, namespace: str, found: list[Change], *, cascade: bool
    ) -> list[Change]:
        """The changes and all that build on them, newest first; refused where there are such and `cascade` is not."""
        while builders := await self.changes.builders(connection, namespace, [one.id for one in found]):
            refuse([] if cascade else builders)
            found = sorted([*found, *builders], key=lambda one: -one.number)
        return found

    async def reverse(self, connection: Connection, namespace: str, changes: Sequence[Change]) -> None:
        """Put the rows back, of the newest change first."""
        edits = [edit for one in changes for edit in reversed(one.edits)]
        rows = {edit.row: image for edit, image in await self.rows.now(connection, namespace, edits)}
        for edit in edits:
            if rows[edit.row] not in (edit.after, edit.before):
                raise ConflictError(f"{edit.row} is no longer as this change left it.", "change")
            rows[edit.row] = edit.before
        back = [structs.replace(edit, before=edit.after, after=edit.before) for edit in edits]
        await self.rows.put(self.recorder, connection, namespace, back)

    async def accept(self, namespace: str, change_id: str, *, now: datetime) -> Asked | None:
        """Do what waited for a person; the job that was asked to show it in the graph."""

        async def work(connection: Connection) -> Asked | None:
            async with connection.transaction():
                await self.recorder.ledger.lock(connection, namespace)
                change = await self.open_one(connection, namespace, change_id)
                rows = await self.rows.now(connection, namespace, change.edits)
                if any(image not in (edit.before, edit.after) for edit, image in rows):
                    raise ConflictError("What it would change has changed since it was proposed.", "change")
                await self.rows.put(self.recorder, connection, namespace, change.edits)
                await self.changes.set_state(connection, namespace, [change_id], "accepted", now=now)
                return await self.ask_to_show(connection, namespace)

        return await self.changes.postgres.run(work)

    async def reject(self, namespace: str, change_id: str, *, now: datetime) -> None:
        """What waited for a person is not to be done; it is proposed again only with new evidence."""

        async def work(connection: Connection) -> None:
            async with connection.transaction():
                await self.recorder.ledger.lock(connection, namespace)
                await self.open_one(connection, namespace, change_id)
                await self.changes.set_state(connection, namespace, [change_id], "rejected", now=now)

        await self.changes.postgres.run(work)

    async def ask_to_show(self, connection: Connection, namespace: str) -> Asked | None:
        """Make sure that the graph will show it, where there is one."""
        return None if self.jobs is None else await self.jobs.ask_to_project(connection, namespace, new_id())

    async def open_one(self, connection: Connection, namespace: str, change_id: str) -> Change:
        """The change, which must wait for a person."""
        found = await self.changes.locked(connection, namespace, [change_id])
        if not found or found[0].state != "proposed":
            state = found[0].state if found else "gone"
            raise ConflictError(f"Only a proposed change can be accepted or rejected; this one is {state}.", "state")
        return found[0]


def settled_before(proposal: Proposal, before: Sequence[Decided]) -> bool:
    """Whether nothing new speaks for it: it waits for a person already, or was taken back."""
    evidence = set(proposal.evidence)
    if not proposal.sure and any(one.state == "proposed" and set(one.evidence) == evidence for one in before):
        return True
    vetoed = [one for one in before if one.state in VETOES]
    return bool(vetoed) and evidence <= {each for one in vetoed for each in one.evidence}


def change_of(proposal: Proposal, night: Night, step: str, *, place: int) -> Change:
    """The change that a proposal becomes; its id follows from what it decides, on what evidence, for which time."""
    decides = proposal.decides(night.namespace, step)
    return Change(
        id=named_uuid("change", decides, *sorted(proposal.evidence), str(place)),
        number=0,
        run=night.run,
        step=step,
        kind=proposal.kind,
        decides=decides,
        sure=proposal.sure,
        subjects=list(proposal.subjects),
        evidence=sorted(proposal.evidence),
        touches=proposal.all_touched(),
        reason=proposal.reason,
        edits=list(proposal.edits),
        state="applied" if proposal.sure else "proposed",
        created_at=night.now,
        decided_at=None,
    )


def refuse_what_was_due(changes: Iterable[Change]) -> None:
    """What was due anyway and is done has nothing to put back."""
    if any(not one.edits for one in changes):
        raise ConflictError("This only did what was due anyway; there is nothing to put back.", "change")


def refuse(builders: Sequence[Change]) -> None:
    """Raise when there are such, naming them."""
    if builders:
        named = ", ".join(one.id for one in builders[:NAMED])
        raise ConflictError(f"{len(builders)} later changes build on this; undo these first: {named}", "change")


def as_plan(change: Change, run: str) -> Change:
    """The change as a dry run keeps it."""
    return structs.replace(change, id=named_uuid("plan", run, change.id), run=run, state="planned")
