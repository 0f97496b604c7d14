"""What `001` fixes: two weighted lists, weights from 0 to 5, and nothing let in by a list of weight 0."""

import pytest

from graphmem.errors import InvalidError
from graphmem.memory import Hit, Query
from graphmem.recall.profiles import NEXUS, tuned
from graphmem.recall.ranking.fuse import fuse
from graphmem.recall.understand import understand
from tests.recall.seeds.recipes import LEGS, additions, natures_of, stages_over


def weighing(vector: float, keyword: float) -> dict[str, float]:
    """The scores of two lists under these weights."""
    lists = {"vector": ["both", "meant"], "keyword": ["said", "both"]}
    return fuse(lists, k=60, weights={"vector": vector, "keyword": keyword})


def test_the_profile_is_the_document_s_and_has_no_other_stage() -> None:
    assert additions(NEXUS) == {
        "keyword_weight": 0,
        "vector_pool": 1,
        "keyword_pool": 2,
        "ties": ("vector", "keyword"),
        "retry": "none",
    }
    assert (NEXUS.numbers.vector_weight, NEXUS.numbers.rrf_k) == (1.0, 60)


def test_each_list_gives_its_weight_over_k_and_rank() -> None:
    assert weighing(1.0, 1.0) == {"both": 1 / 61 + 1 / 62, "said": 1 / 61, "meant": 1 / 62}
    assert weighing(0.5, 2.0) == {"both": 0.5 / 61 + 2 / 62, "said": 2 / 61, "meant": 0.5 / 62}


def test_a_list_of_weight_zero_adds_nothing_and_lets_nothing_in() -> None:
    assert weighing(1.0, 0) == {"both": 1 / 61, "meant": 1 / 62}
    assert weighing(0, 1.0) == {"said": 1 / 61, "both": 1 / 62}
    assert weighing(0, 0) == {}


def test_a_keyword_weight_of_zero_asks_no_keyword_leg() -> None:
    question = Query(namespace="n", text="x")

    assert understand(question, NEXUS.numbers, LEGS).legs == ("vector",)
    assert understand(question, tuned(NEXUS, {"keyword_weight": 1.0}).numbers, LEGS).legs == ("keyword", "vector")


@pytest.mark.parametrize("weight", [0, 0.5, 5])
def test_a_weight_lies_between_0_and_5(weight: float) -> None:
    changed = tuned(NEXUS, {"vector_weight": weight, "keyword_weight": weight}).numbers

    assert (changed.vector_weight, changed.keyword_weight) == (weight, weight)


@pytest.mark.parametrize("weight", [-0.1, 5.1, "1", None])
def test_a_weight_beyond_is_refused(weight: object) -> None:
    with pytest.raises(InvalidError):
        tuned(NEXUS, {"keyword_weight": weight})


def test_of_equal_scores_what_was_meant_goes_before_what_was_said() -> None:
    stages = stages_over(tuned(NEXUS, {"keyword_weight": 1.0}))

    scores = stages.fuse({"keyword": [Hit("a", 9.0)], "vector": [Hit("b", 0.1)]}, natures_of("a", "b"))

    assert list(scores.items()) == [("b", 1 / 61), ("a", 1 / 61)]
