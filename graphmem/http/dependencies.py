"""What handlers are given."""

from typing import Annotated, Any

from litestar import Request
from litestar.datastructures import State
from litestar.di import Provide
from litestar.params import QueryParameter

from graphmem.http.access import Access
from graphmem.service import Service

Limit = Annotated[int, QueryParameter(ge=1, le=1000, description="at most this many")]


def provide_service(state: State) -> Service:
    """The service of this process."""
    return state.service


def provide_access(request: Request[Any, Any, Any]) -> Access:
    """Whose request this is, as the guard found."""
    return request.state["access"]


DEPENDENCIES = {
    "service": Provide(provide_service, sync_to_thread=False),
    "access": Provide(provide_access, sync_to_thread=False),
}
