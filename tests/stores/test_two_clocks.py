"""The two clocks: the rule in Postgres against the same rule, said slowly."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

START = datetime(2026, 1, 1, tzinfo=UTC)
FACT = """
    insert into fact (namespace, id, source, relation, target, fact, valid_at, invalid_at, stated_invalid_at,
        created_at, expired_at, confirmed_at, origin)
    values ('clocks', %(id)s, %(id)s, 'R', %(id)s, 'f', %(valid_at)s, %(invalid_at)s, %(stated_invalid_at)s,
        %(created_at)s, %(expired_at)s, %(created_at)s, 'stated')
"""
SHOWN = "select id from fact where namespace = 'clocks' and fact_shown(fact.*, %(valid)s, %(known)s)"


class Times(NamedTuple):
    """The times of one fact."""

    valid_at: datetime | None
    invalid_at: datetime | None
    stated_invalid_at: datetime | None
    created_at: datetime
    expired_at: datetime | None


def holds(fact: Times, valid: datetime | None, known: datetime) -> bool:
    """Whether a fact is shown."""
    if fact.created_at > known:
        return False
    end = fact.stated_invalid_at
    if fact.expired_at is None or fact.expired_at <= known:
        end = fact.invalid_at
    if valid is None:
        return end is None or end > known
    begun = fact.valid_at is None or fact.valid_at <= valid
    return begun and (end is None or valid < end)


moments = st.integers(0, 5).map(lambda day: START + timedelta(days=day))
maybe = st.none() | moments
facts = st.lists(st.builds(Times, maybe, maybe, maybe, moments, maybe), min_size=1, max_size=20)


@pytest.fixture
def connection(dsn: str) -> Any:
    with psycopg.connect(dsn) as opened:
        opened.execute("insert into namespace (namespace) values ('clocks')")
        yield opened


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(known_facts=facts, valid=maybe, known=moments)
def test_postgres_shows_what_the_rule_says(
    connection: psycopg.Connection, known_facts: list[Times], valid: datetime | None, known: datetime
) -> None:
    numbered = {uuid.UUID(int=number): fact for number, fact in enumerate(known_facts)}
    with connection.cursor() as cursor:
        cursor.execute("delete from fact")
        cursor.executemany(FACT, [{"id": one, **fact._asdict()} for one, fact in numbered.items()])
        shown = {row[0] for row in cursor.execute(SHOWN, {"valid": valid, "known": known})}

    assert shown == {one for one, fact in numbered.items() if holds(fact, valid, known)}
