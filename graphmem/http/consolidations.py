"""The night: runs asked for, what they changed and why, and taking it back."""

import uuid
from typing import Annotated, Any

from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from msgspec import Meta, Struct

from graphmem.errors import InvalidError
from graphmem.http.access import Access
from graphmem.http.cursors import cursor_of, position_of
from graphmem.http.dependencies import Limit
from graphmem.http.facts import known_uuid
from graphmem.http.problems import problem_specs
from graphmem.ledger import as_uuid
from graphmem.memory import Namespace, Time
from graphmem.night import STEPS, Change, ChangeState, Consolidation, StepName
from graphmem.service import Service


class NewConsolidation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run that is asked for: all steps or some; a dry run only plans."""

    namespace: Namespace | None = None
    dry_run: bool = False
    steps: Annotated[tuple[StepName, ...], Meta(min_length=1, max_length=100)] | None = None


class ConsolidationPage(Struct, frozen=True):
    """A page of runs, newest first."""

    consolidations: list[Consolidation]
    cursor: str | None


class ShownChange(Struct, frozen=True, kw_only=True):
    """One change: what, why, and the rows of each table it changed as they were before and after it."""

    id: str
    run: str
    step: str
    kind: str
    state: ChangeState
    sure: bool
    subjects: list[str]
    reason: str
    evidence: list[str]
    before: list[dict[str, Any]]
    after: list[dict[str, Any]]
    created_at: Time
    decided_at: Time | None


class ChangePage(Struct, frozen=True):
    """A page of changes, oldest first."""

    changes: list[ShownChange]
    cursor: str | None


class Undone(ShownChange, frozen=True, kw_only=True):
    """The change, and all that were put back with it, newest first."""

    undone: list[str]


@post("/v1/consolidations", opt={"role": "writer"}, status_code=202, responses=problem_specs())
async def consolidate(
    data: JSONBody[NewConsolidation], access: NamedDependency[Access], service: NamedDependency[Service]
) -> Consolidation:
    """Have a namespace tidied; the worker does it, and the run tells how far it is."""
    return await service.consolidator.ask(
        access.namespace, now=access.now, steps=data.steps or STEPS, dry_run=data.dry_run
    )


@get("/v1/consolidations", opt={"role": "reader"}, responses=problem_specs())
async def list_consolidations(
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> ConsolidationPage:
    """The runs of the night, newest first."""
    after = position_of(cursor, tuple[uuid.UUID])
    runs = await service.consolidator.runs.page(access.namespace, limit=limit, after=str(after[0]) if after else None)
    return ConsolidationPage(runs, cursor_of(runs[-1].id) if len(runs) == limit else None)


@get("/v1/consolidations/{run_id:str}", opt={"role": "reader"}, responses=problem_specs(404))
async def show_consolidation(
    run_id: FromPath[str], access: NamedDependency[Access], service: NamedDependency[Service]
) -> Consolidation:
    """One run: how far it is, and what it did by step."""
    return await service.consolidator.find_run(access.namespace, known_uuid(run_id, "run"))


@get("/v1/changes", opt={"role": "reader"}, responses=problem_specs())
async def list_changes(  # noqa: PLR0913, PLR0917 - each is a query parameter
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    run: FromQuery[str | None] = None,
    change_state: Annotated[ChangeState | None, QueryParameter(name="state")] = None,
    step: FromQuery[StepName | None] = None,
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> ChangePage:
    """What the night did, proposes or plans, oldest first."""
    if run is not None and as_uuid(run) is None:
        raise InvalidError.of("run", "must be the id of a run")
    after = position_of(cursor, tuple[int])
    bounds = {"run": run, "state": change_state, "step": step}
    found = await service.consolidator.changes.page(
        access.namespace, limit=limit, after=after[0] if after else 0, **bounds
    )
    return ChangePage([shown(one) for one in found], cursor_of(found[-1].number) if len(found) == limit else None)


@get("/v1/changes/{change_id:str}", opt={"role": "reader"}, responses=problem_specs(404))
async def show_change(
    change_id: FromPath[str], access: NamedDependency[Access], service: NamedDependency[Service]
) -> ShownChange:
    """One change."""
    return shown(await service.consolidator.find_change(access.namespace, known_uuid(change_id, "change")))


@post("/v1/changes/{change_id:str}/undo", opt={"role": "writer"}, status_code=200, responses=problem_specs(404, 409))
async def undo_change(
    change_id: FromPath[str],
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    cascade: FromQuery[bool] = False,
) -> Undone:
    """Put a change back; with `cascade`, those that build on it first."""
    identity = known_uuid(change_id, "change")
    undone = await service.consolidator.undo(access.namespace, identity, now=access.now, cascade=cascade)
    change = await service.consolidator.find_change(access.namespace, identity)
    return Undone(**fields(change), undone=[one.id for one in undone])


@post("/v1/changes/{change_id:str}/accept", opt={"role": "writer"}, status_code=200, responses=problem_specs(404, 409))
async def accept_change(
    change_id: FromPath[str], access: NamedDependency[Access], service: NamedDependency[Service]
) -> ShownChange:
    """Do what a doubtful change proposes."""
    identity = known_uuid(change_id, "change")
    await service.consolidator.accept(access.namespace, identity, now=access.now)
    return shown(await service.consolidator.find_change(access.namespace, identity))


@post("/v1/changes/{change_id:str}/reject", opt={"role": "writer"}, status_code=200, responses=problem_specs(404, 409))
async def reject_change(
    change_id: FromPath[str], access: NamedDependency[Access], service: NamedDependency[Service]
) -> ShownChange:
    """Do not do what a doubtful change proposes; it comes back only with new evidence."""
    identity = known_uuid(change_id, "change")
    await service.consolidator.reject(access.namespace, identity, now=access.now)
    return shown(await service.consolidator.find_change(access.namespace, identity))


def shown(change: Change) -> ShownChange:
    """A change as the API shows it."""
    return ShownChange(**fields(change))


def fields(change: Change) -> dict[str, Any]:
    """What the API shows of a change."""
    names = ("id", "run", "step", "kind", "state", "sure", "subjects", "reason", "evidence", "created_at", "decided_at")
    before = [{"table": edit.table, **edit.before} for edit in change.edits if edit.before is not None]
    after = [{"table": edit.table, **edit.after} for edit in change.edits if edit.after is not None]
    return {name: getattr(change, name) for name in names} | {"before": before, "after": after}


HANDLERS = [
    consolidate,
    list_consolidations,
    show_consolidation,
    list_changes,
    show_change,
    undo_change,
    accept_change,
    reject_change,
]
