"""What follows from what was said: order never matters, nothing said is lost, nothing unsaid stays."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from graphmem.ingest.settle import settle
from graphmem.ledger import Fact, Statement

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)


def said(target: str, day: int, *, heard: int | None = None, **more: object) -> Statement:
    """Ann's home (or whatever) is `target` from that day on, as we heard on another."""
    known = START + DAY * (day if heard is None else heard)
    fields = {
        "id": f"{target}-{day}-{heard}",
        "episode": f"e{day}",
        "named_source": "ann",
        "named_target": target,
        "source": "ann",
        "relation": "LIVES_IN",
        "target": target,
        "text": f"Ann lives in {target}",
        "valid_at": START + DAY * day,
        "invalid_at": None,
        "ends": False,
        "origin": "local",
        "fixed_fact": None,
        "created_at": known,
    }
    return Statement(**fields | more)  # pyright: ignore[reportArgumentType]


def ends_of(facts: list[Fact]) -> list[tuple[str, int | None, int | None]]:
    """Each fact's target, and the days it begins and ends, in order."""

    def day(moment: datetime | None) -> int | None:
        return None if moment is None else (moment - START) // DAY

    return sorted(((f.target, day(f.valid_at), day(f.invalid_at)) for f in facts), key=lambda row: row[1] or 0)


def test_the_same_said_again_confirms() -> None:
    facts, belongs = settle([said("Paris", 1), said("Paris", 5)], single_valued=True)

    assert ends_of(facts) == [("Paris", 1, None)]
    assert facts[0].confirmed_at == START + 5 * DAY
    assert len(belongs) == 2


def test_another_value_ends_the_one_before_on_both_clocks() -> None:
    facts, _ = settle([said("Paris", 1), said("Berlin", 5, heard=7)], single_valued=True)

    paris = next(fact for fact in facts if fact.target == "Paris")
    berlin = next(fact for fact in facts if fact.target == "Berlin")
    assert (paris.invalid_at, paris.expired_at) == (START + 5 * DAY, START + 7 * DAY)
    assert (paris.retired_by, berlin.invalid_at) == (berlin.id, None)


def test_a_fact_that_arrives_late_is_placed_in_the_past() -> None:
    facts, _ = settle([said("Berlin", 5), said("Paris", 1, heard=9)], single_valued=True)

    assert ends_of(facts) == [("Paris", 1, 5), ("Berlin", 5, None)]


def test_who_comes_back_lives_there_a_second_time() -> None:
    facts, _ = settle([said("Paris", 1), said("Berlin", 5), said("Paris", 9)], single_valued=True)

    assert ends_of(facts) == [("Paris", 1, 5), ("Berlin", 5, 9), ("Paris", 9, None)]


def test_where_many_values_hold_none_ends_another() -> None:
    facts, _ = settle([said("tea", 1), said("coffee", 5)], single_valued=False)

    assert ends_of(facts) == [("tea", 1, None), ("coffee", 5, None)]


def test_an_end_ends_what_holds_and_an_end_of_nothing_is_a_past_fact() -> None:
    left = said("Paris", 4, ends=True, invalid_at=START + 4 * DAY, valid_at=None)
    facts, _ = settle([said("Paris", 1), left], single_valued=True)
    only, _ = settle([left], single_valued=True)

    assert ends_of(facts) == [("Paris", 1, 4)]
    assert ends_of(only) == [("Paris", None, 4)]


def test_a_stated_end_is_believed_and_expires_nothing() -> None:
    term = said("office", 1, invalid_at=START + 8 * DAY)
    facts, _ = settle([term, said("bench", 3)], single_valued=True)

    office = next(fact for fact in facts if fact.target == "office")
    assert (office.invalid_at, office.stated_invalid_at, office.expired_at) == (START + 8 * DAY, START + 8 * DAY, None)


statements = st.lists(
    st.builds(said, st.sampled_from(["Paris", "Berlin", "Rome"]), st.integers(0, 9), heard=st.integers(0, 9)),
    max_size=10,
    unique_by=lambda one: one.id,
)


@given(statements, st.randoms(), st.booleans())
def test_the_order_of_arrival_never_matters(said_so: list[Statement], random: object, single: bool) -> None:
    shuffled = list(said_so)
    random.shuffle(shuffled)  # pyright: ignore

    assert settle(shuffled, single_valued=single) == settle(said_so, single_valued=single)


@given(statements, st.booleans())
def test_every_statement_belongs_to_a_fact_that_has_its_target(said_so: list[Statement], single: bool) -> None:
    facts, belongs = settle(said_so, single_valued=single)

    targets = {fact.id: fact.target for fact in facts}
    assert all(targets[belongs[one.id]] == one.target for one in said_so)
    assert set(belongs.values()) == set(targets)


@given(statements)
def test_at_most_one_value_holds_at_a_time_unless_said_of_the_same_moment(said_so: list[Statement]) -> None:
    facts, _ = settle(said_so, single_valued=True)

    open_starts = [fact.valid_at for fact in facts if fact.invalid_at is None]
    assert len(set(open_starts)) <= 1


@given(statements)
def test_no_fact_ends_before_it_begins(said_so: list[Statement]) -> None:
    facts, _ = settle(said_so, single_valued=True)

    assert all(fact.invalid_at is None or fact.valid_at <= fact.invalid_at for fact in facts)  # pyright: ignore


def test_a_fact_stated_again_under_its_id_holds_again_and_ends_what_came_between() -> None:
    facts, _ = settle(
        [said("Paris", 1, fixed_fact="p"), said("Berlin", 5), said("Paris", 9, fixed_fact="p")], single_valued=True
    )

    assert ends_of(facts) == [("Paris", 1, None), ("Berlin", 5, 9)]


def ended(target: str, day: int, *, fact: str, heard: int, **more: object) -> Statement:
    """A caller says that a fact no longer holds from that day on."""
    end = {"ends": True, "valid_at": None, "invalid_at": START + DAY * day, "fixed_fact": fact, "origin": "stated"}
    return said(target, day, heard=heard, **end | {"id": f"end-{fact}-{day}-{heard}"} | more)


def test_every_wording_of_a_value_ends_when_another_takes_its_place() -> None:
    wordings = [said("Paris", 1, fixed_fact="p"), said("Paris", 2, fixed_fact="q"), said("Berlin", 5)]
    facts, _ = settle(wordings, single_valued=True)

    assert ends_of(facts) == [("Paris", 1, 5), ("Paris", 2, 5), ("Berlin", 5, None)]


def test_a_caller_ends_one_wording_and_an_episode_ends_them_all() -> None:
    wordings = [said("Paris", 1, fixed_fact="p"), said("Paris", 2, fixed_fact="q")]
    left = said("Paris", 4, ends=True, invalid_at=START + 4 * DAY, valid_at=None)

    assert ends_of(settle([*wordings, ended("Paris", 4, fact="p", heard=4)], single_valued=True)[0]) == [
        ("Paris", 1, 4),
        ("Paris", 2, None),
    ]
    assert ends_of(settle([*wordings, left], single_valued=True)[0]) == [("Paris", 1, 4), ("Paris", 2, 4)]


def test_of_a_callers_ends_the_one_said_last_counts() -> None:
    ends = [ended("Paris", 3, fact="p", heard=6), ended("Paris", 5, fact="p", heard=7)]
    facts, _ = settle([said("Paris", 1, fixed_fact="p"), *ends], single_valued=True)

    assert (facts[0].invalid_at, facts[0].expired_at) == (START + 5 * DAY, START + 7 * DAY)


def test_an_end_may_lie_before_the_day_we_heard_of_the_fact() -> None:
    heard_today = said("Paris", 5, valid_at=None, fixed_fact="p")
    facts, _ = settle([heard_today, ended("Paris", 2, fact="p", heard=6)], single_valued=True)

    assert ends_of(facts) == [("Paris", None, 2)]


def test_what_is_stated_again_after_its_end_holds_again() -> None:
    again = said("Paris", 9, fixed_fact="p")
    facts, _ = settle(
        [said("Paris", 1, fixed_fact="p"), ended("Paris", 5, fact="p", heard=5), again], single_valued=True
    )

    assert ends_of(facts) == [("Paris", 1, None)]


def test_a_caller_ending_a_fact_that_nothing_states_any_more_makes_no_fact() -> None:
    assert settle([ended("Paris", 4, fact="p", heard=4)], single_valued=True) == ([], {})


def test_an_end_stays_when_the_fact_it_named_rests_on_another_episode_now() -> None:
    first, second = said("Paris", 1), said("Paris", 2)
    (both,), _ = settle([first, second], single_valued=True)
    end = ended("Paris", 4, fact=both.id, heard=4)

    assert ends_of(settle([first, second, end], single_valued=True)[0]) == [("Paris", 1, 4)]
    assert ends_of(settle([second, end], single_valued=True)[0]) == [("Paris", 2, 4)]


def test_a_replaced_fact_tells_what_took_its_place() -> None:
    facts, _ = settle(
        [said("Paris", 1, fixed_fact="p"), ended("Paris", 4, fact="p", heard=4, replaced_by="r")], single_valued=False
    )

    assert facts[0].retired_by == "r"
