"""What must hold before anything starts: a Java that is new enough, room on the disk."""

import importlib.util
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from graphmem.errors import SettingsError
from graphmem.servers.ground import check_room
from graphmem.servers.java import java_program


@pytest.fixture
def java_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for a `java` of one's own, with the one from PyPI out of sight."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path / "java"


def write_java(java: Path, version: str) -> None:
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    java.chmod(0o755)


def test_a_java_that_is_new_enough_is_taken_from_the_path(java_on_path: Path) -> None:
    write_java(java_on_path, "21.0.4")

    assert java_program() == java_on_path


def test_a_java_that_is_too_old_is_refused_with_the_remedy(java_on_path: Path) -> None:
    write_java(java_on_path, "17.0.15")

    with pytest.raises(SettingsError, match=r"Java 17 is too old.*graphmem\[embedded\].*GRAPHMEM_NEO4J__URI"):
        java_program()


@pytest.mark.usefixtures("java_on_path")
def test_without_java_the_sentence_says_what_goes_on() -> None:
    with pytest.raises(SettingsError, match=r"no Java for Neo4j.*keyword and vector search work without it"):
        java_program()


def test_a_disk_that_is_nearly_full_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=123_456_789))

    with pytest.raises(SettingsError, match=r"Only 123 MB are free.*GRAPHMEM_DATA_DIR"):
        check_room(tmp_path)
