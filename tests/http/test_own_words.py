"""What memory handed out may come back in an episode: it is stored and found, and nothing is learned from it again."""

from typing import Any

import httpx
import pytest

from tests.http.answers import given
from tests.http.serving import Running

pytestmark = pytest.mark.anyio

HEARD = "Priya Raman lives in Lisbon and she likes the trams."


async def tell(api: httpx.AsyncClient, content: str, **more: Any) -> str:
    return given(await api.post("/v1/episodes", json={"content": content} | more), 201)["id"]


async def named_in(server: Running, api: httpx.AsyncClient, namespace: str, episode: str) -> set[str]:
    """The names that were understood in an episode."""
    await server.service.handed_out.flush()
    await server.service.drainer.drain(namespace)
    return {entity["name"] for entity in given(await api.get(f"/v1/episodes/{episode}"))["entities"]}


@pytest.mark.parametrize("touch", [True, False])
async def test_lines_of_a_context_are_not_read_again(
    plain_server: Running, plain: httpx.AsyncClient, namespace: str, touch: bool
) -> None:
    heard = await tell(plain, HEARD, speaker="Ann")
    asked = {"query": "Where does Priya live?", "format": "markdown", "touch": touch}
    block = given(await plain.post("/v1/context", json=asked))["text"]
    again = await tell(plain, f"{block}\nThen Tomas Berg moved to Oslo.", origin="assistant")

    first = await named_in(plain_server, plain, namespace, heard)
    second = await named_in(plain_server, plain, namespace, again)
    found = given(await plain.post("/v1/search", json={"query": "Lisbon Oslo"}))["results"]

    assert HEARD in block
    assert first == {"Ann", "Priya Raman", "Lisbon"}
    assert second & {"Priya Raman", "Tomas Berg"} == ({"Tomas Berg"} if touch else {"Priya Raman", "Tomas Berg"})
    assert again in [result["id"] for result in found]


async def test_a_memory_block_inside_a_text_is_not_read(
    plain_server: Running, plain: httpx.AsyncClient, namespace: str
) -> None:
    quoted = await tell(plain, f"You gave me this:\n<memory>\n- {HEARD}\n</memory>\nThanks!")

    assert await named_in(plain_server, plain, namespace, quoted) == set()
