"""What must hold of each stage of scores, whatever the scores are."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graphmem.memory import EVERGREEN_TYPES, Interval, Nature, Scores, Trait
from graphmem.recall.ranking.decay import decay
from graphmem.recall.ranking.diversify import by_words, distinct, diversify, jaccard, pool, words
from graphmem.recall.ranking.fuse import dense_ranks, fuse, raised, ranks
from graphmem.recall.ranking.intent import Intents, multiplier
from graphmem.recall.ranking.order import best_first, reordered
from graphmem.recall.ranking.prior import Prior, weigh
from graphmem.recall.ranking.propagate import propagate
from graphmem.recall.ranking.rerank import rerank, unanimity

NOW = datetime(2026, 3, 1, tzinfo=UTC)
IDS = "abcdefgh"
TRAITS: list[Trait] = ["global", "user_preference", "user_fact", "preference", "generic", "rollup", "event", "dated"]

ids = st.sampled_from(IDS)
shares = st.floats(0, 1)
positive = st.floats(1e-6, 10)
ranked = st.dictionaries(ids, positive, max_size=8).map(best_first)
rankings = st.lists(ids, unique=True, max_size=8)
runs = st.dictionaries(st.sampled_from(["keyword", "vector", "graph"]), rankings, max_size=3)
factors = st.fixed_dictionaries({one: st.floats(0, 5) for one in IDS})
ages = st.timedeltas(timedelta(days=-400), timedelta(days=40_000))
half_lives = st.timedeltas(timedelta(hours=1), timedelta(days=36_500))
texts = st.fixed_dictionaries({one: st.text("ab c.", max_size=8) for one in IDS})
asked = st.builds(Intents, st.booleans(), st.booleans())
natures = st.builds(
    Nature,
    kind=st.sampled_from(["episode", "fact"]),
    type=st.sampled_from(["message", *EVERGREEN_TYPES]),
    moment=ages.map(lambda age: NOW - age),
    digest=st.just(""),
    traits=st.frozensets(st.sampled_from(TRAITS)),
)
priors = st.builds(
    Prior,
    intents=asked,
    intent_weight=shares,
    half_life=half_lives,
    floor=shares,
    evergreen_floor=shares,
    now=st.just(NOW),
    time=st.none() | ages.map(lambda age: Interval(NOW - age, NOW - age + timedelta(days=7))),
    time_weight=st.floats(0, 5),
    fresh_facts=st.booleans(),
    timeless=st.booleans(),
)


def backwards(mapping: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(list(mapping.items())))


def descending(scores: Scores) -> bool:
    numbers = list(scores.values())
    return numbers == sorted(numbers, reverse=True) and all(math.isfinite(number) for number in numbers)


def test_nothing_stays_nothing() -> None:
    assert fuse({}, k=60, weights={}) == fuse({"keyword": []}, k=60, weights={}, bonus={"a": 1.0}) == {}
    assert (
        dense_ranks({})
        == weigh({}, {})
        == rerank({}, {"a": 1.0}, top_n=20)
        == propagate({}, {}, {}, weight=1, k=1)
        == {}
    )
    assert pool({}, 20) == distinct({}, {}) == diversify({}, {}, by_words({}), balance=0.7, limit=5).scores == {}
    assert (unanimity([], []), words(""), reordered({})) == (None, frozenset(), {})


@given(runs, st.floats(1, 1000), st.integers(0, 50))
def test_fusion_adds_a_bonus_to_what_was_found_alone_and_commutes(
    runs: dict[str, list[str]], k: float, places: int
) -> None:
    bonus = raised(IDS, k=k, ranks=places)

    plain, more = fuse(runs, k=k, weights={}), fuse(runs, k=k, weights={}, bonus=bonus)

    assert more.keys() == plain.keys() == {one for run in runs.values() for one in run}
    assert all(plain[one] <= more[one] <= plain[one] + 1 / (k + 1) for one in more)
    assert list(more.items()) == list(fuse(backwards(runs), k=k, weights={}, bonus=bonus).items())
    assert descending(more)


@given(st.dictionaries(ids, st.integers(0, 3)))
def test_dense_ranks_leave_no_gap_and_keep_the_order(values: dict[str, int]) -> None:
    dense = dense_ranks(values)

    assert sorted(set(dense.values())) == list(range(1, len(set(values.values())) + 1))
    assert all((values[one] > values[other]) == (dense[one] < dense[other]) for one in values for other in values)
    assert list(dense.items()) == list(dense_ranks(backwards(values)).items())
    assert ranks(dense) is dense


@given(ages, ages, half_lives, shares)
def test_decay_lies_between_its_floor_and_one_and_never_grows_with_age(
    one: timedelta, other: timedelta, half_life: timedelta, floor: float
) -> None:
    younger, older = (decay(age, half_life=half_life, floor=floor) for age in sorted((one, other)))

    assert floor <= older <= younger <= 1


@given(st.frozensets(st.sampled_from(TRAITS)), asked)
def test_an_intent_multiplies_within_the_bounds_of_its_tables(traits: frozenset[Trait], asked: Intents) -> None:
    product = multiplier(traits, asked)

    assert 0.82 * 0.9 * 0.45 * 0.75 - 1e-9 <= product <= 2.35 * 2.2 + 1e-9
    assert product == multiplier(sorted(traits), asked)
    assert math.isclose(
        product,
        multiplier(traits, Intents(preference=asked.preference))
        * multiplier(traits, Intents(concrete_fact=asked.concrete_fact)),
    )


@given(priors, natures)
def test_what_a_memory_is_worth_is_the_product_of_its_factors_and_finite(prior: Prior, nature: Nature) -> None:
    parts = (prior.intent(nature), prior.decay(nature), prior.time_of(nature))

    assert prior.of(nature) == parts[0] * parts[1] * parts[2]
    assert 0 < parts[0] <= 2.35 * 2.2 + 1e-9
    assert 0 <= parts[1] <= 1 <= parts[2] <= 6
    assert parts[0] == 1 or nature.kind == "episode"


@given(ranked, factors)
def test_weighing_multiplies_each_and_loses_none(scores: Scores, factors: Scores) -> None:
    weighed = weigh(scores, factors)

    assert weighed == {one: score * factors[one] for one, score in scores.items()}
    assert descending(weighed)
    assert list(weigh(scores, dict.fromkeys(IDS, 1.0)).items()) == list(scores.items())


@given(ranked, ranked, factors, st.floats(0, 5), st.floats(1, 1000))
def test_charge_never_lowers_a_score_and_lets_newcomers_in(
    scores: Scores, charges: Scores, priors: Scores, weight: float, k: float
) -> None:
    raised_by_charge = propagate(scores, charges, priors, weight=weight, k=k)

    assert raised_by_charge.keys() == scores.keys() | charges.keys()
    assert all(
        scores.get(one, 0) <= score <= scores.get(one, 0) + weight * 5 / (k + 1) + 1e-9
        for one, score in raised_by_charge.items()
    )
    assert descending(raised_by_charge)
    assert list(propagate(scores, {}, priors, weight=weight, k=k).items()) == list(scores.items())


@given(ranked, st.dictionaries(ids, st.floats(-5, 5)), st.integers(0, 8))
def test_a_judge_moves_the_head_alone_and_deals_out_its_scores(scores: Scores, judged: Scores, top_n: int) -> None:
    order = list(scores)

    reranked = rerank(scores, judged, top_n=top_n)

    assert set(list(reranked)[:top_n]) == set(order[:top_n])
    assert list(reranked)[top_n:] == order[top_n:]
    assert list(reranked.values()) == list(scores.values())
    assert list(reranked) == list(rerank(scores, backwards(judged), top_n=top_n))


@given(rankings, rankings)
def test_unanimity_is_mutual(keyword: list[str], vector: list[str]) -> None:
    one, other = unanimity(keyword, vector), unanimity(vector, keyword)

    assert (one and one.agreements) == (other and other.agreements)
    assert one is None or 2 <= one.agreements <= 3


@given(ranked, texts, shares, st.tuples(st.integers(0, 10), st.integers(0, 10)), st.booleans())
def test_variety_loses_nothing_and_leaves_what_is_beyond_the_pool(
    scores: Scores, texts: dict[str, str], balance: float, bounds: tuple[int, int], relative: bool
) -> None:
    size, limit = bounds
    first = pool(scores, size, relative=relative)

    varied = diversify(scores, first, by_words(texts), balance=balance, limit=limit)

    assert varied.scores == scores
    assert len(varied.picks) == min(limit, len(first))
    assert list(varied.scores)[: len(varied.picks)] == list(varied.picks)
    rest = [one for one in scores if one not in varied.picks]
    assert list(varied.scores)[len(varied.picks) :] == rest
    assert all(0 <= pick.similarity <= 1 and math.isfinite(pick.value) for pick in varied.picks.values())


@given(ranked, texts, st.integers(1, 8))
def test_without_a_price_on_likeness_the_order_stays(scores: Scores, texts: dict[str, str], limit: int) -> None:
    varied = diversify(scores, pool(scores, 8), by_words(texts), balance=1.0, limit=limit)

    assert list(varied.scores) == list(scores)


@given(ranked, st.fixed_dictionaries({one: st.sampled_from("xyz") for one in IDS}))
def test_of_each_text_the_best_stays(scores: Scores, digests: dict[str, str]) -> None:
    kept = distinct(scores, digests)

    assert list(kept) == [one for one in scores if one in kept]
    assert {digests[one] for one in kept} == {digests[one] for one in scores}
    assert len({digests[one] for one in kept}) == len(kept)


@given(st.text(max_size=30), st.text(max_size=30))
def test_likeness_of_words_is_mutual_and_whole_for_the_same_words(one: str, other: str) -> None:
    likeness = jaccard(words(one), words(other))

    assert 0 <= likeness <= 1
    assert likeness == jaccard(words(other), words(one))
    assert jaccard(words(one), words(one)) == bool(words(one))
