"""Files of questions: what they may say, and what is said of those that are wrong."""

import pytest

from graphmem.errors import InvalidError
from graphmem.evaluate.questions import read

GOOD = b'{"query": "Where?", "gold": ["a"], "stale": ["b"], "valid_as_of": "2026-01-01T00:00:00+01:00"}'


def test_times_are_read_as_instants() -> None:
    case = read([GOOD])[0]

    assert (case.gold, case.stale) == (("a",), ("b",))
    assert case.filters().valid_as_of is not None
    assert case.filters().valid_as_of.isoformat() == "2025-12-31T23:00:00+00:00"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b'{"query": "x"}', "gold: is required"),
        (b'{"query": "x", "gold": [], "glod": []}', "glod: is not a field"),
        (b'{"query": " ", "gold": []}', "query: must contain something other than white space"),
        (b'{"query": "x", "gold": "a"}', "gold: Expected `array`"),
        (b'{"query": "x", "gold": [1]}', "gold[0]: Expected `str`"),
        (b'{"query": "x", "gold": ["a"], "stale": ["a"]}', "stale: names a, which is gold too"),
        (b'{"query": "x", "gold": [], "valid_as_of": "2026-01-01T00:00:00"}', "valid_as_of: "),
        (b'{"query": "x", "gold": [], "valid_as_of": "0001-01-01T00:00:00+02:00"}', "valid_as_of: each time must lie"),
        (b'{"query": "x", "gold": [], "since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}', "since: "),
        (b"query?", "line: "),
        (b"[1]", "line: "),
        (b'{"query": "\xff", "gold": []}', "line: is not valid UTF-8"),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_its_field(line: bytes, complaint: str) -> None:
    with pytest.raises(InvalidError) as refused:
        read([GOOD, b"", line, GOOD])

    assert str(refused.value).startswith(f"line 3: {complaint}")


def test_every_bad_line_is_named_but_for_the_many() -> None:
    with pytest.raises(InvalidError) as refused:
        read([b"x"] * 25)

    assert str(refused.value).count("\n") == 20
    assert str(refused.value).endswith("and 5 more")


@pytest.mark.parametrize("lines", [[], [b"", b" "], [GOOD] * 3])
def test_a_file_has_some_questions_and_not_too_many(lines: list[bytes]) -> None:
    with pytest.raises(InvalidError, match="between 1 and 2 questions"):
        read(lines, most=2)
