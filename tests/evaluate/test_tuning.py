"""What holds out is recommended, what only fits is not."""

from collections.abc import Callable

import numpy as np
import pytest

from graphmem.evaluate.ablations import BASE, profiles_of, verdict
from graphmem.evaluate.marks import Mark
from graphmem.evaluate.tuning import TRIED, advice, candidates
from graphmem.recall.profiles import DEFAULT, PROFILES, Numbers, Profile

QUESTIONS = 60


def marked(tried: dict[str, Profile], worth: Callable[[str, int], float]) -> dict[str, list[Mark]]:
    return {
        name: [
            Mark(question=str(place), category=None, recall_at_20=1.0, ndcg_at_10=worth(name, place))
            for place in range(QUESTIONS)
        ]
        for name in tried
    }


def test_every_number_that_is_tried_exists_and_is_in_range() -> None:
    assert set(TRIED) <= set(Numbers.__struct_fields__)
    assert len(candidates(DEFAULT, trials=500, seed=0)) > 100


def test_the_same_seed_tries_the_same_and_no_more_than_asked_for() -> None:
    first, again, other = (candidates(DEFAULT, trials=20, seed=seed) for seed in (1, 1, 2))

    assert list(first) == list(again)
    assert list(first) != list(other)
    assert len(first) == 21


def test_what_is_better_on_every_question_is_recommended() -> None:
    tried = candidates(DEFAULT, trials=10, seed=0)
    best = list(tried)[3]

    found = advice(DEFAULT, tried, marked(tried, lambda name, _: 0.9 if name == best else 0.5), folds=5, seed=0)

    assert found.changes == {
        name: getattr(tried[best].numbers, name)
        for name in Numbers.__struct_fields__
        if getattr(tried[best].numbers, name) != getattr(DEFAULT.numbers, name)
    }
    assert found.changes


def test_the_luckiest_of_many_that_are_no_better_is_not_recommended() -> None:
    tried = candidates(DEFAULT, trials=40, seed=0)
    noise = dict(zip(tried, np.random.default_rng(5).random((len(tried), QUESTIONS)), strict=True))

    found = advice(DEFAULT, tried, marked(tried, lambda name, place: noise[name][place]), folds=5, seed=0)

    assert found.best > found.now
    assert found.changes == {}
    assert "does not hold out" in found.reason


def test_what_helps_one_question_in_many_is_not_recommended() -> None:
    tried = candidates(DEFAULT, trials=10, seed=0)

    found = advice(
        DEFAULT, tried, marked(tried, lambda name, place: float(name != BASE and place < 3)), folds=5, seed=0
    )

    assert found.changes == {}


def test_few_questions_say_nothing() -> None:
    tried = candidates(DEFAULT, trials=4, seed=0)
    marks = {name: some[:19] for name, some in marked(tried, lambda *_: 1.0).items()}

    assert "20 questions" in advice(DEFAULT, tried, marks, folds=5, seed=0).reason


@pytest.mark.parametrize(
    "profile", [one for name, one in PROFILES.items() if name != "nexus"], ids=lambda one: one.name
)
def test_without_one_part_a_profile_differs_in_that_alone_and_keeps_a_leg(profile: Profile) -> None:
    numbers = [other.numbers for name, other in profiles_of(profile).items() if name != BASE]

    assert numbers
    assert all(one != profile.numbers for one in numbers)
    assert all(one.keyword_weight or one.vector_weight or one.graph_weight for one in numbers)


def test_the_only_leg_of_a_profile_is_not_left_out() -> None:
    assert list(profiles_of(PROFILES["nexus"])) == [BASE]


def test_an_interval_around_0_is_no_verdict() -> None:
    assert verdict([0.4, -0.3, 0.2, -0.4, 0.3, -0.2, 0.1]) == "can't tell"
