"""Seen from outside: health, numbers for Prometheus, pages that need no internet."""

import re

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.http.answers import given, stored
from tests.http.serving import Running

pytestmark = pytest.mark.anyio


async def test_health_needs_no_key_and_names_each_part(server: Running) -> None:
    async with server.client() as nobody:
        alive = given(await nobody.get("/health/live"))
        ready = given(await nobody.get("/health/ready"))

    assert alive == {"status": "ok"}
    assert ready["parts"]["postgres"]["state"] == "ready"
    assert ready["parts"]["graph"]["state"] == "off"
    assert ready["parts"]["embedder"]["languages"] == ["en"]


async def test_metrics_are_prometheus_text_with_routes_stages_and_the_queue(
    server: Running, api: httpx.AsyncClient
) -> None:
    await stored(api, "the secret boat")
    given(await api.post("/v1/search", json={"query": "secret"}))
    await api.get("/v1/episodes/secret")

    async with server.client() as nobody:
        response = await nobody.get("/metrics")

    families = {family.name: family for family in text_string_to_metric_families(response.text)}
    routes = {sample.labels["route"] for sample in families["graphmem_requests"].samples}
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert {"/v1/search", "/v1/episodes/{episode_id:str}"} <= routes
    assert {"graphmem_request_seconds", "graphmem_stage_seconds", "graphmem_queue_jobs"} <= set(families)
    assert {"graphmem_leg_failures", "graphmem_model_seconds", "graphmem_queue_oldest_seconds"} <= set(families)
    assert "secret" not in response.text


async def test_the_docs_need_nothing_from_elsewhere(server: Running) -> None:
    async with server.client() as nobody:
        page = await nobody.get("/docs")
        assets = re.findall(r"""(?:src|href)=["']([^"']+)["']""", page.text)
        answers = {asset: await nobody.get(asset) for asset in assets if not asset.startswith("data:")}

    assert page.headers["content-type"].startswith("text/html")
    assert len(answers) >= 3
    assert {asset: answer.status_code for asset, answer in answers.items()} == dict.fromkeys(answers, 200)
    assert not [asset for asset in assets if "//" in asset]


async def test_the_description_names_every_route_and_the_key(server: Running) -> None:
    async with server.client() as nobody:
        description = given(await nobody.get("/openapi.json"))

    assert description["openapi"].startswith("3.1")
    assert description["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert description["paths"]["/v1/search"]["post"]["security"] == [{"key": []}]
