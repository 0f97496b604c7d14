"""Recall as a whole, on the real stores and the real model."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from graphmem.memory import Filters, NewEpisode, Query
from graphmem.recall.profiles import Numbers, Profile
from graphmem.service import Service, open_service
from graphmem.settings import Settings

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
TWO_LEGS = Profile(name="two", about="", numbers=Numbers())
TURNS = {
    "goa": ("Rajesh", "We should plan that Goa trip, Priya"),
    "march": ("Rajesh", "I told Priya we can do March for vacation"),
    "dates": ("Priya", "She needs to check dates with her parents"),
    "flights": ("Rajesh", "Looking at flights to Goa for next month"),
    "bug": ("Sam", "The build fails on the linker step again"),
}


async def remember(service: Service, namespace: str) -> None:
    news = [
        NewEpisode(id=name, content=text, speaker=who, session=who, occurred_at=NOW + timedelta(minutes=minute))
        for minute, (name, (who, text)) in enumerate(TURNS.items())
    ]
    await service.ingester.add_batch(namespace, news, now=NOW)


def ask(namespace: str, text: str, **more: object) -> Query:
    return msgspec.structs.replace(Query(namespace=namespace, text=text), **more)


async def test_both_legs_agree_on_what_was_told_to_priya(service: Service, namespace: str) -> None:
    await remember(service, namespace)

    answer = await service.recaller.recall(ask(namespace, "What did I tell Priya about vacation?"), TWO_LEGS, now=NOW)

    assert answer.results[0].id == "march"
    assert set(answer.results[0].legs) == {"keyword", "vector"}
    assert (answer.missing, answer.fell_back) == ([], None)


async def test_every_score_follows_from_the_trace(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    profile = Profile(name="x", about="", numbers=Numbers(rrf_k=60, keyword_weight=2, vector_weight=0.5))

    answer = await service.recaller.recall(ask(namespace, "flights to Goa"), profile, now=NOW)

    trace = answer.trace
    for result in answer.results:
        by_hand = sum(
            trace["fusion"]["weights"][leg] / (trace["fusion"]["k"] + hit["rank"])
            for leg, run in trace["runs"].items()
            for hit in run
            if hit["id"] == result.id
        )
        assert result.score == pytest.approx(by_hand)


async def test_a_leg_of_weight_zero_is_not_asked_and_not_missing(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    profile = Profile(name="x", about="", numbers=Numbers(vector_weight=0))

    answer = await service.recaller.recall(ask(namespace, "Goa"), profile, now=NOW)

    assert list(answer.trace["legs"]) == ["keyword"]
    assert (answer.missing, answer.fell_back) == ([], None)


async def test_filters_bind_both_legs(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    query = ask(namespace, "Goa trip", filters=Filters(sessions=("Priya", "Sam")), exclude=("bug",))

    answer = await service.recaller.recall(query, TWO_LEGS, now=NOW)

    assert [result.id for result in answer.results] == ["dates"]


async def test_a_leg_that_misses_its_deadline_is_named_and_the_others_answer(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    await service.recaller.recall(ask(namespace, "warm"), TWO_LEGS, now=NOW)
    assert service.embedder is not None
    profile = Profile(name="x", about="", numbers=Numbers(deadline_ms=1))

    answer = await service.recaller.recall(ask(namespace, "a question never asked before " * 50), profile, now=NOW)

    assert "vector" in [missing.leg for missing in answer.missing]


@pytest.fixture
async def without_embedder(settings: Settings) -> AsyncIterator[Service]:
    none = msgspec.structs.replace(settings.embedder, kind="none")
    async with open_service(msgspec.structs.replace(settings, embedder=none)) as opened:
        yield opened


@pytest.mark.parametrize("mode", ["auto", "hybrid", "semantic"])
async def test_without_an_embedder_keyword_search_answers_and_says_so(
    without_embedder: Service, namespace: str, mode: str
) -> None:
    await remember(without_embedder, namespace)

    answer = await without_embedder.recaller.recall(ask(namespace, "flights", mode=mode), TWO_LEGS, now=NOW)

    assert [result.id for result in answer.results] == ["flights"]
    assert ([missing.leg for missing in answer.missing], answer.fell_back) == (["vector"], "keyword")


async def test_a_namespace_never_written_reads_as_empty(service: Service, namespace: str) -> None:
    answer = await service.recaller.recall(ask(namespace, "anything"), TWO_LEGS, now=NOW)

    assert answer.results == []
