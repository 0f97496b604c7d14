"""Named recipes: a search is data.

A profile's numbers and rules share one flat set of names with `tuning` (this request only) and a namespace's settings.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from graphmem.errors import InvalidError

Weight = Annotated[float, Meta(ge=0, le=5)]
Share = Annotated[float, Meta(ge=0, le=1)]
Multiple = Annotated[int, Meta(ge=0, le=10)]
Tie = Literal["newest", "path", "keyword", "vector", "graph"]


class Numbers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every number of a recipe, with its range; a weight or limit of 0 leaves a stage out.

    By themselves they are the plainest search: keyword and vector, fused. A recipe says what it adds.
    """

    keyword_weight: Weight = 1.0
    vector_weight: Weight = 1.0
    graph_weight: Weight = 0.0
    recency_weight: Weight = 0.0
    access_weight: Weight = 0.0
    hyde_weight: Weight = 0.0
    hyde_deadline_ms: Annotated[int, Meta(ge=1, le=60_000)] = 2000
    rrf_k: Annotated[float, Meta(ge=1, le=1000)] = 60.0
    importance_ranks: Annotated[int, Meta(ge=0, le=1000)] = 0
    bm25_k1: Annotated[float, Meta(ge=0, le=10)] = 1.2
    bm25_b: Share = 0.75
    candidate_k: Annotated[int, Meta(ge=1, le=1000)] = 100
    keyword_pool: Multiple = 0
    vector_pool: Multiple = 0
    graph_pool: Multiple = 0
    keyword_hours: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    local_trust: Share = 1.0
    vector_window: Annotated[int, Meta(ge=0, le=10_000)] = 0
    surroundings_weight: Weight = 0.0
    surroundings_length: Annotated[int, Meta(ge=1, le=1_000_000)] = 400
    intent_weight: Share = 0.0
    time_weight: Weight = 0.0
    half_life_days: Annotated[float, Meta(gt=0, le=36500)] = 30.0
    floor: Share = 1.0
    evergreen_floor: Share = 1.0
    propagate_weight: Weight = 0.0
    hops: Annotated[int, Meta(ge=0, le=3)] = 3
    seeds: Annotated[int, Meta(ge=1, le=100)] = 10
    label_boost: Weight = 0.0
    rerank_top_n: Annotated[int, Meta(ge=0, le=100)] = 0
    mmr_lambda: Share = 1.0
    mmr_pool: Annotated[int, Meta(ge=0, le=200)] = 0
    min_relevance: Share = 0.0
    deadline_ms: Annotated[int, Meta(ge=1, le=60_000)] = 2000


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a number cannot say; the defaults are what the service does unless a recipe is to be followed literally.

    `ties` settle equal scores: newest first, by path, or by the place in a leg; by id in the end. `ranks` are those of
    a list, or dense: hits of one score share a rank. `retry` says what happens when no word is found, `graph_gives`
    whether facts also speak for their episodes. `kernel` says how charge spreads. `relevance` is relative to the best
    of the pool, or raw; `similarity` is of words, or of vectors. `dated_decay` lets a question that names a time be, or
    fades memories all the same. `fact_age` counts from when a fact was last confirmed, or is nothing. A hypothetical
    answer stands beside the question, or in its place.
    """

    ties: Annotated[Sequence[Tie], Meta(max_length=5)] = ("newest",)
    ranks: Literal["single", "dense"] = "single"
    retry: Literal["ladder", "none"] = "ladder"
    graph_gives: Literal["facts and episodes", "facts"] = "facts and episodes"
    kernel: Literal["names", "fire"] = "names"
    relevance: Literal["relative", "raw"] = "relative"
    similarity: Literal["words", "vectors"] = "words"
    dated_decay: Literal["off", "on"] = "off"
    fact_age: Literal["confirmed", "none"] = "confirmed"
    hypothetical: Literal["beside", "instead"] = "beside"


class Profile(Struct, frozen=True, kw_only=True):
    """A recipe: its name, what it is for, its numbers and rules.

    `limit` is how many memories a request is answered with that names the recipe and no limit.
    """

    name: str
    about: str
    numbers: Numbers
    rules: Rules = field(default_factory=Rules)
    limit: int = 10

    @property
    def minds_times(self) -> bool:
        """Whether it makes a difference that a question names a time."""
        fades = min(self.numbers.floor, self.numbers.evergreen_floor) < 1
        return bool(self.numbers.time_weight) or (fades and self.rules.dated_decay == "off")


# Numbers and rules of every recipe in one flat set of names.
KNOBS = (*msgspec.structs.fields(Numbers), *msgspec.structs.fields(Rules))

Tuning: Any = msgspec.defstruct(
    "Tuning",
    [(item.name, item.type | UnsetType, UNSET) for item in KNOBS],
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
    numbers=Numbers(
        graph_weight=0.75,
        local_trust=0.27,
        hyde_weight=0.3,
        rrf_k=4.0,
        bm25_k1=1.5,
        surroundings_weight=1.0,
        time_weight=1.0,
        propagate_weight=3.0,
    ),
)
JEFFS_BRAIN = Profile(
    name="jeffs_brain",
    about="Notes: keyword and vector search, a ladder of retries, weighed by what the question is after, judged.",
    limit=10,
    numbers=Numbers(rrf_k=60.0, candidate_k=60, intent_weight=1.0, rerank_top_n=20),
    rules=Rules(ties=("path",)),
)
NEXUS = Profile(
    name="nexus",
    about="Vector search, and keyword search where a namespace gives it a weight.",
    limit=10,
    numbers=Numbers(rrf_k=60.0, vector_weight=1.0, keyword_weight=0.0, vector_pool=1, keyword_pool=2),
    rules=Rules(ties=("vector", "keyword"), retry="none"),
)
GENIE = Profile(
    name="genie",
    about="A hypothetical answer in the question's place, vector and keyword search, then charge from node to node.",
    limit=8,
    numbers=Numbers(
        rrf_k=60.0,
        hyde_weight=1.0,
        propagate_weight=1.0,
        candidate_k=20,
        bm25_k1=1.5,
        bm25_b=0.75,
        hops=3,
        seeds=8,
        label_boost=0.5,
    ),
    rules=Rules(ties=("vector", "keyword"), retry="none", kernel="fire", hypothetical="instead"),
)
HER_OS = Profile(
    name="her_os",
    about="Voice: the last week's words, vectors and facts in three lists, faded by age, then varied.",
    limit=5,
    numbers=Numbers(
        rrf_k=60.0,
        graph_weight=1.0,
        keyword_pool=4,
        vector_pool=2,
        graph_pool=1,
        keyword_hours=168,
        half_life_days=30.0,
        floor=0.0,
        evergreen_floor=0.3,
        mmr_lambda=0.7,
        mmr_pool=20,
    ),
    rules=Rules(
        ties=("keyword", "vector", "graph"),
        retry="none",
        graph_gives="facts",
        relevance="raw",
        dated_decay="on",
        fact_age="none",
    ),
)
RECOLLECT = Profile(
    name="recollect",
    about="Words, meaning, age and use as four lists over what was accessed last and what shares a word.",
    limit=3,
    numbers=Numbers(
        rrf_k=60.0,
        keyword_weight=1.0,
        vector_weight=1.0,
        recency_weight=0.6,
        access_weight=0.4,
        importance_ranks=10,
        candidate_k=50,
        vector_window=200,
    ),
    rules=Rules(ranks="dense", retry="none"),
)
PROFILES: dict[str, Profile] = {
    profile.name: profile for profile in (DEFAULT, JEFFS_BRAIN, NEXUS, GENIE, HER_OS, RECOLLECT)
}


def profile_named(name: str) -> Profile:
    """The profile of that name, or an error that lists those there are."""
    if name not in PROFILES:
        raise InvalidError.of("profile", f"must be one of {', '.join(PROFILES)}")
    return PROFILES[name]


Part = TypeVar("Part", Numbers, Rules)


def tuned(profile: Profile, changes: Mapping[str, Any], *, prefix: str = "tuning.") -> Profile:
    """The profile with some of its numbers and rules changed; an unknown name or a value out of range is refused.

    >>> tuned(DEFAULT, {"rrf_k": 60, "similarity": "vectors"}).numbers.rrf_k
    60.0
    >>> tuned(DEFAULT, {"rrf_k": 0})
    Traceback (most recent call last):
        ...
    graphmem.errors.InvalidError: tuning.rrf_k: Expected `float` >= 1.0
    """
    if not changes:
        return profile
    rules = {name: value for name, value in changes.items() if name in Rules.__struct_fields__}
    numbers = {name: value for name, value in changes.items() if name not in rules}
    return msgspec.structs.replace(
        profile, numbers=changed(profile.numbers, numbers, prefix), rules=changed(profile.rules, rules, prefix)
    )


def changed(part: Part, changes: Mapping[str, Any], prefix: str) -> Part:
    """One part of a profile with some of it changed."""
    try:
        return msgspec.convert(msgspec.structs.asdict(part) | dict(changes), type(part))
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$.")
        raise InvalidError.of(prefix + (place.rstrip("`") or named_in(message)), message) from error


def named_in(message: str) -> str:
    """The field a complaint is about, where it gives no path."""
    return message.partition("field `")[2].rstrip("`")


def ranges() -> dict[str, Any]:
    """What each knob may be, as a JSON schema."""
    return {
        name: schema
        for part in (Numbers, Rules)
        for name, schema in msgspec.json.schema(part)["$defs"][part.__name__]["properties"].items()
    }
