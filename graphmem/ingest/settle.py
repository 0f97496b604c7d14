"""Which facts follow from what was said (pure).

Statements about one pair and relation make one fact, and confirm it each time. Where a relation holds one value at a
time (lives in, works at), a statement of another value ends the fact before it, from the moment it is said to hold.
What follows depends on what was said and when it held, never on the order in which it arrived: a statement that comes
late is placed in the past, and without a statement everything is as if it had never been made.
"""

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.ledger import Fact, Statement, named_uuid


@dataclass
class Draft:
    """A fact in the making: the statements that support it, those that end it, and the fact that took its place."""

    id: str
    supports: list[Statement] = field(default_factory=list[Statement])
    ends: list[Statement] = field(default_factory=list[Statement])
    successor: "Draft | None" = None
    retired_at: datetime | None = None

    @property
    def first(self) -> Statement:
        """What it rests on: its earliest support, or the statement that ended it."""
        return (self.supports or self.ends)[0]

    @property
    def created_at(self) -> datetime:
        """When we first heard of it."""
        return min(statement.created_at for statement in (*self.supports, *self.ends[: not self.supports]))


def settle(statements: Iterable[Statement], *, single_valued: bool) -> tuple[list[Fact], dict[str, str]]:
    """The facts that follow from the statements of one group, and which fact each statement belongs to.

    A group is a source and relation where the relation is single-valued, otherwise a source, relation and target.
    """
    ordered = sorted(statements, key=lambda one: (moment(one), one.created_at, one.id))
    possible = {name for one in ordered if not one.ends for name in (one.fixed_fact, named_uuid("fact", one.id))}
    drafts: dict[str, Draft] = {}
    holding: dict[str, Draft] = {}
    for statement in ordered:
        draft = draft_for(statement, drafts, holding, possible)
        if statement.ends:
            end_holding(holding, statement, draft)
            continue
        draft.supports.append(statement)
        draft.successor = None  # stated again under its own id, it holds again
        if single_valued:
            retire_others(holding, statement, draft)
        holding[draft.id] = draft
    followed = [draft for draft in drafts.values() if follows(draft)]
    belongs = {one.id: draft.id for draft in followed for one in (*draft.supports, *draft.ends)}
    return [fact_of(draft) for draft in followed], belongs


def follows(draft: Draft) -> bool:
    """Whether there is a fact: it was stated, or said to be over; that a caller ended it states nothing."""
    return bool(draft.supports) or any(end.fixed_fact is None for end in draft.ends)


def moment(statement: Statement) -> datetime:
    """When what it says begins, or ends, to hold; the time we heard it where it does not say."""
    return (statement.invalid_at if statement.ends else statement.valid_at) or statement.created_at


def draft_for(
    statement: Statement, drafts: dict[str, Draft], holding: dict[str, Draft], possible: Set[str | None]
) -> Draft:
    """The fact a statement is about: the one it names, the one that holds, or a new one.

    The one that an end names may have gone with the episode it was first said in; then it ends the one that holds.
    """
    held = next((one for one in reversed(holding.values()) if one.first.target == statement.target), None)
    free = statement.fixed_fact is None or (statement.ends and statement.fixed_fact not in possible)
    if free and held is not None and not ended_by_then(held, statement):
        return held
    fact_id = statement.fixed_fact or named_uuid("fact", statement.id)
    return drafts.setdefault(fact_id, Draft(fact_id))


def end_holding(holding: dict[str, Draft], end: Statement, draft: Draft) -> None:
    """What was said to be over is: one fact where the end names it, otherwise every wording of it that holds."""
    others = [one for one in holding.values() if one is not draft and one.first.target == end.target]
    for ended in (draft, *(others if end.fixed_fact is None else ())):
        ended.ends.append(end)
        holding.pop(ended.id, None)


def ended_by_then(draft: Draft, statement: Statement) -> bool:
    """Whether a fact was stated with an end that has come when this is said to hold."""
    return draft.first.invalid_at is not None and draft.first.invalid_at <= moment(statement)


def retire_others(holding: dict[str, Draft], statement: Statement, successor: Draft) -> None:
    """Another value now holds: those before it end, unless they were stated with an end of their own.

    Two values said of the very same moment stand side by side: nothing tells which came first.
    """
    for before in list(holding.values()):
        other = before.first.target != statement.target
        if other and before.first.invalid_at is None and moment(before.first) < moment(statement):
            before.successor, before.retired_at = successor, moment(statement)
            del holding[before.id]


def stated_end(draft: Draft) -> datetime | None:
    """The end it was stated with; said again to hold after it, the end that was said then."""
    end: datetime | None = draft.supports[0].invalid_at if draft.supports else None
    for again in draft.supports[1:]:
        if end is not None and moment(again) >= end:
            end = again.invalid_at
    return end


def ends_in_force(draft: Draft) -> list[Statement]:
    """Those of its ends that count: of a caller's the last, and none that was taken back by saying it again."""
    callers = [end for end in draft.ends if end.origin == "stated"]
    last = max(callers, key=lambda end: (end.created_at, end.id), default=None)
    return [end for end in draft.ends if (end.origin != "stated" or end is last) and not renewed(draft, end)]


def renewed(draft: Draft, end: Statement) -> bool:
    """Whether it was said again, after the end was, to hold at that time or later."""
    return any(one.created_at > end.created_at and moment(one) >= moment(end) for one in draft.supports)


def fact_of(draft: Draft) -> Fact:
    """The finished fact: its first wording, its beginning, and the earliest of its ends."""
    first = draft.first
    stated = stated_end(draft)
    ends: list[tuple[datetime, datetime | None, str | None]] = [(stated, None, None)] if stated else []
    ends += [(moment(end), max(end.created_at, draft.created_at), end.replaced_by) for end in ends_in_force(draft)]
    if (after := draft.successor) is not None and draft.retired_at is not None:
        ends.append((draft.retired_at, max(after.created_at, draft.created_at), after.id))
    invalid_at, expired_at, retired_by = min(ends, key=lambda end: end[0]) if ends else (None, None, None)
    return Fact(
        id=draft.id,
        source=first.source,
        relation=first.relation,
        target=first.target,
        fact=first.text,
        valid_at=first.valid_at,
        invalid_at=invalid_at,
        stated_invalid_at=stated,
        created_at=draft.created_at,
        expired_at=expired_at,
        confirmed_at=max(one.created_at for one in (*draft.supports, first)),
        origin=first.origin,
        retired_by=retired_by,
    )
