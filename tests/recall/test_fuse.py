"""Fusion: the formula, and what must hold of it whatever the runs are."""

import math

from hypothesis import given
from hypothesis import strategies as st

from graphmem.recall.ranking.fuse import fuse

ids = st.text("abcdef", min_size=1, max_size=2)
runs = st.dictionaries(st.sampled_from(["keyword", "vector", "graph"]), st.lists(ids, unique=True, max_size=8))
weights = st.dictionaries(st.sampled_from(["keyword", "vector", "graph"]), st.floats(0, 5), max_size=3)
ks = st.floats(1, 1000)


def test_a_memory_gets_a_share_from_each_leg_that_found_it() -> None:
    scores = fuse({"keyword": ["a", "b"], "vector": ["b", "c"]}, k=60, weights={"keyword": 1, "vector": 1})

    assert scores == {"b": 1 / 62 + 1 / 61, "a": 1 / 61, "c": 1 / 62}


def test_first_in_both_lists_is_0_0328_and_in_one_0_0164() -> None:
    scores = fuse({"dense": ["x", "y"], "sparse": ["x"]}, k=60, weights={})

    assert round(scores["x"], 4) == 0.0328
    assert round(fuse({"dense": ["x"]}, k=60, weights={})["x"], 4) == 0.0164


def test_three_lists_give_0_0486_to_ranks_one_two_two() -> None:
    lists = {"keyword": ["s"], "vector": ["x", "s"], "graph": ["y", "s"]}

    assert math.isclose(fuse(lists, k=60, weights={})["s"], 1 / 61 + 1 / 62 + 1 / 62)


def test_a_leg_of_weight_zero_lets_nothing_in() -> None:
    assert fuse({"keyword": ["a"], "vector": ["b"]}, k=8, weights={"keyword": 0, "vector": 1}) == {"b": 1 / 9}


@given(runs, weights, ks)
def test_the_order_of_the_legs_never_matters(runs: dict, weights: dict, k: float) -> None:
    backwards = dict(reversed(list(runs.items())))

    assert list(fuse(runs, k=k, weights=weights).items()) == list(fuse(backwards, k=k, weights=weights).items())


@given(runs, weights, ks)
def test_scores_are_bounded_finite_and_best_first(runs: dict, weights: dict, k: float) -> None:
    scores = list(fuse(runs, k=k, weights=weights).values())

    most = sum(weights.get(leg, 1.0) for leg in runs) / (k + 1)
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= most * (1 + 1e-9) and math.isfinite(score) for score in scores)


@given(runs, ks, ids)
def test_one_more_vote_never_lowers_a_memory(runs: dict, k: float, memory_id: str) -> None:
    before = fuse(runs, k=k, weights={}).get(memory_id, 0)
    after = fuse(runs | {"extra": [memory_id]}, k=k, weights={})[memory_id]

    assert after > before
