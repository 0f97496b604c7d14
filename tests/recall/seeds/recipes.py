"""What tests of recipes have in common: what a recipe adds to the plainest search, and its stages by themselves."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from graphmem.memory import Nature, Query
from graphmem.recall.profiles import Numbers, Profile, Rules
from graphmem.recall.stages import Stages
from graphmem.recall.trace import Trace
from graphmem.recall.understand import understand

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LEGS = ("keyword", "vector", "graph")


def additions(profile: Profile) -> dict[str, Any]:
    """The numbers and rules of a recipe that differ from those of keyword and vector search, fused."""
    plain = msgspec.structs.asdict(Numbers()) | msgspec.structs.asdict(Rules())
    own = msgspec.structs.asdict(profile.numbers) | msgspec.structs.asdict(profile.rules)
    return {name: value for name, value in own.items() if value != plain[name]}


def stages_over(profile: Profile, text: str = "x", **query: Any) -> Stages:
    """The stages of a recipe for one question."""
    question = Query(namespace="n", text=text, **query)
    return Stages(question, profile, understand(question, profile.numbers, LEGS), NOW, Trace())


def natures_of(*ids: str, moment: datetime = NOW, **more: Any) -> dict[str, Nature]:
    """Memories of one age, unlike each other in their texts."""
    return {one: Nature(kind="episode", type="message", moment=moment, digest=one, **more) for one in ids}
