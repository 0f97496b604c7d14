"""Which facts follow from what was said (pure).

Statements about one pair and relation make one fact, and confirm it each time. Where a relation holds one value at a
time (lives in, works at), a statement of another value ends the fact before it, from the moment it is said to hold.
What follows depends on what was said and when it held, never on the order in which it arrived: a statement that comes
late is placed in the past, and without a statement everything is as if it had never been made.
"""

from collections.abc import Iterable
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
    drafts: dict[str, Draft] = {}
    holding: dict[str, Draft] = {}
    for statement in sorted(statements, key=lambda one: (moment(one), one.created_at, one.id)):
        draft = draft_for(statement, drafts, holding)
        if statement.ends:
            draft.ends.append(statement)
            holding.pop(statement.target, None)
            continue
        draft.supports.append(statement)
        draft.successor = None  # stated again under its own id, it holds again
        if single_valued:
            retire_others(holding, statement, draft)
        holding[statement.target] = draft
    facts = [fact_of(draft) for draft in drafts.values()]
    belongs = {one.id: draft.id for draft in drafts.values() for one in (*draft.supports, *draft.ends)}
    return facts, belongs


def moment(statement: Statement) -> datetime:
    """When what it says begins, or ends, to hold; the time we heard it where it does not say."""
    return (statement.invalid_at if statement.ends else statement.valid_at) or statement.created_at


def draft_for(statement: Statement, drafts: dict[str, Draft], holding: dict[str, Draft]) -> Draft:
    """The fact a statement is about: the one it names, the one that holds, or a new one."""
    held = holding.get(statement.target)
    if statement.fixed_fact is None and held is not None and not ended_by_then(held, statement):
        return held
    fact_id = statement.fixed_fact or named_uuid("fact", statement.id)
    return drafts.setdefault(fact_id, Draft(fact_id))


def ended_by_then(draft: Draft, statement: Statement) -> bool:
    """Whether a fact was stated with an end that has come when this is said to hold."""
    return draft.first.invalid_at is not None and draft.first.invalid_at <= moment(statement)


def retire_others(holding: dict[str, Draft], statement: Statement, successor: Draft) -> None:
    """Another value now holds: those before it end, unless they were stated with an end of their own.

    Two values said of the very same moment stand side by side: nothing tells which came first.
    """
    for target, before in list(holding.items()):
        if target != statement.target and before.first.invalid_at is None and moment(before.first) < moment(statement):
            before.successor, before.retired_at = successor, moment(statement)
            del holding[target]


def fact_of(draft: Draft) -> Fact:
    """The finished fact: its first wording, its beginning, and the earliest of its ends."""
    first = draft.first
    stated = first.invalid_at if draft.supports else None
    ends: list[tuple[datetime, datetime | None, str | None]] = [(stated, None, None)] if stated else []
    ends += [(moment(end), max(end.created_at, draft.created_at), None) for end in draft.ends]
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
