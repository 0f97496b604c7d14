"""An evaluation as tables, and those as a page (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphmem.evaluate.ablations import Ablation
from graphmem.evaluate.marks import MEASURES, Summary
from graphmem.evaluate.replay import Report

NAMES = {
    "recall_at_1": "R@1",
    "recall_at_5": "R@5",
    "recall_at_10": "R@10",
    "recall_at_20": "R@20",
    "mrr": "MRR",
    "ndcg_at_10": "nDCG@10",
    "outdated": "stale among the first 3",
    "beaten": "stale above gold",
    "refused_without_gold": "without gold: refused",
    "answered_with_gold": "with gold: not refused",
    "separation": "relevance tells them apart",
}


@dataclass(frozen=True)
class Figures:
    """A table with a title."""

    title: str
    headings: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list[Sequence[str]])

    def markdown(self) -> str:
        """For a page; a bar inside a cell would begin another."""
        every = [self.headings, ["---"] * len(self.headings), *self.rows]
        return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in every)


def figures(report: Report) -> list[Figures]:
    """The tables of an evaluation; one that would be empty is left out."""
    given = report.summary
    every = [
        quality(given),
        categories(given),
        Figures(
            "What each leg and stage adds",
            ("left out", "nDCG@10 it adds", "R@10 it adds", "p50 ms without it", "verdict"),
            [added(one) for one in report.ablations],
        ),
        Figures(
            "Milliseconds",
            ("part", "p50", "p95"),
            [(part, f"{took['p50']:.1f}", f"{took['p95']:.1f}") for part, took in given.took_ms.items()],
        ),
    ]
    return [one for one in every if one.rows]


def quality(given: Summary) -> Figures:
    """What the answers are worth."""
    rows = [(NAMES[name], estimate(value)) for name, value in (given.measures | given.stale).items()]
    rows.append(("duplicates among the first 10", f"{given.duplicate_rate:.3f}"))
    rows += [(NAMES[name], f"{value:.3f}") for name, value in given.answerability.items() if value is not None]
    rows += [(f"answers without the leg {leg}", str(count)) for leg, count in given.missing_legs.items()]
    return Figures("Quality", ("measure", "value"), list(rows))


def categories(given: Summary) -> Figures:
    """The same by category of question."""
    shown = [name for name in MEASURES if name != "recall_at_1"]
    rows = [
        (name, f"{means['questions']:.0f}", *(f"{means[measure]:.3f}" for measure in shown))
        for name, means in given.categories.items()
    ]
    return Figures("By category", ("category", "questions", *(NAMES[name] for name in shown)), list(rows))


def added(one: Ablation) -> Sequence[str]:
    """A row of what one leg or stage adds."""
    gains = [
        estimate(one.difference[name], sign="+") if one.difference else "" for name in ("ndcg_at_10", "recall_at_10")
    ]
    return (one.without, *gains, f"{one.took_ms:.1f}", one.verdict)


def estimate(value: dict[str, float], *, sign: str = "") -> str:
    """A mean with its interval.

    >>> estimate({"mean": 0.5, "low": 0.25, "high": 0.75}, sign="+")
    '+0.500 [+0.250, +0.750]'
    """
    return f"{value['mean']:{sign}.3f} [{value['low']:{sign}.3f}, {value['high']:{sign}.3f}]"


def headline(report: Report) -> str:
    """What was asked of what."""
    given = report.summary
    gold = f"{given.with_gold} with gold" if given.with_gold != given.questions else "all with gold"
    return f"{given.questions} questions, {gold}; profile {report.profile}; kinds {', '.join(report.kinds)}."


def markdown(report: Report) -> str:
    """The evaluation as a page."""
    parts = ["# Evaluation", headline(report)]
    for one in figures(report):
        parts += [f"## {one.title}", one.markdown()]
    if report.summary.missed:
        parts += ["## Missed", ", ".join(report.summary.missed)]
    return "\n\n".join(parts) + "\n"
