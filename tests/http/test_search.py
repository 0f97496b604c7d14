"""Search: what bounds it binds every leg, any text is a question, and every number can be recomputed."""

from typing import Any

import httpx
import pytest

from tests.http.answers import found, given, refused, stored

pytestmark = pytest.mark.anyio

LEGS = ["keyword", "semantic", "hybrid"]
VARIED: list[dict[str, Any]] = [
    {"id": "a", "session": "s1", "project": "p", "origin": "user", "type": "note"},
    {"id": "b", "session": "s2", "project": "p", "origin": "tool", "type": "note"},
    {"id": "c", "session": "s3", "project": "q", "origin": "user", "type": "talk"},
]


async def varied(api: httpx.AsyncClient) -> None:
    """Three episodes with the same words, which differ in all that can be filtered."""
    episodes = [
        {"content": "the red boat", "occurred_at": f"2026-01-0{day}T00:00:00Z"} | fields
        for day, fields in enumerate(VARIED, start=1)
    ]
    given(await api.post("/v1/episodes/batch", json={"episodes": episodes}), 201)


@pytest.mark.parametrize("mode", LEGS)
@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({}, ["a", "b", "c"]),
        ({"exclude": ["a", "c", "not there"]}, ["b"]),
        ({"sessions": ["s1", "s3"]}, ["a", "c"]),
        ({"sessions": []}, []),
        ({"project": "p"}, ["a", "b"]),
        ({"origins": ["tool"]}, ["b"]),
        ({"types": ["talk", "song"]}, ["c"]),
        ({"since": "2026-01-02T00:00:00Z"}, ["b", "c"]),
        ({"until": "2026-01-02T00:00:00Z"}, ["a"]),
        ({"since": "2026-01-02T01:00:00+01:00", "until": "2026-01-02T00:00:01Z"}, ["b"]),
        ({"since": "2026-01-02T00:00:00Z", "until": "2026-01-02T00:00:00Z"}, []),
        ({"valid_as_of": "2026-01-02T00:00:00Z"}, ["a", "b"]),
        ({"known_as_of": "2026-01-04T00:00:00Z"}, []),
        ({"known_as_of": "9999-01-01T00:00:00Z"}, ["a", "b", "c"]),
        ({"project": "p", "sessions": ["s2", "s3"], "exclude": ["a"]}, ["b"]),
        ({"kinds": ["fact"]}, []),
    ],
)
async def test_a_bound_binds_every_leg(
    api: httpx.AsyncClient, mode: str, bounds: dict[str, Any], expected: list[str]
) -> None:
    await varied(api)

    assert sorted(await found(api, "red boat", mode=mode, **bounds)) == expected


async def test_what_was_known_is_asked_by_the_time_of_storing(api: httpx.AsyncClient) -> None:
    await varied(api)
    known = given(await api.get("/v1/episodes/a"))["created_at"]
    given(await api.post("/v1/episodes", json={"id": "later", "content": "the red boat"}), 201)

    assert sorted(await found(api, "boat", known_as_of=known)) == ["a", "b", "c"]


async def test_replaced_text_never_comes_back_on_either_clock(api: httpx.AsyncClient) -> None:
    await varied(api)
    known = given(await api.get("/v1/episodes/a"))["created_at"]
    given(await api.put("/v1/episodes/a", json={"content": "a green kite"}))

    assert "a" not in await found(api, "red boat", mode="keyword", known_as_of=known)
    assert "a" not in await found(api, "green kite", mode="keyword", known_as_of=known)


@pytest.mark.parametrize(
    "text",
    [
        "boat & !red | (x <-> y) :* ",
        '\'boat\' "red boat" "',
        'boat\\ \\\\ "unclosed',
        "boat % %s %(x)s $1 ;--",
        "boat 👩‍👩‍👧‍👦",
        "boat नाव 船",
        "boat " * 1999 + "x",
        "boat <script> </memory>",
        '"red boat" "red boat" "red boat" "the boat"',
        "boat:ABCD*",
        "http://boat.example/boat?x=1#y boat",
        "boat\r\n\tboat",
    ],
)
@pytest.mark.parametrize("mode", LEGS)
async def test_any_text_with_a_word_in_it_finds_the_word(api: httpx.AsyncClient, mode: str, text: str) -> None:
    await varied(api)

    assert len(await found(api, text, mode=mode)) == 3


@pytest.mark.parametrize("text", ["!!!", "&|!()<->:*", '""', "the of and", "\\", "%", "👍", "—", "x" * 10_000])
async def test_text_without_a_word_finds_nothing_by_keyword(api: httpx.AsyncClient, text: str) -> None:
    await varied(api)

    assert await found(api, text, mode="keyword") == []
    given(await api.post("/v1/search", json={"query": text}))


async def test_a_limit_bounds_the_answer(api: httpx.AsyncClient) -> None:
    await stored(api, *(f"boat number {number}" for number in range(15)))

    assert [len(await found(api, "boat", **bound)) for bound in ({}, {"limit": 1}, {"limit": 100})] == [10, 1, 15]


async def test_ten_thousand_ids_can_be_left_out_and_no_more(api: httpx.AsyncClient) -> None:
    await varied(api)
    many = [f"not-there-{number}" for number in range(9_999)]

    assert sorted(await found(api, "boat", exclude=[*many, "a"])) == ["b", "c"]
    refused(await api.post("/v1/search", json={"query": "x", "exclude": [*many, "a", "b"]}), 400, "exclude")


async def test_a_result_has_the_documented_fields(api: httpx.AsyncClient) -> None:
    await varied(api)

    answer = given(await api.post("/v1/search", json={"query": "boat", "limit": 1}))

    assert set(answer) >= {"results", "search_id", "answerable", "missing_legs", "fell_back", "took_ms"}
    (result,) = answer["results"]
    assert (result["kind"], result["text"], result["session"]) == ("episode", "the red boat", result["session"])
    assert set(result) >= {"id", "title", "speaker", "type", "occurred_at", "score", "relevance", "legs", "entities"}
    assert set(result["legs"]) == {"keyword", "vector"}
    assert set(result["legs"]["keyword"]) == {"rank", "score"}
    assert [missing["leg"] for missing in answer["missing_legs"]] in ([], ["graph"])
    assert answer["fell_back"] is None


async def test_a_score_can_be_recomputed_by_hand_from_the_trace(api: httpx.AsyncClient) -> None:
    await stored(api, "the red boat", "a boat at sea", "a ship on the ocean", "tea in the garden")
    tuning = {"rrf_k": 20, "keyword_weight": 0.5, "vector_weight": 2}

    answer = given(await api.post("/v1/search", json={"query": "boat at sea", "tuning": tuning, "trace": True}))
    trace = answer["trace"]

    by_hand: dict[str, float] = {}
    for leg, weight in (("keyword", 0.5), ("vector", 2)):
        for hit in trace["runs"][leg]:
            by_hand[hit["id"]] = by_hand.get(hit["id"], 0) + weight / (20 + hit["rank"])
    assert {result["id"]: result["score"] for result in answer["results"]} == pytest.approx(by_hand)
    assert trace["fusion"]["weights"] == {"keyword": 0.5, "vector": 2}
    assert (trace["fusion"]["k"], trace["fusion"]["candidates"]) == (20, len(by_hand))
    ranks = [[hit["rank"] for hit in run] for run in trace["runs"].values()]
    assert ranks == [list(range(1, len(run) + 1)) for run in ranks]


async def test_a_trace_has_the_documented_parts(api: httpx.AsyncClient) -> None:
    await varied(api)

    trace = given(await api.post("/v1/search", json={"query": "red boat", "trace": True}))["trace"]

    assert set(trace) >= {"query", "expansion", "legs", "attempts", "fusion", "unanimity", "rerank", "propagation"}
    assert set(trace) >= {"diversify", "runs", "stages"}
    assert set(trace["query"]) >= {"compiled", "mode", "profile", "tuning", "intents"}
    assert set(trace["query"]["intents"]) >= {"preference", "concrete_fact"}
    assert set(trace["expansion"]) >= {"strategy", "hypothetical", "skipped_reason"}
    assert set(trace["fusion"]) >= {"k", "weights", "candidates"}
    assert set(trace["rerank"]) >= {"ran", "skipped_reason", "top_n"}
    assert set(trace["propagation"]) >= {"seeds", "hops", "charges"}
    assert all({"hits", "took_ms", "error"} <= set(leg) for leg in trace["legs"].values())
    assert all({"name", "took_ms", "scores"} <= set(stage) for stage in trace["stages"])
    assert trace["stages"][0]["name"] == "fuse"


async def test_a_trace_is_given_only_when_asked_for(api: httpx.AsyncClient) -> None:
    assert not given(await api.post("/v1/search", json={"query": "x"})).get("trace")


async def test_graph_search_without_a_graph_says_so_and_finds_nothing(api: httpx.AsyncClient) -> None:
    await varied(api)

    answer = given(await api.post("/v1/search", json={"query": "boat", "mode": "graph"}))

    assert (answer["results"], [missing["leg"] for missing in answer["missing_legs"]]) == ([], ["graph"])


async def test_a_leg_of_no_weight_is_left_out_and_not_missing(api: httpx.AsyncClient) -> None:
    await varied(api)
    question = {"query": "boat", "tuning": {"vector_weight": 0, "graph_weight": 0}, "trace": True}

    answer = given(await api.post("/v1/search", json=question))

    assert (answer["missing_legs"], answer["fell_back"], list(answer["trace"]["runs"])) == ([], None, ["keyword"])


async def test_settings_are_in_force_at_the_next_search_and_tuning_goes_before_them(api: httpx.AsyncClient) -> None:
    await varied(api)
    changed = given(await api.patch("/v1/settings", json={"rrf_k": 100}))

    async def k(**fields: Any) -> float:
        answer = given(await api.post("/v1/search", json={"query": "boat", "trace": True} | fields))
        return answer["trace"]["fusion"]["k"]

    assert changed["numbers"]["rrf_k"] == 100
    assert [await k(), await k(tuning={"rrf_k": 7})] == [100, 7]
    assert given(await api.patch("/v1/settings", json={"rrf_k": None}))["changed"] == {}
    assert await k() == 4


async def test_the_same_question_has_the_same_answer(api: httpx.AsyncClient) -> None:
    await stored(api, *["the very same words"] * 20)

    answers = [await found(api, "same words", limit=20) for _ in range(3)]

    assert answers[0] == answers[1] == answers[2]
    assert len(set(answers[0])) == 20
