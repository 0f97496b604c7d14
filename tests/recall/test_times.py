"""A time that a question names prefers what was said then, and switches decay off; nothing is left out for it."""

from datetime import UTC, datetime

import pytest

from graphmem.memory import NewEpisode
from graphmem.recall.profiles import Numbers, Profile
from graphmem.recall.times import expression, named_time
from graphmem.service import Service
from tests.recall.test_recall import ask

pytestmark = pytest.mark.anyio
# A Thursday.
NOW = datetime(2026, 11, 19, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("What did we do last week?", "2026-11-09", "2026-11-16"),
        ("Who came in March 2026?", "2026-03-01", "2026-04-01"),
        ("What was that two days ago?", "2026-11-17", "2026-11-18"),
        ("and yesterday", "2026-11-18", "2026-11-19"),
        ("Where was I on Monday?", "2026-11-16", "2026-11-17"),
        ("Lunch on 5 March, 2026?", "2026-03-05", "2026-03-06"),
        ("What about March 5th?", "2026-03-05", "2026-03-06"),
        ("notes of 2026-03-05", "2026-03-05", "2026-03-06"),
        ("in the last three weeks", "2026-10-29", "2026-11-20"),
        ("Where did we go in 2024?", "2024-01-01", "2025-01-01"),
        ("the summer of 2025", "2025-06-01", "2025-09-01"),
    ],
)
async def test_a_time_is_read_as_people_say_it(question: str, since: str, until: str) -> None:
    named = await named_time(question, now=NOW)

    assert named is not None
    assert (f"{named.since:%Y-%m-%d}", f"{named.until:%Y-%m-%d}") == (since, until)


@pytest.mark.parametrize(
    "question", ["May I march in?", "Will it fall?", "Who is April?", "2024 boats", "every week", "the day", "x" * 9999]
)
def test_a_word_that_only_looks_like_a_time_is_none(question: str) -> None:
    assert expression(question) is None


async def test_what_was_said_then_comes_first_and_the_rest_follows(service: Service, namespace: str) -> None:
    fading = Profile(name="x", about="", numbers=Numbers(vector_weight=0, time_weight=1, floor=0, evergreen_floor=0))
    for name, day in (("then", datetime(2026, 3, 5, tzinfo=UTC)), ("now", NOW)):
        await service.ingester.add(namespace, NewEpisode(id=name, content="the red boat", occurred_at=day), now=NOW)

    plain = await service.recaller.recall(ask(namespace, "red boat"), fading, now=NOW)
    dated = await service.recaller.recall(ask(namespace, "the red boat in early spring of 2026"), fading, now=NOW)

    assert [result.id for result in plain.results] == ["now", "then"]
    assert [result.id for result in dated.results] == ["then", "now"]
    stages = {stage["name"]: stage["scores"] for stage in dated.trace["stages"]}
    assert "decay" not in stages
    assert stages["time"] == {"then": 2 * stages["fuse"]["then"], "now": stages["fuse"]["now"]}
    assert dated.trace["query"]["time"]["since"] == datetime(2026, 3, 1, tzinfo=UTC)
