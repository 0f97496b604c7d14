"""Text of every kind: kept as it was sent, or refused with the reason."""

import httpx
import pytest

from graphmem.http.cursors import cursor_of
from tests.http.answers import found, given, imported, raw, refused

pytestmark = pytest.mark.anyio

KINDS_OF_TEXT = {
    "family of emoji joined": "👩‍👩‍👧‍👦 came by",
    "flags and skin tones": "🇮🇳 👍🏽",
    "right to left, with marks": "שלום \u202eabc\u202c العربية",
    "combining, composed and not": "e\u0301 é ñ n\u0303",
    "beyond the basic plane": "\U0001d518\U00020000\U0010ffff",
    "no characters": "\ufffe\uffff\ufdd0",
    "byte order mark": "\ufefftext",
    "control characters": "\x01\x07\x1b[31m\x7f\x85",
    "line ends": "a\r\nb\rc\u2028d\u2029e",
    "white space alone": " \t\n\u00a0\u3000",
    "Hindi": "मैंने प्रिया को छुट्टी के बारे में बताया",
    "Chinese": "我告诉她三月可以度假",
    "Zalgo": "Z\u0335\u0321a\u0336\u0322l\u0337g\u0338o\u0339",
    "SQL": "'; drop table episode; -- %s %(x)s %% $1",
    "JSON and backslashes": '\\u0000 \\ " {"a": 1} \\x00',
    "markup": "</memory><script>&amp;&#0;",
    "zero width": "a\u200bb\u200c\u200d\u2060",
}


@pytest.mark.parametrize("text", KINDS_OF_TEXT.values(), ids=KINDS_OF_TEXT.keys())
async def test_text_comes_back_unchanged_in_every_field(api: httpx.AsyncClient, text: str) -> None:
    names = dict.fromkeys(("speaker", "session", "project", "type", "path", "title", "summary"), text)
    sent = {"content": text, "metadata": {text: [text]}} | names
    given(await api.post("/v1/episodes", json=sent | {"id": "one"}), 201)
    await imported(api, sent | {"id": "two"})
    given(await api.put("/v1/episodes/one", json=sent), 200)

    kept = [given(await api.get(f"/v1/episodes/{episode_id}")) for episode_id in ("one", "two")]
    listed = given(await api.get("/v1/episodes", params={"session": text, "project": text}))["episodes"]

    for episode in [*kept, *listed]:
        assert {name: episode[name] for name in sent} == sent
    assert len(listed) == 2
    given(await api.post("/v1/episodes", json=sent | {"id": "one"}), 200)


@pytest.mark.parametrize("text", KINDS_OF_TEXT.values(), ids=KINDS_OF_TEXT.keys())
async def test_a_question_may_be_any_text_that_is_not_blank(api: httpx.AsyncClient, text: str) -> None:
    given(await api.post("/v1/search", json={"query": f"x{text}", "sessions": [text], "types": [text]}))
    given(await api.get("/v1/context", params={"query": f"x{text}"}))


@pytest.mark.parametrize(("word", "text"), [("प्रिया", KINDS_OF_TEXT["Hindi"]), ("三月", "三月 我们去度假")])
async def test_words_of_other_scripts_are_found(api: httpx.AsyncClient, word: str, text: str) -> None:
    given(await api.post("/v1/episodes", json={"id": "a", "content": text}), 201)

    assert await found(api, word, mode="keyword") == ["a"]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/episodes", {"content": "a\0b"}, "content"),
        ("/v1/episodes", {"content": "x", "id": "a\0"}, "id"),
        ("/v1/episodes", {"content": "x", "speaker": "\0"}, "speaker"),
        ("/v1/episodes", {"content": "x", "session": "\0"}, "session"),
        ("/v1/episodes", {"content": "x", "type": "\0"}, "type"),
        ("/v1/episodes", {"content": "x", "summary": "\0"}, "summary"),
        ("/v1/episodes", {"content": "x", "metadata": {"a": [{"b": "\0"}]}}, "metadata"),
        ("/v1/episodes", {"content": "x", "metadata": {"a": {"\0": 1}}}, "metadata"),
        ("/v1/episodes", {"content": "x", "facts": [{"source": "\0"}]}, "facts[0].source"),
        ("/v1/episodes/batch", {"episodes": [{"content": "x"}, {"content": "\0"}]}, "episodes[1].content"),
        ("/v1/episodes/batch", {"episodes": [{"content": "x", "metadata": {"a": "\0"}}]}, "episodes[0].metadata"),
        ("/v1/search", {"query": "a\0"}, "query"),
        ("/v1/search", {"query": "a", "exclude": ["\0"]}, "exclude[0]"),
        ("/v1/search", {"query": "a", "sessions": ["\0"]}, "sessions[0]"),
        ("/v1/search", {"query": "a", "project": "\0"}, "project"),
        ("/v1/search", {"query": "a", "types": ["\0"]}, "types[0]"),
        ("/v1/search", {"query": "a", "profile": "\0"}, "profile"),
        ("/v1/context", {"query": "\0a"}, "query"),
        ("/v1/forget", {"episodes": ["\0"]}, "episodes[0]"),
        ("/v1/keys", {"role": "reader", "namespaces": ["a"], "name": "\0"}, "name"),
    ],
)  # fmt: skip
async def test_nul_in_a_body_is_refused_by_its_field(
    api: httpx.AsyncClient, path: str, body: dict[str, object], field: str
) -> None:
    problem = refused(await api.post(path, json=body), 400, field)

    assert "regex" not in problem["detail"]


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("/v1/episodes", {"session": "\0"}, "session"),
        ("/v1/episodes", {"project": "a\0"}, "project"),
        ("/v1/episodes", {"before": "\0"}, "before"),
        ("/v1/episodes", {"cursor": "\0"}, "cursor"),
        ("/v1/episodes", {"cursor": cursor_of("2026-01-01T00:00:00Z", "\0")}, "cursor"),
        ("/v1/episodes", {"\0": "x"}, "\0"),
        ("/v1/episodes/a%00b", {}, "episode_id"),
        ("/v1/jobs", {"state": "\0"}, "state"),
        ("/v1/jobs", {"cursor": cursor_of("\0")}, "cursor"),
        ("/v1/jobs/a%00b", {}, "job_id"),
        ("/v1/keys", {"cursor": cursor_of("\0")}, "cursor"),
        ("/v1/namespaces", {"cursor": cursor_of("\0")}, "cursor"),
        ("/v1/context", {"query": "a\0"}, "query"),
    ],
)
async def test_nul_in_an_address_is_refused_by_its_parameter(
    api: httpx.AsyncClient, path: str, query: dict[str, str], field: str
) -> None:
    problem = refused(await api.get(path, params=query), 400, field)

    assert "regex" not in problem["detail"]


async def test_nul_in_the_path_of_a_key_is_refused(api: httpx.AsyncClient) -> None:
    refused(await api.delete("/v1/keys/a%00b"), 400, "key_id")


@pytest.mark.parametrize("escape", [b"\\ud800", b"\\udc00", b"a\\ud83d\\u0041", b"\\udc00\\ud800", b"\xed\xa0\x80"])
async def test_half_a_surrogate_pair_is_refused(api: httpx.AsyncClient, escape: bytes) -> None:
    refused(await raw(api, "/v1/episodes", b'{"content": "' + escape + b'"}'), 400)
    refused(await raw(api, "/v1/episodes", b'{"content": "x", "metadata": {"' + escape + b'": 1}}'), 400)
    refused(await raw(api, "/v1/search", b'{"query": "' + escape + b'"}'), 400)


async def test_a_whole_surrogate_pair_is_one_character(api: httpx.AsyncClient) -> None:
    answer = given(await raw(api, "/v1/episodes", b'{"content": "\\ud83d\\ude00"}'), 201)

    assert given(await api.get(f"/v1/episodes/{answer['id']}"))["content"] == "😀"
