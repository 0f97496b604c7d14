"""The nouns: what is kept, what is asked, what comes back."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
import uuid_utils
from msgspec import UNSET, Meta, Struct, UnsetType, field

MemoryId: TypeAlias = str
Scores: TypeAlias = dict[MemoryId, float]

# A `$` alone would let a trailing newline pass.
NAMESPACE_PATTERN = r"^[a-z0-9_]{1,64}(?!\n)$"
ID_PATTERN = r"^[A-Za-z0-9_.:-]{1,128}(?!\n)$"
NO_NUL_PATTERN = "^[^\\x00]*$"
QUERY_PATTERN = r"^[^\x00]*[^\s\x00][^\x00]*$"

METADATA_BYTES = 64 * 1024
BATCH_SIZE = 1000
EVERGREEN_TYPES = frozenset({"person", "place", "relationship"})

Namespace = Annotated[str, Meta(pattern=NAMESPACE_PATTERN, description="the tenant")]
EpisodeId = Annotated[str, Meta(pattern=ID_PATTERN)]
Name = Annotated[str, Meta(max_length=500, pattern=NO_NUL_PATTERN)]
Word = Annotated[str, Meta(min_length=1, max_length=500, pattern=NO_NUL_PATTERN)]
Content = Annotated[str, Meta(min_length=1, max_length=1_000_000, pattern=NO_NUL_PATTERN)]
Summary = Annotated[str, Meta(max_length=10_000, pattern=NO_NUL_PATTERN)]
QueryText = Annotated[str, Meta(min_length=1, max_length=10_000, pattern=QUERY_PATTERN)]
Time = Annotated[datetime, Meta(tz=True)]
Origin = Literal["user", "assistant", "tool", "document", "recalled"]
Importance = Literal["low", "normal", "high"]
Kind = Literal["episode", "fact"]
Mode = Literal["auto", "hybrid", "keyword", "semantic", "graph"]
Trait = Literal["global", "user_preference", "user_fact", "preference", "generic", "rollup", "event", "dated"]
JobKind = Literal["extract", "read", "embed", "project", "consolidate"]
JobState = Literal["waiting", "running", "done", "failed", "dead"]
Role = Literal["reader", "writer", "admin"]


def new_id() -> str:
    """A UUIDv7: unique, and later ones sort after earlier ones."""
    return str(uuid_utils.uuid7())


class StatedFact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A fact that a caller states together with an episode."""

    source: Annotated[str, Meta(min_length=1, max_length=500, pattern=QUERY_PATTERN)]
    relation: Annotated[str, Meta(min_length=1, max_length=200, pattern=QUERY_PATTERN)]
    target: Annotated[str, Meta(min_length=1, max_length=500, pattern=QUERY_PATTERN)]
    fact: Annotated[str, Meta(min_length=1, max_length=4000, pattern=QUERY_PATTERN)]
    valid_at: Time | None = None
    invalid_at: Time | None = None
    source_type: Name | None = None
    target_type: Name | None = None


class NewFact(StatedFact, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A fact that a caller states by itself, or as said in episodes that are there."""

    episodes: Annotated[tuple[EpisodeId, ...], Meta(max_length=1000)] = ()
    replaces: Name | None = None
    namespace: Namespace | None = None


class NewEpisode(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An episode as a caller sends it; what was not sent is unset, which is not the same as null."""

    content: Content
    id: EpisodeId | UnsetType = UNSET
    speaker: Name | UnsetType | None = UNSET
    session: Name | UnsetType | None = UNSET
    project: Name | UnsetType | None = UNSET
    origin: Origin | UnsetType = UNSET
    type: Word | UnsetType = UNSET
    importance: Importance | UnsetType = UNSET
    path: Name | UnsetType | None = UNSET
    title: Name | UnsetType | None = UNSET
    summary: Summary | UnsetType | None = UNSET
    occurred_at: Time | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET
    facts: Annotated[tuple[StatedFact, ...], Meta(max_length=1000)] | UnsetType = UNSET
    namespace: Namespace | UnsetType | None = UNSET


class Episode(Struct, frozen=True, kw_only=True):
    """What was said, as it is kept."""

    namespace: str
    id: MemoryId
    content: str
    speaker: str | None = None
    session: str | None = None
    project: str | None = None
    origin: Origin = "user"
    type: str = "message"
    importance: Importance = "normal"
    path: str | None = None
    title: str | None = None
    summary: str | None = None
    occurred_at: datetime
    created_at: datetime
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    facts: tuple[StatedFact, ...] = ()


class Filters(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a memory must be for a leg to return it; empty lets all through but what has faded and what stands behind
    another that says the same, which `archived` and `duplicates` let through as well."""

    sessions: tuple[str, ...] | None = None
    project: str | None = None
    origins: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    valid_as_of: datetime | None = None
    known_as_of: datetime | None = None
    archived: bool = False
    duplicates: bool = False

    @property
    def narrow(self) -> bool:
        """Whether any of them binds."""
        return msgspec.structs.replace(self, archived=False, duplicates=False) != Filters()

    @property
    def bound(self) -> bool:
        """Whether any binds but the two clocks."""
        return msgspec.structs.replace(self, valid_as_of=None, known_as_of=None).narrow


class Hit(Struct, frozen=True):
    """One memory that a leg found."""

    memory_id: MemoryId
    score: float


class Node(Struct, frozen=True):
    """An entity or episode of the graph; its degree counts all it is tied to, also what was not read."""

    id: str
    kind: Literal["entity", "episode"]
    degree: int


class Tie(Struct, frozen=True):
    """What ties two nodes: a fact, a mention of an entity in an episode, what was said next in a session, or a synapse.

    Of a fact there is its id, its relation, the number of episodes that support it, and when it was last confirmed.
    Of a synapse there is its weight and when, as `confirmed`, it had that.
    """

    kind: Literal["fact", "mention", "session", "synapse"]
    source: str
    target: str
    fact: MemoryId | None = None
    relation: str | None = None
    support: int = 1
    confirmed: int | None = None
    weight: float = 1.0


class Neighbourhood(Struct, frozen=True):
    """What lies around some nodes of the graph."""

    nodes: dict[str, Node]
    ties: list[Tie]


class Job(Struct, frozen=True, kw_only=True):
    """Work that follows a write: one episode's, or that of all episodes of a batch."""

    id: str
    kind: JobKind
    state: JobState
    attempts: int
    error: str | None
    cost: dict[str, int]
    created_at: datetime
    finished_at: datetime | None
    episodes: int


class Key(Struct, frozen=True, kw_only=True):
    """Who may do what where; the secret itself is never kept."""

    id: str
    name: str
    role: Role
    namespaces: tuple[str, ...]
    created_at: datetime
    last_used_at: datetime | None = None

    def reaches(self, namespace: str) -> bool:
        """Whether the key's scope covers that namespace."""
        return "*" in self.namespaces or namespace in self.namespaces

    @property
    def home(self) -> str:
        """The namespace meant when a request names none."""
        return self.namespaces[0] if len(self.namespaces) == 1 and self.namespaces[0] != "*" else "default"


def utc(moment: datetime) -> datetime:
    """The same instant in UTC.

    >>> utc(datetime.fromisoformat("2026-02-21T10:30:00+01:00")).isoformat()
    '2026-02-21T09:30:00+00:00'
    """
    return moment.astimezone(UTC)


class Query(Struct, frozen=True, kw_only=True):
    """A question, with everything that bounds its answer."""

    namespace: str
    text: str
    limit: int = 10
    mode: Mode = "auto"
    kinds: tuple[Kind, ...] = ("episode", "fact")
    filters: Filters = Filters()
    exclude: tuple[str, ...] = ()
    hyde: bool | None = None
    skip_retry_ladder: bool = False
    aliases: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


class Missing(Struct, frozen=True):
    """A leg that could not run, and why."""

    leg: str
    reason: str


class LegNote(Struct, frozen=True):
    """Where a leg placed a memory."""

    rank: int
    score: float


class Interval(NamedTuple):
    """From when to when, the end being the first moment after it."""

    since: datetime
    until: datetime

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies in it."""
        return self.since <= moment < self.until


class Nature(Struct, frozen=True, kw_only=True):
    """What ordering and weighing need to know of a memory; a fact is as old as its last confirmation.

    A lasting one belongs to who somebody is and does not fade: the night found it said again and again.
    """

    kind: Kind
    type: str
    moment: datetime
    digest: str
    importance: Importance = "normal"
    path: str | None = None
    traits: frozenset[Trait] = frozenset()
    accesses: int = 0
    lasting: bool = False


class Step(Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """One step of the way on which charge came to a memory."""

    source: str
    relation: str
    target: str
    charge: float


class Recalled(Struct, frozen=True, kw_only=True):
    """One memory of an answer, with the reason it is there."""

    id: MemoryId
    kind: Kind
    text: str
    title: str | None = None
    summary: str | None = None
    speaker: str | None = None
    session: str | None = None
    type: str
    occurred_at: datetime
    score: float = 0.0
    relevance: float | None = None
    legs: dict[str, LegNote] = field(default_factory=dict[str, LegNote])
    entities: tuple[dict[str, Any], ...] = ()
    fact: dict[str, Any] | None = None
    path: tuple[Step, ...] = ()
