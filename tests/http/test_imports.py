"""Import: any number of lines, bad ones reported by number, everything else stored."""

import json
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.http.answers import found, given, imported, refused, until_found
from tests.http.serving import Running

pytestmark = pytest.mark.anyio


def counts(progress: dict[str, object]) -> tuple[object, ...]:
    return tuple(progress[name] for name in ("lines", "created", "existing", "failed", "done"))


async def test_two_thousand_lines_are_stored_with_progress_on_the_way(plain: httpx.AsyncClient) -> None:
    progress = await imported(plain, *({"id": f"e{n}", "content": f"turn {n}"} for n in range(2000)))

    assert counts(progress[-1]) == (2000, 2000, 0, 0, True)
    assert [line["created"] for line in progress] == sorted(line["created"] for line in progress)
    assert len(progress) >= 4
    assert given(await plain.get(f"/v1/jobs/{progress[-1]['job']}"))["episodes"] == 2000
    assert await found(plain, "1999", mode="keyword") == ["e1999"]


async def test_the_same_lines_again_store_nothing(plain: httpx.AsyncClient) -> None:
    lines = [{"id": f"e{n}", "content": f"turn {n}"} for n in range(3)]
    await imported(plain, *lines)

    assert counts((await imported(plain, *lines))[-1]) == (3, 0, 3, 0, True)


async def test_bad_lines_are_reported_by_their_number_and_skipped(plain: httpx.AsyncClient) -> None:
    given(await plain.post("/v1/episodes", json={"id": "known", "content": "old"}), 201)
    lines = [
        {"id": "a", "content": "first"},
        b"",
        b"{not json}",
        {"content": ""},
        b"   \r",
        {"id": "known", "content": "new"},
        {"content": "x", "speeker": "y"},
        {"content": "a\0b"},
        b'{"content": "\xff"}',
        {"content": "x", "namespace": "another"},
        b"[" * 5000,
        {"id": "a", "content": "first"},
        {"id": "a", "content": "second"},
        {"id": "z", "content": "last"},
    ]

    progress = await imported(plain, *lines)

    errors = {error["line"]: error["error"] for line in progress for error in line["errors"]}
    assert list(errors) == [3, 4, 6, 7, 8, 9, 10, 11, 13]
    assert "content" in errors[4]
    assert "known" in errors[6]
    assert errors[7] == "speeker: is not a field"
    assert errors[8] == "content: must not contain the NUL character"
    assert "namespace" in errors[10]
    assert counts(progress[-1]) == (12, 2, 1, 9, True)
    assert given(await plain.get("/v1/episodes/a"))["content"] == "first"


async def test_an_import_of_nothing_counts_nothing(plain: httpx.AsyncClient) -> None:
    assert counts((await imported(plain))[-1]) == (0, 0, 0, 0, True)


async def test_lines_may_be_cut_anywhere_on_the_way(plain: httpx.AsyncClient) -> None:
    body = "\n".join(
        json.dumps({"id": f"e{n}", "content": "é😀" * n}, ensure_ascii=False) for n in range(1, 20)
    ).encode()

    async def dribble() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 7):
            yield body[start : start + 7]

    headers = {"content-type": "application/x-ndjson"}
    response = await plain.post("/v1/import", content=dribble(), headers=headers)

    assert counts(json.loads(response.text.splitlines()[-1])) == (19, 19, 0, 0, True)
    assert given(await plain.get("/v1/episodes/e19"))["content"] == "é😀" * 19


async def test_a_line_too_long_to_hold_is_reported_and_the_next_is_stored(plain: httpx.AsyncClient) -> None:
    too_long = b'{"content": "' + b"x" * (17 * 1024 * 1024) + b'"}'

    progress = await imported(plain, too_long, {"id": "b", "content": "short"})

    assert [error["line"] for error in progress[-1]["errors"]] == [1]
    assert counts(progress[-1]) == (2, 1, 0, 1, True)


async def test_an_import_may_be_larger_than_any_other_body(plain: httpx.AsyncClient) -> None:
    line = json.dumps({"content": "word " * 180_000}).encode()

    progress = await imported(plain, *([line] * 20))

    assert len(line) * 20 > 16 * 1024 * 1024
    assert counts(progress[-1]) == (20, 20, 0, 0, True)


async def test_thousands_of_bad_lines_are_all_reported_to_a_caller_that_reads_late(plain: httpx.AsyncClient) -> None:
    progress = await imported(plain, *([b"{bad"] * 60_000))

    assert sum(len(line["errors"]) for line in progress) == 60_000
    assert counts(progress[-1]) == (60_000, 0, 0, 60_000, True)


async def test_an_import_goes_where_its_parameter_says(server: Running, namespace: str) -> None:
    async with server.caller("writer", namespace, "another") as api:
        await imported(api, {"id": "a", "content": "x"}, namespace=namespace)

        given(await api.get("/v1/episodes/a", params={"namespace": namespace}))
        headers = {"content-type": "application/x-ndjson"}
        refused(await api.post("/v1/import?namespace=third", content=b"", headers=headers), 403)


async def test_an_import_that_is_broken_off_keeps_what_was_stored_and_harms_nobody(
    plain: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken() -> AsyncIterator[bytes]:
        for number in range(1200):
            yield json.dumps({"id": f"e{number}", "content": "secret"}).encode() + b"\n"
        await until_found(plain, "e0")
        raise ConnectionResetError

    headers = {"content-type": "application/x-ndjson"}
    with pytest.raises(ConnectionResetError):
        await plain.post("/v1/import", content=broken(), headers=headers)

    assert given(await plain.get("/v1/episodes/e0"))["content"] == "secret"
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
