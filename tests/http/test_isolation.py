"""Two namespaces with the same ids and texts never meet, whatever is done in one of them."""

import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.http.consistency import check_consistency
from tests.http.serving import Running

pytestmark = pytest.mark.anyio

IDS = ["a", "b", "c"]
TEXTS = ["March in Goa with Priya", "the boat was red", "Priya paints boats", "x"]
EPISODE = st.fixed_dictionaries(
    {"content": st.sampled_from(TEXTS)},
    optional={"id": st.sampled_from(IDS), "session": st.just("s"), "type": st.sampled_from(["person", "message"])},
)
MODES = ["auto", "hybrid", "keyword", "semantic", "graph"]
Request = tuple[str, str, dict[str, Any]]


def call(method: str, path: str, **more: Any) -> Request:
    return method, path, more


DOINGS = st.one_of(
    EPISODE.map(lambda one: call("POST", "/v1/episodes", json=one)),
    st.lists(EPISODE, min_size=1, max_size=3).map(
        lambda some: call("POST", "/v1/episodes/batch", json={"episodes": some})
    ),
    st.lists(EPISODE, max_size=3).map(lambda some: call("POST", "/v1/import", content=ndjson(some), headers=NDJSON)),
    st.tuples(st.sampled_from(IDS), EPISODE).map(
        lambda pair: call("PUT", f"/v1/episodes/{pair[0]}", json={"content": pair[1]["content"]})
    ),
    st.sampled_from(IDS).map(lambda one: call("DELETE", f"/v1/episodes/{one}")),
    st.sampled_from(IDS).map(lambda one: call("GET", f"/v1/episodes/{one}")),
    st.sampled_from(MODES).map(lambda mode: call("POST", "/v1/search", json={"query": "Priya", "mode": mode})),
    st.sampled_from(TEXTS).map(lambda text: call("POST", "/v1/context", json={"query": text})),
    st.lists(st.sampled_from(IDS), min_size=1).map(lambda some: call("POST", "/v1/forget", json={"episodes": some})),
    st.booleans().map(lambda dry: call("POST", "/v1/forget", json={"everything": True, "dry_run": dry})),
    st.floats(1, 1000).map(lambda k: call("PATCH", "/v1/settings", json={"rrf_k": k})),
    st.just(call("DELETE", "/v1/namespaces/{own}")),
    st.sampled_from(["{own_job}", "{other_job}"]).map(lambda job: call("POST", f"/v1/jobs/{job}/retry")),
    st.just(call("DELETE", "/v1/keys/{other_key}")),
)  # fmt: skip
NDJSON = {"content-type": "application/x-ndjson"}
READINGS: list[Request] = [
    call("GET", "/v1/episodes"),
    call("GET", "/v1/episodes", params={"session": "s"}),
    *(call("GET", f"/v1/episodes/{one}") for one in IDS),
    *(call("POST", "/v1/search", json={"query": "Priya boat", "mode": mode, "trace": True}) for mode in MODES),
    call("GET", "/v1/context", params={"query": "Priya"}),
    call("GET", "/v1/context"),
    call("GET", "/v1/jobs"),
    call("GET", "/v1/settings"),
    call("GET", "/v1/namespaces"),
    call("POST", "/v1/forget", json={"everything": True, "dry_run": True}),
]
# What differs between two readings of the same, besides how long they took: their moment, and the name of the search.
PASSING = {"search_id", "now"}


def ndjson(episodes: list[dict[str, Any]]) -> bytes:
    return b"\n".join(json.dumps(episode).encode() for episode in episodes)


def lasting(value: Any) -> Any:
    """A JSON value without what passes."""
    if isinstance(value, dict):
        stays = {name for name in value if name not in PASSING and not name.endswith("_ms")}
        return {name: lasting(value[name]) for name in sorted(stays)}
    return [lasting(inner) for inner in value] if isinstance(value, list) else value


async def everything_read(api: httpx.AsyncClient) -> list[str]:
    """All that a key can read, byte for byte."""
    responses = [await api.request(method, path, **more) for method, path, more in READINGS]
    return [f"{response.status_code} {json.dumps(lasting(response.json()), sort_keys=True)}" for response in responses]


def first_change(before: list[str], after: list[str]) -> str:
    """Where two readings first differ, with what stands around it; empty when they are the same."""
    for old, new in zip(before, after, strict=True):
        place = next((i for i, pair in enumerate(itertools.zip_longest(old, new)) if pair[0] != pair[1]), None)
        if place is not None:
            return f"...{old[max(place - 200, 0) : place + 80]}... became ...{new[max(place - 20, 0) : place + 80]}..."
    return ""


@pytest.fixture
async def other(server: Running, namespace: str) -> AsyncIterator[httpx.AsyncClient]:
    """The namespace that must not notice: an admin's key, its ids and texts the same as the first one's."""
    async with server.caller("admin", f"{namespace}_b") as client:
        for episode_id, text in zip(IDS, TEXTS, strict=False):
            await client.post("/v1/episodes", json={"id": episode_id, "content": text, "session": "s"})
        await client.patch("/v1/settings", json={"rrf_k": 33})
        yield client


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(doings=st.lists(DOINGS, min_size=3, max_size=6))
async def test_whatever_is_done_in_one_namespace_the_other_reads_the_same(
    server: Running, api: httpx.AsyncClient, other: httpx.AsyncClient, namespace: str, doings: list[Request]
) -> None:
    key = (await other.get("/v1/keys")).json()["keys"][0]["id"]
    job = (await other.get("/v1/jobs")).json()["jobs"][0]["id"]
    before = await everything_read(other)

    for method, path, more in doings:
        jobs = (await api.get("/v1/jobs")).json()["jobs"]
        own_job = jobs[0]["id"] if jobs else job
        address = path.format(own=namespace, own_job=own_job, other_job=job, other_key=key)
        response = await api.request(method, address, **more)
        assert response.status_code < 500

    assert first_change(before, await everything_read(other)) == ""


async def test_after_all_that_the_tables_agree(server: Running) -> None:
    check_consistency(server.dsn)


async def test_nothing_of_another_namespace_can_be_named(
    api: httpx.AsyncClient, other: httpx.AsyncClient, namespace: str
) -> None:
    job = (await other.get("/v1/jobs")).json()["jobs"][0]["id"]
    cursor = (await other.get("/v1/episodes", params={"limit": 1})).json()["cursor"]

    assert (await api.get(f"/v1/jobs/{job}")).status_code == 404
    assert (await api.post(f"/v1/jobs/{job}/retry")).status_code == 404
    assert (await api.get("/v1/episodes/a")).status_code == 404
    assert (await api.get("/v1/episodes", params={"cursor": cursor})).json()["episodes"] == []
    for method, path, more in READINGS:
        address = httpx.URL(path).copy_merge_params({"namespace": f"{namespace}_b"} | more.pop("params", {}))
        assert (await api.request(method, address, **more)).status_code == 403


async def test_the_same_texts_score_the_same_whatever_a_neighbour_holds(
    api: httpx.AsyncClient, other: httpx.AsyncClient
) -> None:
    for episode_id, text in zip(IDS, TEXTS, strict=False):
        await api.post("/v1/episodes", json={"id": episode_id, "content": text, "session": "s"})
    question = {"query": "Priya boat", "mode": "keyword", "tuning": {"rrf_k": 33}}

    ours, theirs = [(await client.post("/v1/search", json=question)).json()["results"] for client in (api, other)]

    assert [(hit["id"], hit["legs"]) for hit in ours] == [(hit["id"], hit["legs"]) for hit in theirs]
