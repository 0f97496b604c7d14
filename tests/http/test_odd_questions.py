"""Odd questions: each gets a sensible answer or a refusal that names the field, and none takes long."""

import time
from typing import Any

import httpx
import pytest

from tests.http.answers import given, refused, stored

pytestmark = pytest.mark.anyio
# Nothing here is near it, but for a query that got out of hand.
PATIENCE_SECONDS = 30.0
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no query": ({}, "query"),
    "an empty query": ({"query": ""}, "query"),
    "a blank query": ({"query": " \t\n\u00a0"}, "query"),
    "a query of null": ({"query": None}, "query"),
    "a query with a zero character": ({"query": "boat\u0000"}, "query"),
    "a query too long": ({"query": "boat " * 20_000}, "query"),
    "a limit of nothing": ({"query": "boat", "limit": 0}, "limit"),
    "a limit of a thousand": ({"query": "boat", "limit": 1000}, "limit"),
    "an unknown profile": ({"query": "boat", "profile": "genius"}, "profile"),
    "an unknown mode": ({"query": "boat", "mode": "magic"}, "mode"),
    "an unknown knob": ({"query": "boat", "tuning": {"magic": 1}}, "tuning"),
    "a weight too high": ({"query": "boat", "tuning": {"keyword_weight": 5.1}}, "tuning.keyword_weight"),
    "a k too low": ({"query": "boat", "tuning": {"rrf_k": 0}}, "tuning.rrf_k"),
    "too many hops": ({"query": "boat", "tuning": {"hops": 4}}, "tuning.hops"),
    "an unknown kernel": ({"query": "boat", "tuning": {"kernel": "water"}}, "tuning.kernel"),
    "a start after the end": (
        {"query": "x", "since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"},
        "since",
    ),
    "a time without a zone": ({"query": "boat", "since": "2026-02-01T00:00:00"}, "since"),
    "no kind at all": ({"query": "boat", "kinds": []}, "kinds"),
    "one excluded id too many": ({"query": "boat", "exclude": ["x"] * 10_001}, "exclude"),
    "hyde that is neither": ({"query": "boat", "hyde": "maybe"}, "hyde"),
}
ANSWERED: dict[str, str] = {
    "only punctuation": "?!.,;:-—…()[]{}",
    "tsquery operators": "boat & !(sea | ship) <-> :* <2>",
    "Lucene operators": 'boat AND NOT (sea OR "ship) +x -y ^2 ~0.8 /re/ [a TO z] group_id:* \\',
    "a regular expression": "(a+)+$ .*? [[:alpha:]] (?=boat)\\1",
    "SQL": "'; drop table episode; -- boat %s %(x)s {} $1",
    "Cypher": "MATCH (n) DETACH DELETE n // boat `x` $group_id",
    "emoji": "🚤⛵ 👩‍👩‍👧‍👦 🇮🇳",
    "right to left": "متى أبحرت السفينة؟ \u202eboat\u202c",
    "Hindi": "नाव कब रवाना हुई?",
    "Chinese": "那艘红色的船什么时候开?",
    "one long word": "b" * 10_000,
    "many short words": "a1 " * 3333,
    "many names": "Ann Bob Cid Dan Eve Flo " * 400,
    "a time that never was": "on 2026-02-31 and 99 decades ago, last last week",
}


async def patiently(api: httpx.AsyncClient, **fields: Any) -> httpx.Response:
    """The answer, which must not take long."""
    begun = time.monotonic()
    response = await api.post("/v1/search", json=fields)
    assert time.monotonic() - begun < PATIENCE_SECONDS
    return response


@pytest.mark.parametrize(("fields", "field"), REFUSED.values(), ids=REFUSED.keys())
async def test_a_request_that_makes_no_sense_is_refused_by_its_field(
    api: httpx.AsyncClient, fields: dict[str, Any], field: str
) -> None:
    problem = refused(await patiently(api, **fields), 400)

    assert any(error["field"].startswith(field) and error["message"] for error in problem["errors"]), problem


@pytest.mark.parametrize("text", ANSWERED.values(), ids=ANSWERED.keys())
async def test_any_text_is_a_question(api: httpx.AsyncClient, text: str) -> None:
    await stored(api, "the red boat sails to the sea", "नाव कल रवाना हुई", "那艘红色的船明天开", "السفينة")
    everything = {"propagate_weight": 1, "mmr_pool": 20, "intent_weight": 1, "floor": 0.5, "time_weight": 1}

    answers = [
        given(await patiently(api, query=text, tuning=everything, profile=name)) for name in ("default", "genie")
    ]

    assert all(len(answer["results"]) <= 10 for answer in answers)
    assert all(answer["search_id"] for answer in answers)


async def test_half_a_character_is_refused_or_answered_and_never_a_fault(api: httpx.AsyncClient) -> None:
    response = await api.post(
        "/v1/search", content=b'{"query": "boat \\udfff"}', headers={"content-type": "application/json"}
    )

    assert response.status_code in {200, 400}


async def test_ten_thousand_excluded_ids_are_left_out_of_everything(api: httpx.AsyncClient) -> None:
    (first, second) = await stored(api, "the red boat", "a boat at sea")
    many = [f"not-there-{number}" for number in range(9_999)]

    answer = given(await patiently(api, query="boat", exclude=[*many, first], tuning={"propagate_weight": 1}))

    assert [result["id"] for result in answer["results"]] == [second]
