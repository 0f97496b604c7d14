"""Evaluations: known questions asked again by the worker, and what the answers are worth."""

import uuid
from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody
from msgspec import Meta, Struct

from graphmem.errors import NotFoundError
from graphmem.evaluate.questions import MOST_QUESTIONS, Case, check
from graphmem.evaluate.replay import Way
from graphmem.http.access import Access
from graphmem.http.cursors import cursor_of, position_of
from graphmem.http.dependencies import Limit
from graphmem.http.problems import problem_specs
from graphmem.memory import Kind, Name, Namespace
from graphmem.recall.profiles import Tuning
from graphmem.service import Service
from graphmem.stores.evaluations import Evaluation


class EvaluationRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Questions with their answers, and how they are to be asked."""

    questions: Annotated[tuple[Case, ...], Meta(min_length=1, max_length=MOST_QUESTIONS)]
    namespace: Namespace | None = None
    profile: Name | None = None
    tuning: Tuning | None = None  # pyright: ignore[reportInvalidTypeForm]
    kinds: Annotated[tuple[Kind, ...], Meta(min_length=1, max_length=2)] = ("episode", "fact")
    ablate: bool = False


class EvaluationPage(Struct, frozen=True):
    """A page of evaluations, newest first."""

    evaluations: list[Evaluation]
    cursor: str | None


@post("/v1/evaluations", opt={"role": "writer"}, status_code=202, responses=problem_specs(409))
async def evaluate(
    data: JSONBody[EvaluationRequest], access: NamedDependency[Access], service: NamedDependency[Service]
) -> Evaluation:
    """Have questions asked again; the worker does it, and the evaluation tells how far it is."""
    check(data.questions)
    tuning: dict[str, Any] = msgspec.to_builtins(data.tuning) if data.tuning is not None else {}
    way = Way(profile=data.profile, tuning=tuning, kinds=data.kinds, ablate=data.ablate)
    return await service.evaluations.ask(access.namespace, data.questions, way)


@get("/v1/evaluations", opt={"role": "reader"}, responses=problem_specs())
async def list_evaluations(
    access: NamedDependency[Access],
    service: NamedDependency[Service],
    limit: Limit = 50,
    cursor: FromQuery[str | None] = None,
) -> EvaluationPage:
    """Evaluations, newest first."""
    after = position_of(cursor, tuple[uuid.UUID])
    found = await service.evaluations.store.page(access.namespace, limit=limit, after=str(after[0]) if after else None)
    return EvaluationPage(found, cursor_of(found[-1].id) if len(found) == limit else None)


@get("/v1/evaluations/{evaluation_id:str}", opt={"role": "reader"}, responses=problem_specs(404))
async def show_evaluation(
    evaluation_id: FromPath[str], access: NamedDependency[Access], service: NamedDependency[Service]
) -> Evaluation:
    """One evaluation, with its report once it is done."""
    try:
        found = await service.evaluations.store.by_id(access.namespace, str(uuid.UUID(evaluation_id)))
    except ValueError:
        found = None
    if found is None:
        raise NotFoundError("There is no such evaluation in this namespace.")
    return found


HANDLERS = [evaluate, list_evaluations, show_evaluation]
