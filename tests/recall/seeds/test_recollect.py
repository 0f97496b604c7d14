"""What `004` fixes: four lists with dense ranks, a bonus for what is important, a window that loses no keyword hit."""

from datetime import UTC, datetime, timedelta

import pytest

from graphmem.memory import Hit, Nature, NewEpisode
from graphmem.recall.profiles import RECOLLECT, Profile, tuned
from graphmem.recall.ranking.fuse import dense_ranks, raised
from graphmem.service import Service
from graphmem.stores.accesses import AccessStore, Given
from tests.recall.seeds.recipes import NOW, additions, natures_of, stages_over
from tests.recall.test_recall import ask

OLD = datetime(2024, 1, 1, tzinfo=UTC)


def nature(days: int, *, accesses: int = 0, importance: str = "normal") -> Nature:
    moment = NOW - timedelta(days=days)
    return natures_of(str(days), moment=moment, accesses=accesses, importance=importance)[str(days)]


def test_the_profile_is_the_document_s_and_has_no_other_stage() -> None:
    assert RECOLLECT.limit == 3
    assert additions(RECOLLECT) == {
        "recency_weight": 0.6,
        "access_weight": 0.4,
        "importance_ranks": 10,
        "candidate_k": 50,
        "vector_window": 200,
        "ranks": "dense",
        "retry": "none",
    }
    numbers = RECOLLECT.numbers
    assert (numbers.keyword_weight, numbers.vector_weight, numbers.rrf_k) == (1, 1, 60)


def test_equal_values_share_a_rank_and_none_is_left_out_after_them() -> None:
    assert dense_ranks({"a": 7, "b": 7, "c": 3, "d": 3, "e": 1}) == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}


def test_importance_is_worth_ten_places_from_the_first() -> None:
    assert raised(["a"], k=60, ranks=10) == {"a": 1.0 / 61 - 1.0 / 71}
    assert round(raised(["a"], k=60, ranks=10)["a"], 4) == 0.0023


def test_four_lists_and_the_bonus_add_up() -> None:
    found = {
        "keyword": [Hit("old", 7.5), Hit("new", 7.5)],
        "vector": [Hit("new", 0.9), Hit("mid", 0.4), Hit("old", 0.4)],
    }
    natures = {"new": nature(1), "mid": nature(9, accesses=5, importance="high"), "old": nature(90, accesses=5)}

    scores = stages_over(RECOLLECT).fuse(found, natures)

    assert scores == pytest.approx(
        {
            "new": 1.0 / 61 + 1.0 / 61 + 0.6 / 61 + 0.4 / 62,
            "old": 1.0 / 61 + 1.0 / 62 + 0.6 / 63 + 0.4 / 61,
            "mid": 1.0 / 62 + 0.6 / 62 + 0.4 / 61 + 1 / 61 - 1 / 71,
        }
    )


def test_without_any_keyword_hit_that_list_says_nothing() -> None:
    found = {"keyword": [], "vector": [Hit("a", 0.9), Hit("b", 0.8)]}

    scores = stages_over(RECOLLECT).fuse(found, natures_of("a", "b"))

    assert scores == pytest.approx({"a": 1 / 61 + 0.6 / 61 + 0.4 / 61, "b": 1 / 62 + 0.6 / 61 + 0.4 / 61})


def test_an_important_memory_rises_above_one_that_is_a_little_nearer() -> None:
    found = {"vector": [Hit("near", 0.9), Hit("important", 0.8)]}
    high = natures_of("near") | natures_of("important", importance="high")

    assert list(stages_over(RECOLLECT).fuse(found, natures_of("near", "important"))) == ["near", "important"]
    assert list(stages_over(RECOLLECT).fuse(found, high)) == ["important", "near"]


async def remember(service: Service, namespace: str, **moments: datetime) -> None:
    """Episodes of which only the oldest speaks of a kangaroo."""
    texts = {name: f"{name} in the garden" for name in moments} | {"oldest": "a kangaroo at the lake"}
    news = [NewEpisode(id=name, content=texts[name], occurred_at=moment) for name, moment in moments.items()]
    await service.ingester.add_batch(namespace, news, now=NOW)


async def vector_run(service: Service, namespace: str, text: str, profile: Profile) -> dict[str, int]:
    """The ranks in the vector list."""
    answer = await service.recaller.recall(ask(namespace, text, limit=3), profile, now=NOW)
    return {hit["id"]: hit["rank"] for hit in answer.trace["runs"]["vector"]}


@pytest.mark.anyio
async def test_a_keyword_hit_beyond_the_window_is_never_lost(service: Service, namespace: str) -> None:
    days = {name: NOW - timedelta(days=age) for age, name in enumerate(("one", "two", "three", "four"))}
    await remember(service, namespace, oldest=OLD, **days)
    window = tuned(RECOLLECT, {"vector_window": 2})

    answer = await service.recaller.recall(ask(namespace, "kangaroo", limit=3), window, now=NOW)

    assert {result.id for result in answer.results} == {"oldest", "one", "two"}
    assert answer.results[0].id == "oldest"
    assert {leg: len(run) for leg, run in answer.trace["runs"].items()} == {
        "keyword": 1, "vector": 3, "recency": 3, "access": 3,
    }  # fmt: skip
    assert set(await vector_run(service, namespace, "kangaroo", RECOLLECT)) == {"oldest", *days}


@pytest.mark.anyio
async def test_the_window_holds_what_was_accessed_last(service: Service, namespace: str) -> None:
    days = {name: NOW - timedelta(days=age) for age, name in enumerate(("one", "two", "three"), start=2)}
    await remember(service, namespace, oldest=OLD, **days)
    given = Given(namespace, "01890000-0000-7000-8000-000000000000", ("three",), NOW - timedelta(days=1))
    await AccessStore(service.postgres).count([given])

    found = await vector_run(service, namespace, "xylophone", tuned(RECOLLECT, {"vector_window": 2}))

    assert set(found) == {"three", "one"}


@pytest.mark.anyio
async def test_a_keyword_hit_without_a_vector_counts_as_like_nothing(service: Service, namespace: str) -> None:
    await remember(service, namespace, oldest=OLD, one=NOW)
    await service.postgres.rows(
        "delete from embedding using episode where embedding.doc = episode.doc and id = 'oldest'"
    )

    answer = await service.recaller.recall(ask(namespace, "kangaroo", limit=3), RECOLLECT, now=NOW)

    scores = {hit["id"]: hit["score"] for hit in answer.trace["runs"]["vector"]}
    assert scores["oldest"] == 0 < scores["one"]
    assert {result.id for result in answer.results} == {"oldest", "one"}
