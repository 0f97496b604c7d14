"""What follows from rows of decision tables that were written or removed: the ledger is brought up to them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphmem.ingest.record import Recorder
from graphmem.night import Edit, Image
from graphmem.stores.ledger import Changed, Pair
from graphmem.stores.postgres import Connection


@dataclass
class Consequences:
    """What is to be brought up: names that mean others now, pairs to settle, (kind, id) to show in the graph again."""

    names: bool = False
    statements: list[Image] = field(default_factory=list[Image])
    marks: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])


def links(found: Consequences, row: Image) -> None:
    """Other names mean one now."""
    found.names = bool(row)


def statements(found: Consequences, row: Image) -> None:
    """What is said of a pair is settled again."""
    found.statements.append(row)


def texts(found: Consequences, row: Image) -> None:
    """The graph shows an entity's summary."""
    found.marks.add(("entity", row["id"]))


def nothing(found: Consequences, row: Image) -> None:
    """Nothing follows: it is read where it is."""


def synapses(found: Consequences, row: Image) -> None:
    """The graph shows a synapse."""
    found.marks.add(("synapse", f"{row['one']} {row['other']}"))


def communities(found: Consequences, row: Image) -> None:
    """The graph shows a community."""
    found.marks.add(("community", row["id"]))


def members(found: Consequences, row: Image) -> None:
    """The graph shows who belongs to a community."""
    found.marks.add(("community", row["community"]))


def summaries(found: Consequences, row: Image) -> None:
    """The graph shows what is said of an entity or a community."""
    found.marks.add((row["kind"], row["subject"]))


FOLLOWS: Mapping[str, Callable[[Consequences, Image], None]] = {
    "entity_link": links,
    "statement": statements,
    "entity": texts,
    "tier": nothing,
    "synapse": synapses,
    "community": communities,
    "community_member": members,
    "summary": summaries,
    "near_duplicate": nothing,
    "archived": nothing,
}
# These rows are there once others were brought up, and go with them.
WRITTEN_LATE = frozenset({"entity"})


def of(edits: Iterable[Edit]) -> Consequences:
    """What follows from some edits."""
    found = Consequences()
    for edit in edits:
        for row in (edit.before, edit.after):
            if row is not None:
                FOLLOWS[edit.table](found, row)
    return found


async def bring_up(recorder: Recorder, connection: Connection, namespace: str, found: Consequences) -> None:
    """Let it follow, in the caller's transaction and lock."""
    touched = Changed(set(), set(), set())
    if found.statements:
        ends = {str(row[end]) for row in found.statements for end in ("named_source", "named_target")}
        meant = await recorder.ledger.meanings(connection, namespace, ends)
        pairs = {pair_of(row, meant) for row in found.statements}
        touched = Changed(set(), pairs, {str(row["episode"]) for row in found.statements})
    if found.names:
        touched = touched.and_also(await recorder.repoint(connection, namespace))
    if touched.pairs or touched.entities or touched.episodes:
        await recorder.bring_up(connection, namespace, touched)
    await recorder.ledger.mark(connection, namespace, found.marks)


def pair_of(row: Mapping[str, Any], meant: Mapping[str, str]) -> Pair:
    """The pair that a statement is about."""
    source, target = str(row["named_source"]), str(row["named_target"])
    return Pair(meant.get(source, source), str(row["relation"]), meant.get(target, target))
