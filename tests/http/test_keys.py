"""Keys: what each role may do on every route, how far a key reaches, and when it ends."""

import httpx
import pytest
from litestar.routes import HTTPRoute

from graphmem.http.app import application
from graphmem.memory import Role
from tests.http.answers import given, refused, stored
from tests.http.serving import Running, settings_for

pytestmark = pytest.mark.anyio

# Every route that needs a key, and the least role that may use it. A new route is added here, or the test fails.
ROLES: dict[tuple[str, str], Role] = {
    ("POST", "/v1/episodes"): "writer",
    ("GET", "/v1/episodes"): "reader",
    ("POST", "/v1/episodes/batch"): "writer",
    ("GET", "/v1/episodes/batch"): "reader",
    ("PUT", "/v1/episodes/batch"): "writer",
    ("DELETE", "/v1/episodes/batch"): "writer",
    ("GET", "/v1/episodes/{episode_id}"): "reader",
    ("PUT", "/v1/episodes/{episode_id}"): "writer",
    ("DELETE", "/v1/episodes/{episode_id}"): "writer",
    ("POST", "/v1/import"): "writer",
    ("POST", "/v1/search"): "reader",
    ("POST", "/v1/context"): "reader",
    ("GET", "/v1/context"): "reader",
    ("POST", "/v1/facts"): "writer",
    ("GET", "/v1/facts"): "reader",
    ("POST", "/v1/facts/batch"): "writer",
    ("GET", "/v1/facts/{fact_id}"): "reader",
    ("POST", "/v1/facts/{fact_id}/invalidate"): "writer",
    ("GET", "/v1/entities"): "reader",
    ("GET", "/v1/entities/{entity_id}"): "reader",
    ("GET", "/v1/entities/{entity_id}/timeline"): "reader",
    ("GET", "/v1/graph"): "reader",
    ("GET", "/v1/jobs"): "reader",
    ("GET", "/v1/jobs/{job_id}"): "reader",
    ("POST", "/v1/jobs/{job_id}/retry"): "writer",
    ("POST", "/v1/keys"): "admin",
    ("GET", "/v1/keys"): "admin",
    ("DELETE", "/v1/keys/{key_id}"): "admin",
    ("GET", "/v1/namespaces"): "admin",
    ("DELETE", "/v1/namespaces/{namespace}"): "admin",
    ("POST", "/v1/forget"): "admin",
    ("GET", "/v1/profiles"): "reader",
    ("GET", "/v1/settings"): "reader",
    ("PATCH", "/v1/settings"): "admin",
    ("GET", "/v1/aliases"): "reader",
    ("PUT", "/v1/aliases"): "writer",
    ("POST", "/v1/feedback"): "reader",
    ("POST", "/v1/evaluations"): "writer",
    ("GET", "/v1/evaluations"): "reader",
    ("GET", "/v1/evaluations/{evaluation_id}"): "reader",
    ("POST", "/v1/consolidations"): "writer",
    ("GET", "/v1/consolidations"): "reader",
    ("GET", "/v1/consolidations/{run_id}"): "reader",
    ("GET", "/v1/changes"): "reader",
    ("GET", "/v1/changes/{change_id}"): "reader",
    ("POST", "/v1/changes/{change_id}/undo"): "writer",
    ("POST", "/v1/changes/{change_id}/accept"): "writer",
    ("POST", "/v1/changes/{change_id}/reject"): "writer",
}
OPEN = {"/health/live", "/health/ready", "/metrics", "/openapi.json", "/browser/guide.html", "/browser/style.grass"}
ORDER: list[Role] = ["reader", "writer", "admin"]
ROUTES = sorted(ROLES)


def test_every_route_is_in_the_table_or_open_to_all() -> None:
    routes = {
        (method, route.path_format)
        for route in application(settings_for("postgresql://nowhere")).routes
        if isinstance(route, HTTPRoute) and not route.path.startswith("/docs")
        for method in set(route.methods) - {"OPTIONS", "HEAD"}
    }

    assert {route for route in routes if route[1] not in OPEN} == set(ROLES)


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_a_route_is_closed_without_a_key(server: Running, method: str, path: str) -> None:
    async with server.client() as nobody:
        refused(await nobody.request(method, path.replace("{", "").replace("}", "")), 401)


@pytest.mark.parametrize("role", ORDER)
@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_a_route_is_open_from_its_role_upwards(
    server: Running, namespace: str, role: Role, method: str, path: str
) -> None:
    address = path.replace("{namespace}", namespace).replace("{", "").replace("}", "")
    enough = ORDER.index(role) >= ORDER.index(ROLES[method, path])

    async with server.caller(role, namespace) as caller:
        response = await caller.request(method, address)

    assert (response.status_code == 403) != enough
    assert response.status_code < 500


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_no_route_reaches_a_namespace_that_is_not_the_keys(server: Running, method: str, path: str) -> None:
    address = path.replace("{namespace}", "another").replace("{", "").replace("}", "")

    async with server.caller("admin", "own_a", "own_b") as caller:
        refused(await caller.request(method, address, params={"namespace": "another"}), 403)


async def test_a_keys_only_namespace_is_meant_when_none_is_named(server: Running, namespace: str) -> None:
    async with server.caller("writer", namespace) as caller:
        assert given(await caller.post("/v1/episodes", json={"content": "x"}), 201)["namespace"] == namespace


async def test_default_is_meant_by_a_key_that_reaches_more_than_one(server: Running, namespace: str) -> None:
    async with server.caller("writer", namespace, "default") as caller, server.caller("writer") as everywhere:
        assert given(await caller.post("/v1/episodes", json={"content": "x"}), 201)["namespace"] == "default"
        assert given(await everywhere.post("/v1/episodes", json={"content": "x"}), 201)["namespace"] == "default"


async def test_a_key_that_does_not_reach_default_must_name_a_namespace(server: Running, namespace: str) -> None:
    async with server.caller("writer", namespace, "another") as caller:
        refused(await caller.post("/v1/episodes", json={"content": "x"}), 403)
        given(await caller.post("/v1/episodes", json={"content": "x", "namespace": namespace}), 201)
        given(await caller.post(f"/v1/episodes?namespace={namespace}", json={"content": "x"}), 201)


async def test_a_made_key_is_shown_once_works_at_once_and_ends_at_once(
    server: Running, api: httpx.AsyncClient, namespace: str
) -> None:
    wanted = {"role": "reader", "namespaces": [namespace], "name": "dashboard"}
    made = given(await api.post("/v1/keys", json=wanted), 201)

    listed = given(await api.get("/v1/keys"))["keys"]
    async with server.client(made["key"]) as reader:
        given(await reader.get("/v1/episodes"))
        assert (await api.delete(f"/v1/keys/{made['id']}")).status_code == 204
        refused(await reader.get("/v1/episodes"), 401)

    assert {name: made[name] for name in wanted} == wanted
    assert made["key"].startswith("gm_")
    assert made["key"] not in str(listed)
    assert made["id"] in [key["id"] for key in listed]
    refused(await api.delete(f"/v1/keys/{made['id']}"), 404)


async def test_an_admin_of_some_namespaces_makes_keys_for_those_alone(api: httpx.AsyncClient, namespace: str) -> None:
    for beyond in (["*"], ["another"], [namespace, "another"]):
        refused(await api.post("/v1/keys", json={"role": "reader", "namespaces": beyond}), 403)


async def test_an_admin_of_some_namespaces_sees_and_ends_keys_of_those_alone(
    server: Running, api: httpx.AsyncClient, root: httpx.AsyncClient, namespace: str
) -> None:
    wider = {"role": "reader", "namespaces": [namespace, "another"]}
    beyond = given(await root.post("/v1/keys", json=wider), 201)
    await server.secret("reader", ["another"])

    page = given(await api.get("/v1/keys", params={"limit": 2}))

    assert [key["namespaces"] for key in page["keys"]] == [[namespace]]
    assert page["cursor"] is None
    refused(await api.delete(f"/v1/keys/{beyond['id']}"), 404)
    assert (await root.delete(f"/v1/keys/{beyond['id']}")).status_code == 204


async def test_an_admin_of_some_namespaces_lists_those_alone(
    server: Running, api: httpx.AsyncClient, root: httpx.AsyncClient, namespace: str
) -> None:
    await stored(api, "one", "two")
    await stored(root, "elsewhere")

    listed = given(await api.get("/v1/namespaces"))

    assert [(one["namespace"], one["episodes"]) for one in listed["namespaces"]] == [(namespace, 2)]
    assert "default" in [one["namespace"] for one in given(await root.get("/v1/namespaces?limit=1000"))["namespaces"]]


async def test_lists_of_keys_and_namespaces_go_on_by_cursor(root: httpx.AsyncClient, server: Running) -> None:
    for path, noun, name in (("/v1/keys", "keys", "id"), ("/v1/namespaces", "namespaces", "namespace")):
        everything = [one[name] for one in given(await root.get(path, params={"limit": 1000}))[noun]]
        first = given(await root.get(path, params={"limit": 1}))
        query = {"limit": 1000} | ({"cursor": first["cursor"]} if first["cursor"] else {})
        rest = given(await root.get(path, params=query))

        assert [one[name] for one in first[noun] + rest[noun]] == everything
