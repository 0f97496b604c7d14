"""Many writers at once: one of them creates, the others are told, and the tables agree at the end."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Iterator

import httpx
import psycopg
import pytest

from tests.http.answers import given
from tests.http.consistency import check_consistency
from tests.http.serving import Running

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def agreeing_tables(plain_server: Running) -> Iterator[None]:
    yield
    check_consistency(plain_server.dsn)


async def statuses(*requests: object) -> Counter[int]:
    """How often each status was answered, to requests sent at once."""
    responses: list[httpx.Response] = await asyncio.gather(*requests)  # pyright: ignore[reportArgumentType]
    assert not [response.text for response in responses if response.status_code >= 500]
    return Counter(response.status_code for response in responses)


def rows(running: Running, namespace: str) -> int:
    with psycopg.connect(running.dsn) as connection:
        found = connection.execute("select count(*) from episode where namespace = %s", [namespace]).fetchone()
    return found[0] if found else 0


async def test_of_fifty_that_write_the_same_one_creates(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    same = {"id": "a", "content": "the very same words"}

    assert await statuses(*(plain.post("/v1/episodes", json=same) for _ in range(50))) == {201: 1, 200: 49}
    assert rows(plain_server, namespace) == 1


async def test_of_fifty_that_write_another_text_one_wins_and_the_others_conflict(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    episodes = [{"id": "a", "content": f"words of writer {number}"} for number in range(50)]

    assert await statuses(*(plain.post("/v1/episodes", json=one) for one in episodes)) == {201: 1, 409: 49}
    assert rows(plain_server, namespace) == 1


async def test_two_texts_for_one_id_are_told_apart(plain: httpx.AsyncClient) -> None:
    episodes = [{"id": "a", "content": f"text {number % 2}"} for number in range(50)]

    assert await statuses(*(plain.post("/v1/episodes", json=one) for one in episodes)) == {201: 1, 200: 24, 409: 25}


async def test_batches_that_cross_each_other_never_stop_each_other(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    forward = [{"id": f"e{number:03}", "content": f"turn {number}"} for number in range(60)]
    batches = [forward, forward[::-1], forward[20:] + forward[:20], forward[::2] + forward[1::2]] * 4

    answers = await statuses(*(plain.post("/v1/episodes/batch", json={"episodes": batch}) for batch in batches))

    assert answers == {201: 16}
    assert rows(plain_server, namespace) == 60


async def test_batches_that_share_some_ids_are_stored_whole_or_not_at_all(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    batches = [
        [{"id": "shared", "content": f"writer {writer}"}, *({"id": f"w{writer}-{n}", "content": "x"} for n in range(5))]
        for writer in range(12)
    ]

    answers = await statuses(*(plain.post("/v1/episodes/batch", json={"episodes": batch}) for batch in batches))

    assert answers == {201: 1, 409: 11}
    assert rows(plain_server, namespace) == 6


async def test_writing_replacing_and_forgetting_one_id_at_once_ends_with_one_or_none(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    episode = {"id": "a", "content": "first words"}
    rounds = itertools.chain.from_iterable(
        (
            plain.post("/v1/episodes", json=episode),
            plain.put("/v1/episodes/a", json={"content": f"other words {number}"}),
            plain.delete("/v1/episodes/a"),
            plain.post("/v1/episodes/batch", json={"episodes": [episode, {"id": f"b{number}", "content": "beside"}]}),
            plain.post("/v1/forget", json={"episodes": ["a", f"b{number}"]}),
        )
        for number in range(30)
    )

    answers = await statuses(*rounds)

    assert set(answers) <= {200, 201, 404, 409}
    assert rows(plain_server, namespace) <= 31


async def test_deleting_a_namespace_under_load_fails_nobody_and_leaves_nothing_behind(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    writes = [
        request
        for number in range(15)
        for request in (
            plain.post("/v1/episodes", json={"content": f"single {number}"}),
            plain.post("/v1/episodes/batch", json={"episodes": [{"content": f"of a batch {number}"}] * 5}),
            plain.put(f"/v1/episodes/e{number % 3}", json={"content": f"replaced {number}"}),
            plain.post("/v1/episodes", json={"id": f"e{number % 3}", "content": "named"}),
            plain.patch("/v1/settings", json={"rrf_k": 10 + number}),
            plain.post("/v1/search", json={"query": "batch"}),
        )
    ]
    deletions = [plain.delete(f"/v1/namespaces/{namespace}") for _ in range(8)]
    mixed = [request for pair in itertools.zip_longest(writes, deletions) for request in pair if request]

    answers = await statuses(*mixed)
    check_consistency(plain_server.dsn)
    given(await plain.delete(f"/v1/namespaces/{namespace}"))

    assert set(answers) <= {200, 201, 404, 409}
    assert rows(plain_server, namespace) == 0
    assert given(await plain.get("/v1/episodes"))["episodes"] == []


async def test_a_vanished_rival_leaves_the_place_to_the_one_that_waited(
    plain: httpx.AsyncClient, plain_server: Running, namespace: str
) -> None:
    given(await plain.post("/v1/episodes", json={"id": "a", "content": "old"}), 201)
    with psycopg.connect(plain_server.dsn) as rival:
        rival.execute("select from episode where namespace = %s and id = 'a' for update", [namespace])
        forgetting = asyncio.create_task(plain.delete("/v1/episodes/a"))
        writing = [
            asyncio.create_task(plain.post("/v1/episodes", json={"id": "a", "content": "new"})) for _ in range(8)
        ]
        await asyncio.wait([forgetting], timeout=0.05)
        rival.rollback()

    answers = await statuses(forgetting, *writing)

    assert set(answers) <= {200, 201, 409}


async def test_of_many_that_replace_the_same_each_does(plain: httpx.AsyncClient) -> None:
    given(await plain.post("/v1/episodes", json={"id": "a", "content": "first"}), 201)

    found = await statuses(*(plain.put("/v1/episodes/a", json={"content": f"text {n}"}) for n in range(12)))

    assert found == {200: 12}
