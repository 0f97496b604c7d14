"""The nouns of the night: what a step proposes, what the journal keeps of it, and a run."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args

from msgspec import Struct, field

from graphmem.ledger import named_uuid

Image: TypeAlias = Mapping[str, Any]
StepName = Literal[
    "catch_up",
    "same_entity",
    "contradictions",
    "confirm",
    "strengthen",
    "communities",
    "summaries",
    "near_duplicates",
    "fade",
]
STEPS: tuple[StepName, ...] = get_args(StepName)
RunState = Literal["waiting", "running", "done", "failed"]
ChangeState = Literal["planned", "proposed", "applied", "accepted", "rejected", "undone", "outdated"]


class Edit(Struct, frozen=True, kw_only=True):
    """One row of a decision table: how it was and how it is to be; none where there is no such row.

    A step leaves `before` out: it is read when the change is written down.
    """

    table: str
    key: Image
    after: Image | None
    before: Image | None = None

    @property
    def row(self) -> str:
        """The row it is about, as one text."""
        return f"{self.table}:{':'.join(str(self.key[name]) for name in sorted(self.key))}"


class Proposal(Struct, frozen=True, kw_only=True):
    """What a step would decide, with its reason; a doubtful one waits for a person.

    `subjects` are the ids it decides about: the same kind of thing is decided of the same subjects once. `evidence` are
    the ids it rests on, episodes and facts as a rule: one that was undone or rejected comes back only with evidence
    that was not there before. `touches` are ids of all that it reads or changes; a later change that touches one of
    them builds on it. The rows of its edits need not be named, nor its subjects. `reason` is a sentence that a person
    reads. Without edits it is something that was due anyway and is done by its step: nothing of it can be put back.
    """

    kind: str
    subjects: tuple[str, ...]
    evidence: tuple[str, ...]
    reason: str
    edits: tuple[Edit, ...] = ()
    touches: tuple[str, ...] = ()
    sure: bool = True

    def decides(self, namespace: str, step: str) -> str:
        """The id of the question that it answers."""
        return named_uuid("decides", namespace, step, self.kind, *self.subjects)

    def all_touched(self) -> list[str]:
        """All ids and rows that it touches, each once."""
        return sorted({*self.subjects, *self.touches, *(edit.row for edit in self.edits)})


class Batch(Struct, frozen=True):
    """Some of what a step proposes, written in one transaction together with how far the step has looked.

    `place` is what the step is given the next night, `looked` how many things it looked at since the last batch.
    """

    proposals: list[Proposal]
    place: dict[str, Any]
    looked: int = 0


class Change(Struct, frozen=True, kw_only=True):
    """What the journal keeps of one change; `number` orders them."""

    id: str
    number: int
    run: str
    step: str
    kind: str
    decides: str
    sure: bool
    subjects: list[str]
    evidence: list[str]
    touches: list[str]
    reason: str
    edits: list[Edit]
    state: ChangeState
    created_at: datetime
    decided_at: datetime | None

    @property
    def in_effect(self) -> bool:
        """Whether what it decided holds."""
        return self.state in {"applied", "accepted"}


class Consolidation(Struct, frozen=True, kw_only=True):
    """One run of the night over a namespace."""

    id: str
    namespace: str
    state: RunState
    dry_run: bool
    steps: list[StepName]
    counts: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    progress: dict[str, Any] = field(default_factory=dict[str, Any])
    error: str | None = None
    scheduled_for: datetime | None = None
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    took_ms: float | None = None
