"""Errors: always RFC 9457, in the order of the contract, and never with anything of the store in them."""

from collections.abc import AsyncIterator

import httpx
import pytest

from graphmem.settings import Embedder, Http
from tests.http.answers import given, raw, refused
from tests.http.serving import Running, a_database, serving, settings_for

pytestmark = pytest.mark.anyio

WITHOUT_EMBEDDER = Embedder(kind="none")


@pytest.fixture
async def limited(server_dsn: str) -> AsyncIterator[Running]:
    """A server that takes one request in two seconds from each key, and calls from one origin."""
    http = Http(rate_limit_per_second=0.5, cors_origins=("https://dashboard.example",))
    with a_database(server_dsn) as dsn:
        async with serving(settings_for(dsn, embedder=WITHOUT_EMBEDDER, http=http)) as running:
            yield running


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer x", "Basic eDp5", "Bearer gm_x", "gm_x", "Bearer gm_" + "x" * 5000, "Bearer é"],
)
async def test_without_a_key_that_is_known_nothing_is_answered(server: Running, authorization: str) -> None:
    async with server.client() as nobody:
        response = await nobody.get("/v1/episodes", headers={"Authorization": authorization.encode()})

    refused(response, 401)
    assert response.headers["www-authenticate"] == "Bearer"


async def test_a_changed_secret_is_not_known(server: Running) -> None:
    secret = await server.secret("reader", ["*"])

    async with server.client(secret[:-1] + ("a" if secret[-1] != "a" else "b")) as nobody:
        refused(await nobody.get("/v1/episodes"), 401)
    async with server.client(secret) as somebody:
        given(await somebody.get("/v1/episodes"))


async def test_the_key_comes_before_the_role_the_shape_and_existence(server: Running, namespace: str) -> None:
    other = "/v1/episodes/none?namespace=another"
    async with server.client() as nobody, server.caller("reader", namespace) as reader:
        refused(await nobody.put(other, content=b"{bad"), 401)
        refused(await reader.put(other, content=b"{bad"), 403)
        refused(await reader.get(other + "&unknown=1"), 403)
    async with server.caller("writer", namespace) as writer:
        refused(await writer.put(other, content=b"{bad", headers={"content-type": "application/json"}), 403)
        refused(await raw(writer, "/v1/episodes", b'{"namespace": "another", "content": ""}'), 403)
        refused(await writer.put("/v1/episodes/none", json={"content": ""}), 400)
        refused(await writer.put("/v1/episodes/none", json={"content": "x"}), 404)
        refused(await writer.get("/v1/episodes/none?unknown=1"), 400)


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/nothing", "/v1/episodes/a/b", "/v2/search", "/%00", "/é"])
async def test_an_unknown_path_is_not_found_with_and_without_a_key(
    server: Running, api: httpx.AsyncClient, path: str
) -> None:
    refused(await api.get(path), 404)
    async with server.client() as nobody:
        refused(await nobody.get(path), 404)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("PATCH", "/v1/episodes", {"GET", "POST"}), ("GET", "/v1/search", {"POST"}), ("DELETE", "/health/live", {"GET"})],
)
async def test_another_method_is_refused_with_those_that_are_allowed(
    api: httpx.AsyncClient, method: str, path: str, allowed: set[str]
) -> None:
    response = await api.request(method, path)

    refused(response, 405)
    assert set(response.headers["allow"].split(", ")) - {"OPTIONS", "HEAD"} == allowed


async def test_options_says_what_a_path_can_do(api: httpx.AsyncClient) -> None:
    response = await api.options("/v1/search")

    assert response.status_code == 204
    assert "POST" in response.headers["allow"]


async def test_a_request_id_comes_back(server: Running, api: httpx.AsyncClient) -> None:
    async with server.client() as nobody:
        answers = [
            await client.get(path, headers={"X-Request-Id": "My.request_1-2"})
            for client in (api, nobody)
            for path in ("/v1/episodes", "/nothing", "/health/live")
        ]

    assert {answer.headers["x-request-id"] for answer in answers} == {"My.request_1-2"}


@pytest.mark.parametrize("given_id", ["a b", "<script>", "x" * 65, "é".encode(), "", "a\tb"])
async def test_a_request_id_that_could_do_harm_is_replaced(api: httpx.AsyncClient, given_id: str | bytes) -> None:
    response = await api.get("/v1/episodes", headers={"X-Request-Id": given_id})

    assert len(response.headers["x-request-id"]) == 36


async def test_a_key_that_asks_too_fast_is_told_when_to_come_back(limited: Running) -> None:
    async with limited.caller("reader") as fast, limited.caller("reader") as other:
        given(await fast.get("/v1/episodes"))
        response = await fast.get("/v1/episodes")

        refused(response, 429)
        assert response.headers["retry-after"] == "2"
        given(await other.get("/v1/episodes"))


async def test_browsers_may_call_from_the_origins_that_are_set(limited: Running) -> None:
    asked = {"Origin": "https://dashboard.example", "Access-Control-Request-Method": "POST"}
    async with limited.client() as nobody:
        allowed = await nobody.options("/v1/search", headers=asked)
        refusal = await nobody.get("/v1/episodes", headers={"Origin": "https://dashboard.example"})
        stranger = await nobody.options("/v1/search", headers=asked | {"Origin": "https://evil.example"})

    assert allowed.headers["access-control-allow-origin"] == "https://dashboard.example"
    assert refusal.headers["access-control-allow-origin"] == "https://dashboard.example"
    assert stranger.headers.get("access-control-allow-origin") != "https://evil.example"


async def test_browsers_may_not_call_unless_an_origin_is_set(api: httpx.AsyncClient) -> None:
    asked = {"Origin": "https://dashboard.example", "Access-Control-Request-Method": "POST"}

    answers = [await api.options("/v1/search", headers=asked), await api.get("/v1/episodes", headers=asked)]

    assert not [name for answer in answers for name in answer.headers if name.startswith("access-control")]
