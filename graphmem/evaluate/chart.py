"""An evaluation as a picture: bars with their intervals, written by hand as SVG (pure)."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from graphmem.evaluate.replay import Report
from graphmem.evaluate.report import NAMES, headline

WIDTH, LABELS, VALUES, ROW, HEAD = 720, 200, 170, 22, 34
A_LARGE_NUMBER = 10
COLOURS = {"": "#4878a8", "helps": "#3f8f5f", "hurts": "#b5483f", "can't tell": "#8a8a8a"}
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}.title{font-weight:600}.axis{stroke:#999}.spread{stroke:#222}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.spread{stroke:#ddd}}"
)


class Bar(NamedTuple):
    """A value with its interval, and what there is to say of it."""

    label: str
    value: float
    low: float
    high: float
    note: str = ""


def bar_of(label: str, estimate: Mapping[str, float], note: str = "") -> Bar:
    """An estimate as a bar."""
    return Bar(label, estimate["mean"], estimate["low"], estimate["high"], note)


class Panel(NamedTuple):
    """Bars under a title, on one scale."""

    title: str
    bars: Sequence[Bar]


def chart(report: Report) -> str:
    """The measures; what each leg and stage adds; the time of each part."""
    given = report.summary
    measures = [bar_of(NAMES[name], value) for name, value in (given.measures | given.stale).items()]
    added = [
        bar_of(one.without, one.difference["ndcg_at_10"], one.verdict) for one in report.ablations if one.difference
    ]
    took = [Bar(part, times["p50"], times["p50"], times["p95"]) for part, times in given.took_ms.items()]
    panels = (
        Panel("Quality, with 95 % intervals", measures),
        Panel("nDCG@10 that each leg and stage adds", added),
        Panel("Milliseconds: p50, and p95 at the end of the line", took),
    )
    return drawn(headline(report), [panel for panel in panels if panel.bars])


def drawn(title: str, panels: Sequence[Panel]) -> str:
    """Panels below each other."""
    parts: list[str] = []
    top = HEAD
    for panel in panels:
        parts.append(panel_drawn(panel, top))
        top += HEAD + ROW * len(panel.bars) + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img"><style>{STYLE}</style>'
        f"<title>{escape(title)}</title>{text(10, 20, title)}{''.join(parts)}</svg>\n"
    )


def panel_drawn(panel: Panel, top: float) -> str:
    """A title, then a row for each bar."""
    least = min(0.0, *(bar.low for bar in panel.bars), *(bar.value for bar in panel.bars))
    most = max(0.0, *(bar.high for bar in panel.bars), *(bar.value for bar in panel.bars))
    scale = (WIDTH - LABELS - VALUES) / ((most - least) or 1.0)

    def across(value: float) -> float:
        return round(LABELS + (value - least) * scale, 1)

    rows = [bar_drawn(bar, top + HEAD + ROW * place, across) for place, bar in enumerate(panel.bars)]
    bottom = top + HEAD + ROW * len(panel.bars)
    axis = f'<line class="axis" x1="{across(0)}" x2="{across(0)}" y1="{top + HEAD - 4}" y2="{bottom}"/>'
    return text(10, top + 22, panel.title, kind="title") + "".join(rows) + axis


def bar_drawn(bar: Bar, top: float, across: Callable[[float], float]) -> str:
    """A label, a bar from 0, its interval as a line, its value."""
    left, right = sorted((across(0), across(bar.value)))
    middle = top + ROW / 2 - 2
    colour = COLOURS.get(bar.note, COLOURS[""])
    shown = f"{bar.value:.3f}" if abs(bar.high) < A_LARGE_NUMBER else f"{bar.value:.1f}"
    return (
        text(10, top + 13, bar.label)
        + f'<rect x="{left}" y="{top}" width="{max(right - left, 0.5):.1f}" height="{ROW - 6}" fill="{colour}"/>'
        + f'<line class="spread" x1="{across(bar.low)}" x2="{across(bar.high)}" y1="{middle}" y2="{middle}"/>'
        + text(WIDTH - VALUES + 10, top + 13, f"{shown} {bar.note}".strip())
    )


def text(x: float, y: float, words: str, *, kind: str = "") -> str:
    """Words at a place."""
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{name}>{escape(words)}</text>'
