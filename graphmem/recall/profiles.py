"""Named recipes: a search is data.

A profile's numbers share one flat set of names with `tuning` (this request only) and a namespace's settings.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from graphmem.errors import InvalidError

Weight = Annotated[float, Meta(ge=0, le=5)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Numbers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every number of a recipe, with its range; a weight or limit of 0 leaves a stage out."""

    keyword_weight: Weight = 1.0
    vector_weight: Weight = 1.0
    graph_weight: Weight = 0.3
    recency_weight: Weight = 0.0
    access_weight: Weight = 0.0
    rrf_k: Annotated[float, Meta(ge=1, le=1000)] = 8.0
    bm25_k1: Annotated[float, Meta(ge=0, le=10)] = 1.2
    bm25_b: Share = 0.75
    candidate_k: Annotated[int, Meta(ge=1, le=1000)] = 100
    half_life_days: Annotated[float, Meta(gt=0, le=36500)] = 30.0
    floor: Share = 1.0
    evergreen_floor: Share = 1.0
    mmr_lambda: Share = 1.0
    mmr_pool: Annotated[int, Meta(ge=0, le=200)] = 0
    rerank_top_n: Annotated[int, Meta(ge=0, le=100)] = 0
    propagate_weight: Weight = 3.0
    hops: Annotated[int, Meta(ge=0, le=3)] = 3
    min_relevance: Share = 0.0
    deadline_ms: Annotated[int, Meta(ge=1, le=60_000)] = 2000


class Profile(Struct, frozen=True, kw_only=True):
    """A recipe: its name, what it is for, its numbers."""

    name: str
    about: str
    numbers: Numbers


Tuning: Any = msgspec.defstruct(
    "Tuning",
    [(item.name, item.type | UnsetType, UNSET) for item in msgspec.structs.fields(Numbers)],
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    module=__name__,
)

DEFAULT = Profile(
    name="default",
    about="Keyword and vector search, fused with a small k: what measured best on conversations and documents alike.",
    numbers=Numbers(),
)
PROFILES: dict[str, Profile] = {profile.name: profile for profile in (DEFAULT,)}


def profile_named(name: str) -> Profile:
    """The profile of that name, or an error that lists those there are."""
    if name not in PROFILES:
        raise InvalidError.of("profile", f"must be one of {', '.join(PROFILES)}")
    return PROFILES[name]


def tuned(numbers: Numbers, changes: Mapping[str, Any], *, prefix: str = "tuning.") -> Numbers:
    """The numbers with some of them changed; an unknown name or a value out of range is refused.

    >>> tuned(Numbers(), {"rrf_k": 60}).rrf_k
    60.0
    >>> tuned(Numbers(), {"rrf_k": 0})
    Traceback (most recent call last):
        ...
    graphmem.errors.InvalidError: tuning.rrf_k: Expected `float` >= 1.0
    """
    if not changes:
        return numbers
    try:
        return msgspec.convert(msgspec.structs.asdict(numbers) | dict(changes), Numbers)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$.")
        raise InvalidError.of(prefix + (place.rstrip("`") or named_in(message)), message) from error


def named_in(message: str) -> str:
    """The field a complaint is about, where it gives no path."""
    return message.partition("field `")[2].rstrip("`")
