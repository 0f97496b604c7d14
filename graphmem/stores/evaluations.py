"""Evaluations: asked for, worked on under a lease, finished, listed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from graphmem.memory import new_id
from graphmem.queries import sql
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)
LEASE_SECONDS = 60.0
MOST_ATTEMPTS = 3
MOST_WAITING = 10
MOST_KEPT = 100

EvaluationState = Literal["waiting", "running", "done", "failed"]


class Evaluation(Struct, frozen=True, kw_only=True):
    """One of them: how far it is, and its report once it is done."""

    id: str
    state: EvaluationState
    asked: int
    of: int
    way: dict[str, Any]
    report: dict[str, Any] | None
    error: str | None
    created_at: datetime
    finished_at: datetime | None


class Claim(NamedTuple):
    """One that is ours until the lease runs out."""

    namespace: str
    id: str
    lease: str
    way: dict[str, Any]
    cases: list[dict[str, Any]]


@dataclass(frozen=True)
class EvaluationStore:
    """Keeps them; a worker that dies loses its lease, and another begins anew."""

    postgres: Postgres

    async def ask(self, namespace: str, way: Any, cases: Sequence[Any], *, of: int) -> Evaluation | None:
        """Take one up; none when too many of the namespace wait."""
        row = await self.postgres.row(
            QUERIES.ask,
            namespace=namespace,
            id=new_id(),
            way=msgspec.json.encode(way).decode(),
            cases=msgspec.json.encode(cases).decode(),
            of=of,
            most=MOST_WAITING,
        )
        return evaluation_of(row) if row else None

    async def claim(self) -> Claim | None:
        """The next one to work on, of whatever namespace."""
        lease = new_id()
        await self.postgres.rows(QUERIES.give_up, most=MOST_ATTEMPTS)
        row = await self.postgres.row(QUERIES.claim, lease=lease, seconds=LEASE_SECONDS, most=MOST_ATTEMPTS)
        return Claim(lease=lease, **row) if row else None

    async def go_on(self, claim: Claim, asked: int, of: int) -> bool:
        """Note how far it is; False when it is no longer ours."""
        row = await self.postgres.row(
            QUERIES.go_on,
            namespace=claim.namespace,
            id=claim.id,
            lease=claim.lease,
            asked=asked,
            of=of,
            seconds=LEASE_SECONDS,
        )
        return row is not None

    async def finish(self, claim: Claim, *, report: Any = None, error: str | None = None) -> None:
        """It is done, or failed for a reason of its own; the oldest of the namespace make room."""
        await self.postgres.rows(
            QUERIES.finish,
            namespace=claim.namespace,
            id=claim.id,
            lease=claim.lease,
            report=msgspec.json.encode(report).decode() if report is not None else None,
            error=error,
        )
        await self.postgres.rows(QUERIES.let_go, namespace=claim.namespace, most=MOST_KEPT)

    async def page(self, namespace: str, *, limit: int, after: str | None) -> list[Evaluation]:
        """Evaluations, newest first."""
        rows = await self.postgres.rows(QUERIES.page, namespace=namespace, limit=limit, after=after)
        return [evaluation_of(row) for row in rows]

    async def by_id(self, namespace: str, evaluation: str) -> Evaluation | None:
        """One evaluation, if the namespace has it."""
        row = await self.postgres.row(QUERIES.by_id, namespace=namespace, id=evaluation)
        return evaluation_of(row) if row else None


def evaluation_of(row: Row) -> Evaluation:
    """An evaluation from its row."""
    return msgspec.convert(row, Evaluation)
