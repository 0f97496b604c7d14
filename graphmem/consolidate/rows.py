"""Rows of decision tables as changes find and leave them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from graphmem.consolidate import consequences
from graphmem.ingest.record import Recorder
from graphmem.night import Change, Edit, Image
from graphmem.stores.decisions import DecisionStore
from graphmem.stores.postgres import Connection


@dataclass
class Course:
    """Rows as they are while changes are written one after the other."""

    images: dict[str, Image | None] = field(default_factory=dict[str, "Image | None"])

    def seen(self, edit: Edit) -> Edit:
        """The edit with the row as it was before; the row is now as the edit has it."""
        before = self.images.get(edit.row)
        self.images[edit.row] = edit.after
        return structs.replace(edit, before=before)


@dataclass(frozen=True)
class Rows:
    """Reads and writes the rows of edits, in the caller's transaction and lock."""

    decisions: DecisionStore = field(default_factory=DecisionStore)

    async def with_images(self, connection: Connection, namespace: str, changes: Sequence[Change]) -> list[Change]:
        """The changes, each edit with the row before and after it; without those that change nothing."""
        edits = [edit for one in changes for edit in one.edits]
        rows = Course({edit.row: image for edit, image in await self.now(connection, namespace, edits)})
        after = await self.afters(connection, edits)
        found: list[Change] = []
        for one in changes:
            kept = [structs.replace(edit, after=after[id(edit)]) for edit in one.edits]
            # Of a doubtful one nothing happens yet, so the next sees the rows as they are.
            seen = (rows if one.sure else Course(dict(rows.images))).seen
            kept = [edit for edit in map(seen, kept) if edit.before != edit.after]
            if kept or not one.edits:
                found.append(structs.replace(one, edits=kept, number=len(found)))
        return found

    async def now(
        self, connection: Connection, namespace: str, edits: Sequence[Edit]
    ) -> list[tuple[Edit, Image | None]]:
        """Each edit with the row as it is."""
        found: list[tuple[Edit, Image | None]] = []
        for table, members in by_table(edits).items():
            images = await self.decisions.now(connection, namespace, table, [edit.key for edit in members])
            rows = {row_of(table, members[0], image): image for image in images}
            found += [(edit, rows.get(edit.row)) for edit in members]
        return found

    async def afters(self, connection: Connection, edits: Sequence[Edit]) -> dict[int, Image | None]:
        """Each edit's row after it, as it will be read."""
        found: dict[int, Image | None] = {id(edit): None for edit in edits}
        for table, members in by_table(edits).items():
            wanted = [(id(edit), edit.after) for edit in members if edit.after is not None]
            images = await self.decisions.images(connection, table, [row for _, row in wanted])
            found |= {place: image for (place, _), image in zip(wanted, images, strict=True)}
        return found

    async def put(self, recorder: Recorder, connection: Connection, namespace: str, edits: Sequence[Edit]) -> None:
        """Make the rows as the edits have them, and let follow what does."""
        last = {edit.row: edit for edit in edits}
        early = [edit for edit in last.values() if edit.table not in consequences.WRITTEN_LATE]
        await self.put_rows(connection, namespace, early)
        await consequences.bring_up(recorder, connection, namespace, consequences.of(edits))
        await self.put_rows(connection, namespace, [edit for edit in last.values() if edit not in early])

    async def put_rows(self, connection: Connection, namespace: str, edits: Sequence[Edit]) -> None:
        """Write and remove rows."""
        for table, members in by_table(edits).items():
            if gone := [edit.key for edit in members if edit.after is None]:
                await self.decisions.drop(connection, namespace, table, gone)
            if kept := [edit.after for edit in members if edit.after is not None]:
                await self.decisions.keep(connection, namespace, table, kept)


def by_table(edits: Iterable[Edit]) -> dict[str, list[Edit]]:
    """Edits by their table."""
    found: dict[str, list[Edit]] = {}
    for edit in edits:
        found.setdefault(edit.table, []).append(edit)
    return found


def row_of(table: str, like: Edit, image: Image) -> str:
    """The row that an image is of; `like` is an edit of the same table."""
    key: dict[str, Any] = {name: image[name] for name in like.key}
    return Edit(table=table, key=key, after=None).row
