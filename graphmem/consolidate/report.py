"""What a run did, as a person wants to read it (pure)."""

from collections.abc import Iterable, Mapping, Sequence

from graphmem.night import Change, Consolidation

HEADINGS: Mapping[str, str] = {
    "catch_up": "Caught up",
    "same_entity": "Merged",
    "contradictions": "Changed its mind",
    "confirm": "Confirmed",
}
MOST_LINES = 20


def report(run: Consolidation, changes: Sequence[Change], *, markdown: bool = False) -> str:
    """The whole report: what was done, step by step, and what needs a person; `changes` may be the first of many."""
    mark = ("# ", "## ", "- ") if markdown else ("", "", "  ")
    lines = [mark[0] + title(run)]
    for step in run.steps:
        done = [one for one in changes if one.step == step and one.sure]
        lines += section(HEADINGS.get(step, step), done, count_of(run, step, sure=True), mark)
    waiting = [one for one in changes if not one.sure and one.state in {"proposed", "planned"}]
    lines += section("Needs you: accept or reject", waiting, len(waiting), mark, with_ids=True)
    if len(lines) == 1:
        lines.append("Nothing was to be done.")
    return "\n".join(lines) + "\n"


def title(run: Consolidation) -> str:
    """Whose night it was, and how it ended."""
    what = "Plan" if run.dry_run else "Night"
    ended = f"failed: {run.error}" if run.state == "failed" else f"{run.state} in {(run.took_ms or 0) / 1000:.1f} s"
    return f"{what} of {run.created_at:%Y-%m-%d %H:%M} over {run.namespace}, {ended} (run {run.id})"


def count_of(run: Consolidation, step: str, *, sure: bool) -> int:
    """How many changes a step made."""
    wanted = ("applied", "accepted", "undone", "planned") if sure else ("proposed",)
    return sum(run.counts.get(step, {}).get(state, 0) for state in wanted)


def section(
    heading: str, changes: Sequence[Change], count: int, mark: tuple[str, str, str], *, with_ids: bool = False
) -> Iterable[str]:
    """A heading with its changes; nothing where there are none."""
    if not changes:
        return
    yield ""
    yield f"{mark[1]}{heading} ({max(count, len(changes))})"
    for one in changes[:MOST_LINES]:
        yield f"{mark[2]}{one_line(one.reason)}" + (f"  [{one.id}]" if with_ids else "")
    if (more := max(count, len(changes)) - MOST_LINES) > 0:
        yield f"{mark[2]}and {more} more"


def one_line(text: str) -> str:
    """Text that a terminal shows as it is: no line breaks, no control characters.

    >>> one_line("a\\nb\\x1b[31m")
    'a b [31m'
    """
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
