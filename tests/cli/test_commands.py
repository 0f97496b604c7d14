"""The commands as a person types them, on a real database."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LINES = [
    {
        "id": "a",
        "content": "I told Priya we can do March\n\tfor vacation \U0001f469\u200d\U0001f680",
        "speaker": "Rajesh",
    },
    {"id": "b", "content": "\u202eright to left\u202c  two spaces ", "metadata": {"n": 1.5, "deep": [{"x": None}]}},
    {"id": "c", "content": "x", "occurred_at": "2020-01-01T00:00:00Z", "type": "person", "importance": "high"},
]


@pytest.fixture
def environment(dsn: str, tmp_path: Path) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GRAPHMEM_")}
    return plain | {
        "GRAPHMEM_POSTGRES__DSN": dsn,
        "GRAPHMEM_DATA_DIR": str(tmp_path / "data"),
        "GRAPHMEM_EMBEDDER__KIND": "none",
        "GRAPHMEM_NEO4J__ENABLED": "false",
    }


def graphmem(environment: dict[str, str], *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "graphmem", *words]
    return subprocess.run(command, input=given, env=environment, capture_output=True, text=True, check=False)


def exported(environment: dict[str, str], namespace: str) -> list[dict[str, object]]:
    out = graphmem(environment, "export", "--namespace", namespace)
    assert out.returncode == 0, out.stderr
    return [json.loads(line) for line in out.stdout.splitlines()]


def test_what_is_exported_imports_back_to_the_same(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES))

    stored = graphmem(environment, "import", str(file), "--namespace", "one")
    first = exported(environment, "one")
    again = graphmem(environment, "import", "-", "--namespace", "two", given="\n".join(json.dumps(x) for x in first))

    assert (stored.returncode, again.returncode) == (0, 0), stored.stderr + again.stderr
    assert [line["content"] for line in first] == [line["content"] for line in LINES]
    assert exported(environment, "two") == first


def test_a_bad_line_is_named_and_the_others_are_stored(environment: dict[str, str]) -> None:
    out = graphmem(environment, "import", "-", given='{"content": "good"}\n{"contnt": "bad"}\n')

    assert out.returncode == 1
    assert "line 2" in out.stderr
    assert "1 stored" in out.stderr
    assert [line["content"] for line in exported(environment, "default")] == ["good"]


def test_a_key_is_made_listed_and_revoked(environment: dict[str, str]) -> None:
    made = graphmem(environment, "key", "create", "--role", "reader", "--namespaces", "annie", "--print-key-only")
    key_id = made.stdout.strip().split("_")[1]

    listed = graphmem(environment | {"COLUMNS": "200"}, "key", "list")
    revoked = graphmem(environment, "key", "revoke", key_id)
    twice = graphmem(environment, "key", "revoke", key_id)

    assert made.stdout.startswith("gm_")
    assert key_id in listed.stdout
    assert made.stdout.strip() not in listed.stdout
    assert (revoked.returncode, twice.returncode) == (0, 3)


def test_jobs_are_shown(environment: dict[str, str]) -> None:
    graphmem(environment, "import", "-", given='{"content": "good"}\n')

    out = graphmem(environment | {"COLUMNS": "200"}, "jobs", "--state", "waiting")

    assert out.returncode == 0, out.stderr
    assert "extract" in out.stdout


def test_without_a_service_the_remedy_is_said_in_one_sentence(environment: dict[str, str]) -> None:
    out = graphmem({**environment, "GRAPHMEM_POSTGRES__DSN": ""}, "jobs")

    assert out.returncode == 5
    assert "graphmem up" in out.stderr
    assert "Traceback" not in out.stderr


@pytest.mark.parametrize("command", ["migrate", "jobs", "serve"])
def test_an_unreachable_postgres_is_said_in_one_sentence(
    environment: dict[str, str], tmp_path: Path, command: str
) -> None:
    nowhere = f"postgresql://postgres@/graphmem?host={tmp_path}&port=5432"
    local = {"GRAPHMEM_POSTGRES__DSN": nowhere, "GRAPHMEM_EMBEDDER__KIND": "local"}
    out = graphmem(environment | local, command)

    assert out.returncode == 4
    assert "Postgres does not answer" in out.stderr
    assert "Traceback" not in out.stderr


def test_a_question_is_explained_in_tables(environment: dict[str, str]) -> None:
    lines = [{"id": "a", "content": "The red [bold]boat[/bold]\u202e sails"}, {"id": "b", "content": "a boat at sea"}]
    graphmem(environment, "import", "-", given="\n".join(json.dumps(line) for line in lines))

    out = graphmem(environment | {"COLUMNS": "200"}, "explain", "red boat", "--profile", "her_os")
    nothing = graphmem(environment, "explain", "kangaroo")

    assert (out.returncode, nothing.returncode) == (0, 0), out.stderr + nothing.stderr
    assert all(title in out.stdout for title in ("Legs", "Memories", "Time", "keyword #", "fuse", "decay", "diversify"))
    assert "The red [bold]boat[/bold] sails" in out.stdout
    assert "no embedder is configured" in out.stdout
    assert "strongest_term" not in out.stdout
    assert "trigram_fuzzy" in nothing.stdout
