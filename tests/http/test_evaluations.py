"""Known questions are asked again by the worker, and what the answers are worth is told."""

import asyncio
from collections.abc import AsyncIterator
from math import log2
from typing import Any

import httpx
import pytest

from graphmem.stores.evaluations import MOST_WAITING
from tests.http.answers import given, refused
from tests.http.serving import Running

pytestmark = pytest.mark.anyio

PATIENCE_SECONDS = 30
BOATS = {
    "red": "The boat of Ann is red",
    "blue": "The boat of Ann is blue now",
    "again": "the boat of Ann is  red",
    "cat": "A cat sleeps on the sofa",
}


@pytest.fixture
async def working(plain_server: Running) -> AsyncIterator[None]:
    """A worker that takes up evaluations."""
    task = asyncio.create_task(plain_server.service.evaluations.run())
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def asked(api: httpx.AsyncClient, *questions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An evaluation, once it is finished."""
    found = given(await api.post("/v1/evaluations", json={"questions": questions} | fields), 202)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while found["state"] in {"waiting", "running"}:
            await asyncio.sleep(0.05)
            found = given(await api.get(f"/v1/evaluations/{found['id']}"))
    return found


async def remember(api: httpx.AsyncClient) -> None:
    episodes = [{"id": name, "content": content} for name, content in BOATS.items()]
    given(await api.post("/v1/episodes/batch", json={"episodes": episodes}), 201)


async def test_measures_are_those_of_the_answers_that_a_search_gives(plain: httpx.AsyncClient, working: None) -> None:
    await remember(plain)
    questions = ["boat Ann blue", "cat sofa", "boat Ann"]
    bounds = {"profile": "default", "limit": 20}
    answers = [given(await plain.post("/v1/search", json={"query": one} | bounds))["results"] for one in questions]
    ranks = [[result["id"] for result in results] for results in answers]
    assert set(ranks[0]) == {"red", "blue", "again"}

    done = await asked(
        plain,
        {"query": questions[0], "gold": [ranks[0][1]], "stale": [ranks[0][0]], "category": "boats"},
        {"query": questions[1], "gold": ["cat"], "category": "cats"},
        {"query": questions[2], "gold": ["cat"], "id": "hopeless"},
        {"query": "cat", "gold": []},
        profile="default",
    )

    report = done["report"]["summary"]
    assert (done["state"], done["asked"], done["of"]) == ("done", 4, 4)
    assert (report["questions"], report["with_gold"]) == (4, 3)
    means = {name: value["mean"] for name, value in report["measures"].items()}
    assert means == pytest.approx(
        {
            "recall_at_1": 1 / 3,
            "recall_at_5": 2 / 3,
            "recall_at_10": 2 / 3,
            "recall_at_20": 2 / 3,
            "mrr": (1 / 2 + 1) / 3,
            "ndcg_at_10": (1 / log2(3) + 1) / 3,
        }
    )
    assert {name: value["mean"] for name, value in report["stale"].items()} == {"outdated": 1, "beaten": 1}
    assert report["duplicate_rate"] == pytest.approx((1 / 3 + 0 + 1 / 3 + 0) / 4)
    assert report["missed"] == ["hopeless"]
    assert report["categories"]["cats"]["mrr"] == 1
    assert {"whole", "leg keyword", "stage fuse"} <= set(report["took_ms"])


async def test_leaving_out_what_finds_everything_shows_that_it_helps(plain: httpx.AsyncClient, working: None) -> None:
    words = ["apple", "brick", "candle", "dragon", "ember", "forest", "garden", "harbour"]
    episodes = [{"id": word, "content": f"They spoke of the {word} that evening"} for word in words]
    given(await plain.post("/v1/episodes/batch", json={"episodes": episodes}), 201)
    questions = [{"query": f"What about the {word}?", "gold": [word]} for word in words]

    done = await asked(plain, *questions, ablate=True, tuning={"recency_weight": 0.1, "time_weight": 1})

    verdicts = {one["without"]: one for one in done["report"]["ablations"]}
    assert verdicts["keyword leg"]["verdict"] == "helps"
    assert verdicts["keyword leg"]["difference"]["recall_at_10"] == {"mean": 1, "low": 1, "high": 1}
    assert verdicts["time"]["verdict"] == "can't tell"
    assert done["of"] == len(words) * (1 + len(verdicts))


async def test_asking_again_counts_no_accesses_and_keeps_no_question(
    plain: httpx.AsyncClient, plain_server: Running, working: None
) -> None:
    await remember(plain)
    noted = len(plain_server.service.accesses.noted)

    done = await asked(plain, {"query": "Whose boat is unmistakable?", "gold": ["red"]})

    assert len(plain_server.service.accesses.noted) == noted
    assert "unmistakable" not in str(done)
    kept = await plain_server.service.postgres.rows(
        "select cases::text as cases from evaluation where id::text = %(id)s", id=done["id"]
    )
    assert kept == [{"cases": None}]


async def test_they_are_listed_newest_first_and_page_by_page(plain: httpx.AsyncClient) -> None:
    made = [
        given(await plain.post("/v1/evaluations", json={"questions": [{"query": "x", "gold": []}]}), 202)["id"]
        for _ in range(3)
    ]

    first = given(await plain.get("/v1/evaluations", params={"limit": 2}))
    second = given(await plain.get("/v1/evaluations", params={"limit": 2, "cursor": first["cursor"]}))

    assert [one["id"] for one in (*first["evaluations"], *second["evaluations"])] == made[::-1]
    assert second["cursor"] is None


async def test_one_namespace_never_sees_the_evaluations_of_another(
    plain: httpx.AsyncClient, plain_server: Running
) -> None:
    made = given(await plain.post("/v1/evaluations", json={"questions": [{"query": "x", "gold": []}]}), 202)

    async with plain_server.caller("admin", "elsewhere") as other:
        refused(await other.get(f"/v1/evaluations/{made['id']}"), 404)
        assert given(await other.get("/v1/evaluations")) == {"evaluations": [], "cursor": None}


async def test_they_go_with_their_namespace(plain: httpx.AsyncClient, namespace: str) -> None:
    given(await plain.post("/v1/evaluations", json={"questions": [{"query": "x", "gold": []}]}), 202)

    given(await plain.delete(f"/v1/namespaces/{namespace}"))

    assert given(await plain.get("/v1/evaluations"))["evaluations"] == []


async def test_only_so_many_may_wait(plain: httpx.AsyncClient) -> None:
    body = {"questions": [{"query": "x", "gold": []}]}
    for _ in range(MOST_WAITING):
        given(await plain.post("/v1/evaluations", json=body), 202)

    refused(await plain.post("/v1/evaluations", json=body), 409)


async def test_a_reader_may_look_and_only_a_writer_may_ask(plain_server: Running, namespace: str) -> None:
    async with plain_server.caller("reader", namespace) as reader:
        refused(await reader.post("/v1/evaluations", json={"questions": [{"query": "x", "gold": []}]}), 403)
        given(await reader.get("/v1/evaluations"))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "questions"),
        ({"questions": []}, "questions"),
        ({"questions": [{"query": "x"}]}, "questions[0].gold"),
        ({"questions": [{"query": "x", "gold": []}] * 1001}, "questions"),
        ({"questions": [{"query": "x", "gold": ["a"], "stale": ["a"]}]}, "questions[0].stale"),
        ({"questions": [{"query": "x", "gold": []}], "profile": "best"}, "profile"),
        ({"questions": [{"query": "x", "gold": []}], "tuning": {"rrf_k": 0}}, "tuning.rrf_k"),
    ],
)
async def test_what_makes_no_sense_is_refused_by_name(plain: httpx.AsyncClient, body: Any, field: str) -> None:
    refused(await plain.post("/v1/evaluations", json=body), 400, field)


async def test_what_a_dead_worker_held_is_begun_anew_by_another(
    plain: httpx.AsyncClient, plain_server: Running
) -> None:
    made = given(await plain.post("/v1/evaluations", json={"questions": [{"query": "x", "gold": []}]}), 202)
    store, postgres = plain_server.service.evaluations.store, plain_server.service.postgres
    await postgres.rows("update evaluation set created_at = '1970-01-01' where id::text = %(id)s", id=made["id"])
    dead = await store.claim()
    assert dead is not None
    assert dead.id == made["id"]
    await postgres.rows("update evaluation set leased_until = now() where id::text = %(id)s", id=made["id"])

    taken = await store.claim()
    assert taken is not None
    await plain_server.service.evaluations.work(taken)

    assert taken.id == made["id"]
    assert not await store.go_on(dead, 1, 1)
    assert given(await plain.get(f"/v1/evaluations/{made['id']}"))["state"] == "done"
