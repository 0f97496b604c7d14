"""Measures against values worked out by hand."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.evaluate.measures import interval, ndcg, paired_interval, recall, reciprocal_rank, repeated, separation

IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_recall_counts_each_gold_id_within_the_first_k() -> None:
    assert recall(["x", "a", "b"], ["a", "b", "c"], 2) == pytest.approx(1 / 3)


def test_ndcg_is_the_gain_over_the_best_gain() -> None:
    found = ["a", "x", "b"]

    assert ndcg(found, ["a", "b"], 10) == pytest.approx((1 + 1 / log2(4)) / (1 + 1 / log2(3)))


def test_ndcg_expects_no_more_gold_than_fits() -> None:
    assert ndcg(["a", "b"], ["a", "b", "c"], 2) == 1


@given(IDS, IDS.filter(bool))
def test_every_measure_lies_between_0_and_1_and_is_0_together(found: list[str], gold: list[str]) -> None:
    values = [recall(found, gold, 10), reciprocal_rank(found, gold), ndcg(found, gold, 10)]

    assert all(0 <= value <= 1 + 1e-12 for value in values)
    assert len({value == 0 for value in values}) == 1


def test_texts_that_differ_in_case_and_spaces_are_repeated() -> None:
    assert repeated(["A b", "a  B", "c"]) == pytest.approx(1 / 3)


def test_separation_counts_pairs_in_the_right_order() -> None:
    assert separation([0.9, 0.4], [0.5, 0.1]) == 3 / 4


def test_an_interval_holds_its_mean_and_narrows_with_more_values() -> None:
    few, many = interval([0, 1] * 10), interval([0, 1] * 200)

    assert few.low < few.mean == 0.5 < few.high
    assert many.high - many.low < few.high - few.low


def test_a_paired_interval_sees_what_two_separate_ones_would_not() -> None:
    theirs = [0.0, 0.5, 0.9] * 10
    ours = [value + 0.01 for value in theirs]

    assert paired_interval(ours, theirs).low > 0
