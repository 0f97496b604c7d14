"""Named recipes: a search is data.

A profile's numbers share one flat set of names with `tuning` (this request only) and a namespace's settings; its rules
are what a number cannot say.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from graphmem.errors import InvalidError

Weight = Annotated[float, Meta(ge=0, le=5)]
Share = Annotated[float, Meta(ge=0, le=1)]
Multiple = Annotated[int, Meta(ge=0, le=10)]
Tie = Literal["newest", "path", "keyword", "vector", "graph"]


class Numbers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every number of a recipe, with its range; a weight or limit of 0 leaves a stage out."""

    keyword_weight: Weight = 1.0
    vector_weight: Weight = 1.0
    graph_weight: Weight = 0.3
    recency_weight: Weight = 0.0
    access_weight: Weight = 0.0
    hyde_weight: Weight = 0.3
    rrf_k: Annotated[float, Meta(ge=1, le=1000)] = 8.0
    importance_ranks: Annotated[int, Meta(ge=0, le=1000)] = 0
    bm25_k1: Annotated[float, Meta(ge=0, le=10)] = 1.2
    bm25_b: Share = 0.75
    candidate_k: Annotated[int, Meta(ge=1, le=1000)] = 100
    keyword_pool: Multiple = 0
    vector_pool: Multiple = 0
    graph_pool: Multiple = 0
    keyword_hours: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    vector_window: Annotated[int, Meta(ge=0, le=10_000)] = 0
    intent_weight: Share = 0.0
    time_weight: Weight = 1.0
    half_life_days: Annotated[float, Meta(gt=0, le=36500)] = 30.0
    floor: Share = 1.0
    evergreen_floor: Share = 1.0
    propagate_weight: Weight = 3.0
    hops: Annotated[int, Meta(ge=0, le=3)] = 3
    seeds: Annotated[int, Meta(ge=1, le=100)] = 10
    label_boost: Weight = 0.0
    rerank_top_n: Annotated[int, Meta(ge=0, le=100)] = 0
    mmr_lambda: Share = 1.0
    mmr_pool: Annotated[int, Meta(ge=0, le=200)] = 0
    min_relevance: Share = 0.0
    deadline_ms: Annotated[int, Meta(ge=1, le=60_000)] = 2000


class Rules(Struct, frozen=True, kw_only=True):
    """What a number cannot say; the defaults are what the service does unless a recipe is to be followed literally.

    `ties` settle equal scores: newest first, by path, or by the place in a leg; by id in the end. `ranks` are those of
    a list, or dense: hits of one score share a rank. `kernel` says how charge spreads. `relevance` is relative to the
    best of the pool, or raw. `dated_decay` lets a question that names a time be, or fades memories all the same.
    `fact_age` counts from when a fact was last confirmed, or is nothing. A hypothetical answer stands beside the
    question, or in its place.
    """

    ties: tuple[Tie, ...] = ("newest",)
    ranks: Literal["single", "dense"] = "single"
    kernel: Literal["names", "fire"] = "names"
    relevance: Literal["relative", "raw"] = "relative"
    similarity: Literal["words", "vectors"] = "words"
    dated_decay: Literal["off", "on"] = "off"
    fact_age: Literal["confirmed", "none"] = "confirmed"
    hypothetical: Literal["beside", "instead"] = "beside"


class Profile(Struct, frozen=True, kw_only=True):
    """A recipe: its name, what it is for, its numbers and rules, and how many memories it answers with by itself."""

    name: str
    about: str
    numbers: Numbers
    rules: Rules = Rules()
    limit: int = 10


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
    about="Keyword, vector and graph search, fused with a small k, and what shares a name with what the question"
    " names: what measured best on conversations and documents alike.",
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
