"""The journal of the night: changes with their states, how far each step has looked, and what it has yet to look at."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from graphmem.night import Change, ChangeState
from graphmem.queries import sql
from graphmem.stores.postgres import Connection, Postgres

QUERIES = sql(__file__)


class Decided(NamedTuple):
    """What was made of a question before: its states, and the evidence that it rested on."""

    id: str
    decides: str
    state: ChangeState
    evidence: list[str]


class Fresh(NamedTuple):
    """Things that changed since a mark: their ids, in the order of their last change, and the mark of the last."""

    ids: list[str]
    mark: int


@dataclass(frozen=True)
class ChangeStore:
    """Reads and writes the journal; what takes a connection belongs to the caller's transaction."""

    postgres: Postgres

    async def decided(self, connection: Connection, namespace: str, decides: Collection[str]) -> list[Decided]:
        """All that was made of these questions before, plans left out."""
        given = {"namespace": namespace, "decides": list(decides)}
        rows = await (await connection.execute(QUERIES.decided, given)).fetchall()
        return [Decided(**row) for row in rows]

    async def write(self, connection: Connection, namespace: str, changes: Sequence[Change]) -> None:
        """Write changes down, in this order; one that is there stays as it is."""
        rows = msgspec.json.encode(changes).decode()
        await connection.execute(QUERIES.write, {"namespace": namespace, "rows": rows})

    async def set_state(
        self, connection: Connection, namespace: str, ids: Collection[str], state: ChangeState, *, now: datetime
    ) -> None:
        """These are now in that state."""
        given = {"namespace": namespace, "ids": list(ids), "state": state, "now": now}
        await connection.execute(QUERIES.set_state, given)

    async def locked(self, connection: Connection, namespace: str, ids: Collection[str]) -> list[Change]:
        """Those of the changes that there are, newest first, held until the transaction ends."""
        rows = await (await connection.execute(QUERIES.locked, {"namespace": namespace, "ids": list(ids)})).fetchall()
        return [msgspec.convert(row, Change) for row in rows]

    async def builders(self, connection: Connection, namespace: str, ids: Collection[str]) -> list[Change]:
        """Changes in effect that build on one of these: later ones that touch the same, those given left out."""
        rows = await (await connection.execute(QUERIES.builders, {"namespace": namespace, "ids": list(ids)})).fetchall()
        return [msgspec.convert(row, Change) for row in rows]

    async def builders_of_run(self, connection: Connection, namespace: str, run: str) -> list[Change]:
        """Some changes in effect, of other runs, that build on what a run did."""
        rows = await (
            await connection.execute(QUERIES.builders_of_run, {"namespace": namespace, "run": run})
        ).fetchall()
        return [msgspec.convert(row, Change) for row in rows]

    async def drop_plans(self, connection: Connection, namespace: str) -> None:
        """Plans of earlier dry runs are no longer needed."""
        await connection.execute(QUERIES.drop_plans, {"namespace": namespace})

    async def forget_words(self, connection: Connection, namespace: str, episodes: Collection[str]) -> None:
        """The journal and summaries lose the words of episodes that go; called before what they say is taken back."""
        given = {"namespace": namespace, "episodes": list(episodes)}
        await connection.execute(QUERIES.forget_words, given)

    async def find(self, namespace: str, change_id: str) -> Change | None:
        """One change, if the namespace has it."""
        row = await self.postgres.row(QUERIES.find, namespace=namespace, id=change_id)
        return msgspec.convert(row, Change) if row else None

    async def page(self, namespace: str, *, limit: int, after: int, **only: str | None) -> list[Change]:
        """Changes, oldest first; `only` may name a run, a state and a step."""
        bounds = {"run": None, "state": None, "step": None} | only
        rows = await self.postgres.rows(QUERIES.page, namespace=namespace, limit=limit, after_number=after, **bounds)
        return [msgspec.convert(row, Change) for row in rows]

    async def in_effect(self, namespace: str, run: str, *, limit: int) -> list[str]:
        """Changes of a run that hold and can be put back, newest first."""
        rows = await self.postgres.rows(QUERIES.in_effect, namespace=namespace, run=run, limit=limit)
        return [row["id"] for row in rows]

    async def counts(self, namespace: str, run: str) -> dict[str, dict[str, int]]:
        """How many changes a run has, by step and state."""
        found: dict[str, dict[str, int]] = {}
        for row in await self.postgres.rows(QUERIES.counts, namespace=namespace, run=run):
            found.setdefault(row["step"], {})[row["state"]] = row["changes"]
        return found

    async def place(self, namespace: str, step: str) -> dict[str, Any]:
        """How far a step has looked; empty when it never has."""
        row = await self.postgres.row(QUERIES.place, namespace=namespace, step=step)
        return row["place"] if row else {}

    async def keep_place(self, connection: Connection, namespace: str, step: str, place: Mapping[str, Any]) -> None:
        """It has looked so far."""
        given = {"namespace": namespace, "step": step, "place": msgspec.json.encode(place).decode()}
        await connection.execute(QUERIES.keep_place, given)

    async def fresh(self, namespace: str, kind: str, *, after: int, limit: int) -> Fresh:
        """Things of a kind that changed after a mark, those first that did first."""
        rows = await self.postgres.rows(QUERIES.fresh, namespace=namespace, kind=kind, after_number=after, limit=limit)
        return Fresh([row["id"] for row in rows], rows[-1]["mark"] if rows else after)

    async def fresh_count(self, namespace: str, kind: str, *, after: int) -> int:
        """How many those are."""
        row = await self.postgres.row(QUERIES.fresh_count, namespace=namespace, kind=kind, after_number=after)
        return row["things"] if row else 0

    async def last_mark(self, namespace: str) -> int:
        """The mark of what changed last."""
        row = await self.postgres.row(QUERIES.last_mark, namespace=namespace)
        return row["mark"] if row else 0

    async def changed_since(
        self, connection: Connection, namespace: str, ids: Collection[str], *, mark: int
    ) -> set[str]:
        """Those of the things that changed after a mark."""
        given = {"namespace": namespace, "ids": list(ids), "mark": mark}
        return {row["id"] for row in await (await connection.execute(QUERIES.changed_since, given)).fetchall()}
