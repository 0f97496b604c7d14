"""How long to wait before asking again."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.models.retries import Retries, retry_after_seconds

RETRIES = Retries(attempts=4, first_seconds=1, longest_seconds=3)


@given(failed=st.integers(1, 3))
def test_the_wait_is_random_below_a_bound_that_doubles_up_to_the_longest(failed: int) -> None:
    pause = RETRIES.pause_seconds(failed)

    assert pause is not None
    assert 0 <= pause <= min(3, 2 ** (failed - 1))


def test_after_the_last_attempt_there_is_no_wait() -> None:
    assert RETRIES.pause_seconds(4) is None


def test_the_server_is_not_asked_before_it_wants_to_be() -> None:
    assert RETRIES.pause_seconds(1, "2") == 2


def test_a_server_that_wants_too_much_patience_is_given_up() -> None:
    assert RETRIES.pause_seconds(1, "4") is None


def test_a_date_is_understood() -> None:
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)

    assert retry_after_seconds(in_an_hour) == pytest.approx(3600, abs=60)


@pytest.mark.parametrize("header", ["Wed, 21 Oct 2015 07:28:00 GMT", "-5", "inf", "nan", "tomorrow", "", "1e400"])
def test_what_is_past_or_unreadable_asks_for_nothing(header: str) -> None:
    assert retry_after_seconds(header) == 0
