"""What `002` fixes: the hypothetical answer's list and the keyword list, fused; eight seeds; BM25's two constants."""

import math
from datetime import UTC, datetime

import pytest

from graphmem.memory import Hit, NewEpisode
from graphmem.recall.profiles import GENIE
from graphmem.recall.ranking.fuse import fuse
from graphmem.service import Service
from graphmem.stores.filters import Scope
from graphmem.stores.keywords import KeywordStore
from tests.recall.seeds.recipes import additions, natures_of, stages_over

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_the_profile_is_the_document_s_and_has_no_other_stage() -> None:
    assert GENIE.limit == 8
    assert additions(GENIE) == {
        "hyde_weight": 1,
        "hypothetical": "instead",
        "bm25_k1": 1.5,
        "candidate_k": 20,
        "seeds": 8,
        "propagate_weight": 1,
        "label_boost": 0.5,
        "kernel": "fire",
        "ties": ("vector", "keyword"),
        "retry": "none",
    }
    numbers = GENIE.numbers
    assert (numbers.rrf_k, numbers.bm25_b, numbers.hops) == (60, 0.75, 3)
    assert (numbers.vector_weight, numbers.keyword_weight) == (1, 1)


def test_first_in_both_lists_is_0_0328_and_in_one_0_0164() -> None:
    both = fuse({"dense": ["x", "y"], "sparse": ["x"]}, k=60, weights={})

    assert both == {"x": 1 / 61 + 1 / 61, "y": 1 / 62}
    assert (round(both["x"], 4), round(1 / 61, 4)) == (0.0328, 0.0164)


def test_of_equal_scores_the_dense_list_goes_first() -> None:
    found = {"keyword": [Hit("a", 9.0)], "vector": [Hit("b", 0.1)]}

    assert list(stages_over(GENIE).fuse(found, natures_of("a", "b"))) == ["b", "a"]


@pytest.mark.anyio
async def test_keywords_are_scored_by_bm25_with_the_document_s_constants(service: Service, namespace: str) -> None:
    texts = {"a": "slushy payout", "b": "slushy slushy payout rules apply", "c": "fans renew"}
    news = [NewEpisode(id=name, content=text, occurred_at=NOW) for name, text in texts.items()]
    await service.ingester.add_batch(namespace, news, now=NOW)

    answer = await KeywordStore(service.postgres).matching(
        "slushy", Scope(namespace), limit=10, k1=GENIE.numbers.bm25_k1, b=GENIE.numbers.bm25_b
    )

    # Each text has the three words of its date besides.
    lengths, mean = {"a": 2 + 3, "b": 5 + 3, "c": 2 + 3}, (5 + 8 + 5) / 3
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = {
        name: idf * tf * (1.5 + 1) / (tf + 1.5 * (1 - 0.75 + 0.75 * lengths[name] / mean))
        for name, tf in (("a", 1), ("b", 2))
    }
    assert {hit.memory_id: hit.score for hit in answer.hits} == pytest.approx(expected)
