"""The night over HTTP: asked for, watched, looked through, taken back."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.http.serving import Running

pytestmark = pytest.mark.anyio
HOME = {"source": "Ann", "relation": "lives in", "target": "Paris", "fact": "Ann lives in Paris"}


async def two_sessions(api: httpx.AsyncClient) -> None:
    """A fact that two sessions state."""
    for session in ("s1", "s2"):
        sent = {"id": session, "content": "Ann lives in Paris", "session": session}
        assert (await api.post("/v1/episodes", json=sent)).status_code == 201
    assert (await api.post("/v1/facts", json=HOME | {"episodes": ["s1", "s2"]})).status_code == 201


async def done(running: Running, api: httpx.AsyncClient, namespace: str, **asked: Any) -> dict[str, Any]:
    """A run that was asked for and done by what a worker calls."""
    answer = await api.post("/v1/consolidations", json=asked)
    assert answer.status_code == 202
    assert answer.json()["state"] == "waiting"
    await running.service.drainer.drain(namespace)
    return (await api.get(f"/v1/consolidations/{answer.json()['id']}")).json()


async def test_a_run_is_asked_for_done_and_taken_back(
    plain_server: Running, plain: httpx.AsyncClient, namespace: str
) -> None:
    await two_sessions(plain)

    planned = await done(plain_server, plain, namespace, dry_run=True)
    run = await done(plain_server, plain, namespace, steps=["confirm"])

    assert (planned["state"], planned["dry_run"], planned["counts"]["confirm"]["planned"]) == ("done", True, 1)
    assert (run["state"], run["steps"], run["counts"]["confirm"]["applied"]) == ("done", ["confirm"], 1)
    assert run["took_ms"] > 0
    (change,) = (await plain.get("/v1/changes", params={"run": run["id"], "state": "applied"})).json()["changes"]
    assert change["evidence"] == ["s1", "s2"]
    assert "2 sessions" in change["reason"]
    assert change["before"] == []
    assert change["after"][0]["tier"] == "repeated"
    undone = await plain.post(f"/v1/changes/{change['id']}/undo")
    assert (undone.status_code, undone.json()["state"], undone.json()["undone"]) == (200, "undone", [change["id"]])
    again = await done(plain_server, plain, namespace)
    assert "applied" not in again["counts"]["confirm"]
    runs = (await plain.get("/v1/consolidations")).json()["consolidations"]
    assert [one["id"] for one in runs] == [again["id"], run["id"], planned["id"]]


async def test_lists_go_on_where_they_stopped(plain_server: Running, plain: httpx.AsyncClient, namespace: str) -> None:
    await two_sessions(plain)
    await done(plain_server, plain, namespace, steps=["confirm"])
    await done(plain_server, plain, namespace, dry_run=True, steps=["confirm"])

    first = (await plain.get("/v1/consolidations", params={"limit": 1})).json()
    second = (await plain.get("/v1/consolidations", params={"limit": 1, "cursor": first["cursor"]})).json()
    changes = (await plain.get("/v1/changes", params={"limit": 1})).json()

    assert first["consolidations"][0]["dry_run"]
    assert not second["consolidations"][0]["dry_run"]
    assert (await plain.get("/v1/changes", params={"cursor": changes["cursor"]})).json() == {
        "changes": [],
        "cursor": None,
    }


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"steps": ["dream"]}, "steps[0]"),
        ({"steps": []}, "steps"),
        ({"dry_run": "yes"}, "dry_run"),
        ({"dry": 1}, "dry"),
    ],
)
async def test_what_makes_no_sense_is_refused(plain: httpx.AsyncClient, sent: dict[str, Any], field: str) -> None:
    answer = await plain.post("/v1/consolidations", json=sent)

    assert answer.status_code == 400
    assert [one["field"] for one in answer.json()["errors"]] == [field]


async def test_what_is_not_there_is_not_found(plain: httpx.AsyncClient) -> None:
    nobody = "01890000-0000-7000-8000-000000000000"
    asked = [
        plain.get(f"/v1/consolidations/{nobody}"),
        plain.get("/v1/changes/what"),
        plain.post(f"/v1/changes/{nobody}/undo"),
        plain.post(f"/v1/changes/{nobody}/accept"),
        plain.post(f"/v1/changes/{nobody}/reject"),
    ]

    assert {answer.status_code for answer in await asyncio.gather(*asked)} == {404}
    assert (await plain.get("/v1/changes", params={"run": "what"})).status_code == 400
    assert (await plain.get("/v1/changes", params={"state": "what"})).status_code == 400


async def test_a_reader_may_look_and_not_touch(plain_server: Running, namespace: str) -> None:
    async with plain_server.caller("reader", namespace) as reader:
        assert (await reader.get("/v1/consolidations")).json() == {"consolidations": [], "cursor": None}
        assert (await reader.get("/v1/changes")).json() == {"changes": [], "cursor": None}
        assert (await reader.post("/v1/consolidations", json={})).status_code == 403


async def test_a_namespace_chooses_its_time_zone(plain: httpx.AsyncClient) -> None:
    assert (await plain.patch("/v1/settings", json={"time_zone": "Asia/Kolkata"})).json()["time_zone"] == "Asia/Kolkata"
    assert (await plain.patch("/v1/settings", json={"time_zone": "Mars"})).status_code == 400
    assert (await plain.get("/v1/settings")).json()["time_zone"] == "Asia/Kolkata"
    assert (await plain.patch("/v1/settings", json={"time_zone": None})).json()["time_zone"] is None
