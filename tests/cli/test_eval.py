"""`graphmem eval` and `graphmem tune` as a person types them, on a real database."""

import json
from pathlib import Path
from xml.etree import ElementTree

from tests.cli.test_commands import environment, graphmem

__all__ = ["environment"]

WORDS = ["apple", "brick", "candle", "dragon", "ember", "forest", "garden", "harbour"]


def remembered(environment: dict[str, str]) -> None:
    lines = [json.dumps({"id": word, "content": f"They spoke of the {word} that evening"}) for word in WORDS]
    assert graphmem(environment, "import", "-", given="\n".join(lines)).returncode == 0


def questions(file: Path, *more: str) -> str:
    lines = [json.dumps({"query": f"What about the {word}?", "gold": [word]}) for word in WORDS]
    file.write_text("\n".join([*lines, *more]))
    return str(file)


def test_an_evaluation_is_printed_and_written_in_three_forms(environment: dict[str, str], tmp_path: Path) -> None:
    remembered(environment)
    folder = tmp_path / "out"

    out = graphmem(
        environment | {"COLUMNS": "200"},
        "eval", questions(tmp_path / "q.jsonl"), "--ablate", "--output", str(folder),
    )  # fmt: skip

    assert out.returncode == 0, out.stderr
    assert "8 questions, all with gold" in out.stdout
    assert "keyword leg" in out.stdout
    assert "helps" in out.stdout
    report = json.loads((folder / "evaluation.json").read_text())
    assert report["summary"]["measures"]["recall_at_1"]["mean"] == 1
    assert "| keyword leg | +1.000 [+1.000, +1.000] |" in (folder / "evaluation.md").read_text()
    assert ElementTree.parse(folder / "evaluation.svg").getroot().tag.endswith("svg")


def test_bad_lines_are_named_with_their_numbers(environment: dict[str, str], tmp_path: Path) -> None:
    out = graphmem(environment, "eval", questions(tmp_path / "q.jsonl", '{"query": "x"}', "{"))

    assert out.returncode == 2
    assert "line 9: gold: is required" in out.stderr
    assert "line 10: line: " in out.stderr
    assert "Traceback" not in out.stderr


def test_tuning_recommends_nothing_where_nothing_is_better(environment: dict[str, str], tmp_path: Path) -> None:
    remembered(environment)
    more = [json.dumps({"query": f"Tell me of the {word}, that {word}", "gold": [word]}) for word in WORDS * 2]

    out = graphmem(environment, "tune", questions(tmp_path / "q.jsonl", *more), "--trials", "6")

    assert out.returncode == 0, out.stderr
    assert "Nothing that was tried is better" in out.stdout
    assert "PATCH" not in out.stdout
