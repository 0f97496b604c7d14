"""What every answer of the API must look like, and short ways to ask."""

import json
from typing import Any

import anyio.lowlevel
import httpx

PROBLEM_FIELDS = {"type", "title", "status", "detail", "instance"}


def refused(response: httpx.Response, status: int, field: str | None = None) -> dict[str, Any]:
    """The problem in an answer, which must be one of that status and name that field."""
    assert response.status_code == status, response.text[:500]
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["x-request-id"]
    problem = response.json()
    assert set(problem) - {"errors"} == PROBLEM_FIELDS
    assert problem["status"] == status
    assert problem["instance"] == response.request.url.path
    assert field is None or field in [error["field"] for error in problem.get("errors", ())], problem
    return problem


def given(response: httpx.Response, status: int = 200) -> Any:
    """The JSON of a good answer."""
    assert response.status_code == status, response.text[:500]
    assert response.headers["content-type"] == "application/json"
    return response.json()


async def stored(api: httpx.AsyncClient, *contents: str, **fields: Any) -> list[str]:
    """The ids of some new episodes, stored in one batch."""
    episodes = [{"content": content} | fields for content in contents]
    answer = given(await api.post("/v1/episodes/batch", json={"episodes": episodes}), 201)
    return [episode["id"] for episode in answer["episodes"]]


async def found(api: httpx.AsyncClient, query: str, **fields: Any) -> list[str]:
    """The ids a search gives, best first."""
    answer = given(await api.post("/v1/search", json={"query": query} | fields))
    return [result["id"] for result in answer["results"]]


async def raw(api: httpx.AsyncClient, path: str, body: bytes, content_type: str = "application/json") -> httpx.Response:
    """The answer to a body as it is."""
    return await api.post(path, content=body, headers={"content-type": content_type})


async def imported(api: httpx.AsyncClient, *lines: object, **query: str) -> list[dict[str, Any]]:
    """The progress lines of an import; what is not bytes goes as JSON."""
    body = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    response = await api.post(
        "/v1/import", content=body, headers={"content-type": "application/x-ndjson"}, params=query
    )
    assert response.status_code == 200, response.text[:500]
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.text.splitlines()]


async def until_found(api: httpx.AsyncClient, episode_id: str) -> None:
    """Return once another request has stored that episode."""
    while (await api.get(f"/v1/episodes/{episode_id}")).status_code == 404:
        await anyio.lowlevel.checkpoint()
