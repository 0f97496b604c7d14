"""Bodies that are no requests: refused as the caller's, with the place where there is one."""

import httpx
import pytest

from tests.http.answers import given, raw, refused

pytestmark = pytest.mark.anyio

BODIES = ["/v1/episodes", "/v1/episodes/batch", "/v1/search", "/v1/context", "/v1/forget", "/v1/keys"]
MALFORMED = {
    "nothing": b"",
    "white space": b"  \n",
    "half": b'{"content": "x"',
    "too much": b'{"content": "x"} {}',
    "comma": b'{"content": "x",}',
    "no JSON": b"content=x",
    "a list": b"[]",
    "a text": b'"x"',
    "a number": b"1",
    "null": b"null",
    "NaN": b'{"content": NaN}',
    "latin-1": '{"content": "é"}'.encode("latin-1"),
    "UTF-16": '{"content": "x"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"content": "x"}',
    "deep lists": b"[" * 10_000 + b"]" * 10_000,
    "deep objects": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "deep metadata": b'{"content":"x","metadata":{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}}",
    "a number without end": b'{"content":"x","metadata":{"a":' + b"9" * 10_000 + b"}}",
    "a number too large": b'{"content":"x","metadata":{"a":1e999}}',
    "control character": b'{"content": "a\nb"}',
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
@pytest.mark.parametrize("path", BODIES)
async def test_a_body_that_is_no_request_is_refused(api: httpx.AsyncClient, path: str, body: bytes) -> None:
    problem = refused(await raw(api, path, body), 400)

    assert problem["errors"]


@pytest.mark.parametrize("levels", [90, 101, 200, 400, 600, 800, 850, 900, 920, 940, 960, 980, 1000])
async def test_nesting_of_any_depth_is_stored_or_refused(api: httpx.AsyncClient, levels: int) -> None:
    body = b'{"content":"x","metadata":{"a":' + b"[" * levels + b"]" * levels + b"}}"

    response = await raw(api, "/v1/episodes", body)

    assert response.status_code == (201 if levels < 100 else 400)


async def test_whole_numbers_of_any_size_come_back_as_they_are(api: httpx.AsyncClient) -> None:
    metadata = {"a": 2**63, "b": 2**64, "c": -(2**64), "d": 10**4000, "e": 0.1, "f": 1e-300}
    given(await api.post("/v1/episodes", json={"id": "a", "content": "x", "metadata": metadata}), 201)

    assert given(await api.get("/v1/episodes/a"))["metadata"] == metadata


async def test_of_a_name_said_twice_the_last_counts_for_the_key_as_for_the_store(
    api: httpx.AsyncClient, namespace: str
) -> None:
    own, other = f'"namespace": "{namespace}"', '"namespace": "another"'

    refused(await raw(api, "/v1/episodes", f'{{{own}, "content": "x", {other}}}'.encode()), 403)
    answer = given(await raw(api, "/v1/episodes", f'{{{other}, "content": "x", {own}, "content": "y"}}'.encode()), 201)

    assert answer["namespace"] == namespace
    assert given(await api.get(f"/v1/episodes/{answer['id']}"))["content"] == "y"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/episodes", {"content": "x", "metadta": {}}, "metadta"),
        ("/v1/episodes", {"content": "x", "facts": [{"source": "a"}]}, "facts[0].relation"),
        ("/v1/episodes/batch", {"episodes": [{"content": "x"}] * 3 + [{"metadta": 1}]}, "episodes[3].metadta"),
        ("/v1/episodes/batch", {"episodes": [{"content": "x"}], "x": 1}, "x"),
        ("/v1/search", {"query": "x", "tuning": {"x": 1}}, "tuning.x"),
        ("/v1/search", {"query": "x", "tuning": {"rrf_k": 0}}, "tuning.rrf_k"),
        ("/v1/search", {"query": "x", "tuning": {"mmr_lambda": 1.01}}, "tuning.mmr_lambda"),
        ("/v1/search", {"query": "x", "tuning": {"keyword_weight": 5.01}}, "tuning.keyword_weight"),
        ("/v1/search", {"query": "x", "tuning": {"hops": 1.5}}, "tuning.hops"),
        ("/v1/search", {"query": "x", "profile": "no_such"}, "profile"),
        ("/v1/search", {"query": "x", "mode": "both"}, "mode"),
        ("/v1/search", {"query": "x", "kinds": []}, "kinds"),
        ("/v1/search", {"query": "x", "origins": ["nobody"]}, "origins[0]"),
        ("/v1/search", {"query": "x", "since": "2026-01-01T00:00:00"}, "since"),
        ("/v1/search", {"query": "x", "until": "2026-01-01"}, "until"),
        ("/v1/search", {"query": "x", "valid_as_of": "yesterday"}, "valid_as_of"),
        ("/v1/search", {"query": "x", "known_as_of": 1}, "known_as_of"),
        ("/v1/search", {"query": "x", "since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "since"),
        ("/v1/search", {"query": "   "}, "query"),
        ("/v1/search", {}, "query"),
        ("/v1/context", {"query": "x", "format": "yaml"}, "format"),
        ("/v1/context", {"query": "x", "max_chars": 0}, "max_chars"),
        ("/v1/forget", {}, "episodes"),
        ("/v1/forget", {"episodes": ["a"], "everything": True}, "episodes"),
        ("/v1/keys", {"role": "king", "namespaces": ["a"]}, "role"),
        ("/v1/keys", {"role": "reader", "namespaces": []}, "namespaces"),
        ("/v1/keys", {"role": "reader", "namespaces": ["A"]}, "namespaces[0]"),
    ],
)  # fmt: skip
async def test_a_wrong_field_is_named_by_its_path(
    api: httpx.AsyncClient, path: str, body: dict[str, object], field: str
) -> None:
    problem = refused(await api.post(path, json=body), 400, field)

    assert field in problem["detail"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rrf_k": 0}, "rrf_k"),
        ({"no_such": 1}, "no_such"),
        ({"no_such": None}, "no_such"),
        ({"profile": "no_such"}, "profile"),
        ({"profile": []}, "profile"),
        ({"namespace": 5}, "namespace"),
        ({"text_search": "klingon"}, "text_search"),
        ({"text_search": ["english"]}, "text_search"),
        ({"rrf_k": 60, "hops": 9}, "hops"),
        ({"rrf_k": True}, "rrf_k"),
    ],
)
async def test_a_wrong_setting_is_refused_and_nothing_changes(
    api: httpx.AsyncClient, changes: dict[str, object], field: str
) -> None:
    before = given(await api.get("/v1/settings"))

    refused(await api.patch("/v1/settings", json=changes), 400, field)

    assert given(await api.get("/v1/settings")) == before


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"sesion": "a"}, "sesion"),
        ({"before": "2026-01-01T00:00:00"}, "before"),
        ({"before": "1"}, "before"),
        ({"before": "tomorrow"}, "before"),
        ({"cursor": "x"}, "cursor"),
        ({"cursor": "W10"}, "cursor"),
        ({"cursor": "é"}, "cursor"),
    ],
)
async def test_a_wrong_parameter_is_named(api: httpx.AsyncClient, query: dict[str, str], field: str) -> None:
    refused(await api.get("/v1/episodes", params=query), 400, field)


@pytest.mark.parametrize("name", ["", "A", "a-b", "a b", "a" * 65, "ä", "a\n", "../a", "*", "%"])
async def test_a_namespace_that_cannot_be_is_refused(root: httpx.AsyncClient, name: str) -> None:
    refused(await root.get("/v1/episodes", params={"namespace": name}), 400, "namespace")
    refused(await root.post("/v1/episodes", json={"content": "x", "namespace": name}), 400, "namespace")
    refused(await root.post("/v1/search", json={"query": "x", "namespace": name}), 400, "namespace")


@pytest.mark.parametrize("name", ["0", "_", "a" * 64, "default", "null"])
async def test_a_namespace_that_was_never_written_reads_as_empty(root: httpx.AsyncClient, name: str) -> None:
    assert given(await root.get("/v1/episodes", params={"namespace": name})) == {"episodes": [], "cursor": None}
    assert given(await root.post("/v1/search", json={"query": "x", "namespace": name}))["results"] == []
    assert given(await root.get("/v1/context", params={"query": "x", "namespace": name}))["text"] == ""
    assert given(await root.get("/v1/context", params={"namespace": name}))["text"] == ""
    assert given(await root.get("/v1/settings", params={"namespace": name}))["profile"] == "default"


async def test_a_request_is_about_one_namespace(root: httpx.AsyncClient) -> None:
    refused(await root.get("/v1/episodes?namespace=a&namespace=b"), 400, "namespace")
    refused(await root.post("/v1/search?namespace=a", json={"query": "x", "namespace": "b"}), 400, "namespace")
    batch = {"namespace": "a", "episodes": [{"content": "x", "namespace": "b"}]}
    refused(await root.post("/v1/episodes/batch", json=batch), 400, "episodes[0].namespace")


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/jsonx", "multipart/form-data; boundary=x"])
@pytest.mark.parametrize("path", BODIES)
async def test_a_body_of_another_type_is_not_understood(api: httpx.AsyncClient, path: str, content_type: str) -> None:
    refused(await raw(api, path, b"{}", content_type), 415)


async def test_json_with_a_character_set_is_understood(api: httpx.AsyncClient) -> None:
    given(await raw(api, "/v1/episodes", b'{"content": "x"}', "Application/JSON ; charset=utf-8"), 201)


async def test_an_import_of_another_type_is_not_understood(api: httpx.AsyncClient) -> None:
    refused(await raw(api, "/v1/import", b'{"content": "x"}'), 415)
