"""A judge over a real socket: it reorders the head, and whatever becomes of it there is an answer."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from graphmem.memory import NewEpisode, Query
from graphmem.recall.pipeline import Answer
from graphmem.recall.profiles import Numbers, Profile
from graphmem.service import Service, open_service
from graphmem.settings import Embedder, Reranker, Settings
from tests.models.small_server import Answer as Served
from tests.models.small_server import Request, http, serving

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
JUDGED = Profile(name="x", about="", numbers=Numbers(vector_weight=0, rerank_top_n=3))
TEXTS = {"a": "boat boat boat boat", "b": "boat boat boat", "c": "boat boat x", "d": "boat x x x x x x", "e": "tea"}


async def longest(request: Request) -> bytes:
    """A judge that likes the short ones."""
    results = [
        {"index": index, "relevance_score": -float(len(text))} for index, text in enumerate(request.body["documents"])
    ]
    return http("200 OK", json.dumps({"results": results}).encode())


async def away(request: Request) -> bytes:
    return http("503 Service Unavailable")


@asynccontextmanager
async def with_judge(settings: Settings, answer: Served, *, seconds: float = 30) -> AsyncIterator[Service]:
    async with serving(answer) as url:
        reranker = Reranker(kind="server", url=url, model="any", timeout_seconds=seconds)
        bare = msgspec.structs.replace(settings, embedder=Embedder(kind="none"), reranker=reranker)
        async with open_service(bare) as service:
            yield service


async def recall(service: Service, namespace: str, profile: Profile = JUDGED, **more: Any) -> Answer:
    news = [NewEpisode(id=name, content=text, occurred_at=NOW) for name, text in TEXTS.items()]
    await service.ingester.add_batch(namespace, news, now=NOW)
    query = msgspec.structs.replace(Query(namespace=namespace, text="boat", mode="keyword"), **more)
    return await service.recaller.recall(query, profile, now=NOW)


async def test_the_head_is_in_the_judge_s_order_and_the_tail_follows_untouched(
    settings: Settings, namespace: str
) -> None:
    async with with_judge(settings, longest) as service:
        answer = await recall(service, namespace)

    assert [result.id for result in answer.results] == ["c", "b", "a", "d"]
    assert answer.trace["rerank"]["ran"]
    assert answer.trace["rerank"]["scores"] == {"a": -19, "b": -14, "c": -11}
    assert [result.score for result in answer.results] == [1 / 61, 1 / 62, 1 / 63, 1 / 64]


REASONS = {
    "disabled": (Profile(name="y", about="", numbers=Numbers(vector_weight=0)), {}),
    "empty_candidates": (JUDGED, {"text": "kangaroo", "skip_retry_ladder": True}),
    "error": (JUDGED, {}),
}


@pytest.mark.parametrize("reason", REASONS)
async def test_a_judge_that_is_not_heard_leaves_the_order(settings: Settings, namespace: str, reason: str) -> None:
    profile, more = REASONS[reason]
    async with with_judge(settings, away) as service:
        answer = await recall(service, namespace, profile, **more)

    assert (answer.trace["rerank"]["ran"], answer.trace["rerank"]["skipped_reason"]) == (False, reason)
    assert [result.id for result in answer.results] == ([] if reason == "empty_candidates" else ["a", "b", "c", "d"])


async def test_a_judge_is_waited_for_only_so_long(settings: Settings, namespace: str) -> None:
    over = asyncio.Event()

    async def slow(request: Request) -> bytes:
        await over.wait()
        return await longest(request)

    async with with_judge(settings, slow, seconds=0.1) as service:
        answer = await recall(service, namespace)
        over.set()

    assert answer.trace["rerank"]["skipped_reason"] == "timeout"
    assert [result.id for result in answer.results] == ["a", "b", "c", "d"]


async def test_without_a_judge_and_where_the_legs_agree_none_is_asked(service: Service, namespace: str) -> None:
    answer = await recall(service, namespace, mode="keyword")

    assert answer.trace["rerank"]["skipped_reason"] == "no_reranker"


async def test_where_keyword_and_vector_search_agree_no_judge_is_asked(settings: Settings, namespace: str) -> None:
    asked: list[Request] = []

    async def noting(request: Request) -> bytes:
        asked.append(request)
        return await longest(request)

    async with serving(noting) as url:
        reranker = Reranker(kind="server", url=url, timeout_seconds=30)
        async with open_service(msgspec.structs.replace(settings, reranker=reranker)) as service:
            await service.claim_vectors()
            same = msgspec.structs.replace(JUDGED, numbers=Numbers(rerank_top_n=3))
            answer = await recall(service, namespace, same, mode="auto", text="boat boat boat boat")

    assert answer.trace["unanimity"]["agreements"] >= 2
    assert (answer.trace["rerank"]["skipped_reason"], asked) == ("unanimity", [])
