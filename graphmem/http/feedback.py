"""What an assistant made of an answer."""

from typing import Annotated

from litestar import post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from msgspec import Meta, Struct

from graphmem.errors import InvalidError
from graphmem.http.access import Access
from graphmem.http.problems import problem_specs
from graphmem.memory import NO_NUL_PATTERN, Namespace, new_id
from graphmem.service import Service
from graphmem.stores.accesses import Feedback

MemoryIds = Annotated[tuple[Annotated[str, Meta(max_length=128, pattern=NO_NUL_PATTERN)], ...], Meta(max_length=1000)]
SearchId = Annotated[str, Meta(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?!\n)$")]


class FeedbackRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What of an answer was used, and what was of no use."""

    namespace: Namespace | None = None
    search_id: SearchId | None = None
    useful: MemoryIds = ()
    useless: MemoryIds = ()


class FeedbackAnswer(Struct, frozen=True, kw_only=True):
    """How many memories it was kept for; one that does not exist is not counted."""

    useful: int
    useless: int


@post("/v1/feedback", opt={"role": "reader"}, status_code=200, responses=problem_specs())
async def give_feedback(
    data: JSONBody[FeedbackRequest], access: NamedDependency[Access], service: NamedDependency[Service]
) -> FeedbackAnswer:
    """Say what was of use; the night learns from it."""
    if not data.useful and not data.useless:
        raise InvalidError.of("useful", "must name a memory, unless useless does")
    if both := set(data.useful) & set(data.useless):
        raise InvalidError.of("useless", f"must not repeat {min(both)} of useful")
    feedback = Feedback(
        namespace=access.namespace,
        id=new_id(),
        answer=data.search_id,
        useful=data.useful,
        useless=data.useless,
        given_at=access.now,
    )
    return FeedbackAnswer(**await service.accesses.store.keep(feedback))


HANDLERS = [give_feedback]
