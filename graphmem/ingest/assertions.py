"""What facts that a caller states say, as mentions and statements (pure)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from msgspec import structs

from graphmem.errors import InvalidError
from graphmem.ingest.extract import Names, stated_statement
from graphmem.ingest.intake import check_times
from graphmem.ingest.settle import moment
from graphmem.ledger import OUTSIDE, Fact, Mention, NamedFact, Statement, as_uuid, named_uuid
from graphmem.memory import NewFact

TICK = timedelta(microseconds=1)


@dataclass(frozen=True)
class Assertion:
    """One stated fact: its id, the one it replaces, and where it stands in the request."""

    new: NewFact
    id: str
    replaces: str | None
    path: str

    @property
    def places(self) -> tuple[str, ...]:
        """The episodes it was stated in; outside of any where it names none."""
        return tuple(dict.fromkeys(self.new.episodes)) or (OUTSIDE,)


@dataclass(frozen=True)
class Circumstances:
    """What is there when facts are stated: names, the moment, episodes with their times, facts by id."""

    names: Names
    now: datetime
    episodes: Mapping[str, datetime]
    facts: Mapping[str, NamedFact]

    def said_at(self, episode: str) -> datetime:
        """When it is said: now, and never before the episode is as it is, whatever the clocks of two machines say."""
        return max(self.now, self.episodes[episode] + TICK) if episode in self.episodes else self.now


def assertions(news: Sequence[NewFact], names: Names, *, now: datetime, path: str) -> list[Assertion]:
    """The facts of a request with their ids; `path` has a place for the number of each."""
    found: list[Assertion] = []
    for place, new in enumerate(news):
        field = path.format(place)
        check_times(new.valid_at, new.invalid_at, field=field)
        fact_id = stated_statement(new, names, episode=OUTSIDE, created_at=now).fixed_fact or ""
        replaces = None if new.replaces is None else as_uuid(new.replaces) or unknown(f"{field}replaces", "fact")
        if replaces == fact_id:
            raise InvalidError.of(f"{field}replaces", "must be another fact")
        found.append(Assertion(new, fact_id, replaces, field))
    return found


def unknown(field: str, noun: str) -> str:
    """Refuse a field that names something we do not have."""
    raise InvalidError.of(field, f"there is no such {noun} in this namespace")


def refuse_unknown(asserted: Sequence[Assertion], given: Circumstances) -> None:
    """Refuse facts that rest on episodes, or replace facts, that are not there."""
    for one in asserted:
        for place, episode in enumerate(one.new.episodes):
            if episode not in given.episodes:
                unknown(f"{one.path}episodes[{place}]", "episode")
        if one.replaces is not None and one.replaces not in given.facts:
            unknown(f"{one.path}replaces", "fact")


def mentions_in(asserted: Sequence[Assertion], given: Circumstances) -> list[Mention]:
    """Whom the facts name, once in each place; the last name and the last type that was given."""
    found: dict[tuple[str, str], Mention] = {}
    for one in asserted:
        ends = ((one.new.source, one.new.source_type), (one.new.target, one.new.target_type))
        for episode, (name, kind) in ((episode, end) for episode in one.places for end in ends):
            entity = given.names.entity(name)
            before = found.get((episode, entity))
            found[episode, entity] = Mention(
                episode=episode,
                named=entity,
                entity=entity,
                name=name,
                type=kind or (before.type if before else None),
                created_at=given.said_at(episode),
            )
    return list(found.values())


def statements_in(one: Assertion, given: Circumstances) -> list[Statement]:
    """What a fact says, once for each place: that it holds, and that the one it replaces no longer does."""
    said = [
        stated_statement(one.new, given.names, episode=episode, created_at=given.said_at(episode))
        for episode in one.places
    ]
    before = given.facts.get(one.id)
    if before is not None:
        said = [said_again(statement, before) for statement in said]
    if one.replaces is None:
        return said
    old = given.facts[one.replaces]
    not_begun = old.valid_at is not None and old.valid_at > given.now
    end = given.now if not_begun else one.new.valid_at or given.now
    return [*said, *(replaced(old, statement, invalid_at=end) for statement in said)]


def said_again(statement: Statement, before: Fact) -> Statement:
    """The same statement, or, where the fact has ended and this says that it holds after that, a new one."""
    begins, ended = moment(statement), before.invalid_at is not None and before.invalid_at <= moment(statement)
    if not ended or (statement.invalid_at is not None and statement.invalid_at <= begins):
        return statement
    return structs.replace(statement, id=named_uuid(statement.id, "again", statement.created_at.isoformat()))


def replaced(old: NamedFact, by: Statement, *, invalid_at: datetime) -> Statement:
    """A fact ends because another was stated in its place; taken back with the statement of that other."""
    return structs.replace(
        ended(old, text=by.text, invalid_at=invalid_at, created_at=by.created_at),
        id=named_uuid(by.id, "replaces", old.id),
        episode=by.episode,
        replaced_by=by.fixed_fact,
    )


def ended(fact: NamedFact, *, text: str, invalid_at: datetime, created_at: datetime) -> Statement:
    """A caller says that a fact no longer holds; the same end said twice is one, until the fact is stated again."""
    return Statement(
        id=named_uuid("invalidated", fact.id, fact.confirmed_at.isoformat(), invalid_at.isoformat()),
        episode=OUTSIDE,
        named_source=fact.named_source,
        named_target=fact.named_target,
        source=fact.source,
        relation=fact.relation,
        target=fact.target,
        text=text,
        valid_at=None,
        invalid_at=invalid_at,
        ends=True,
        origin="stated",
        fixed_fact=fact.id,
        created_at=created_at,
    )
