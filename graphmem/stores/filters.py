"""What bounds a search: the namespace, the filters of the question, the ids already known."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from graphmem.memory import Filters


@dataclass(frozen=True)
class Scope:
    """Where a leg may look."""

    namespace: str
    filters: Filters = field(default_factory=Filters)
    exclude: tuple[str, ...] = ()

    def parameters(self) -> dict[str, Any]:
        """As the queries of every leg take it."""
        return {
            "namespace": self.namespace,
            "narrow": self.filters.narrow,
            "filters": msgspec.json.encode(self.filters).decode(),
            "exclude": list(self.exclude),
        }
