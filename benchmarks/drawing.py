"""How times grow, as a picture: both axes logarithmic, written by hand as SVG (pure)."""

import math
from collections.abc import Mapping

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 380, 70, 150, 20, 50
COLOURS = ("#3f8f5f", "#4878a8", "#b5483f", "#8a6fb0")
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}.grid{stroke:#ccc}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}}"
)


def growth_chart(lines: Mapping[str, Mapping[int, float]]) -> str:
    """A line for each way of asking: milliseconds by number of episodes."""
    points = [(size, value) for line in lines.values() for size, value in line.items()]
    sizes, values = sorted({size for size, _ in points}), [value for _, value in points]
    low, high = decades(min(values)), decades(max(values)) + 1

    def x(size: float) -> float:
        span = math.log10(sizes[-1] / sizes[0]) or 1.0
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(size / sizes[0]) / span

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (math.log10(value) - low) / (high - low))

    parts = [
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(10**one):.1f}" y2="{y(10**one):.1f}"/>'
        f'<text x="{LEFT - 8}" y="{y(10**one) + 4:.1f}" text-anchor="end">{10**one:,} ms</text>'
        for one in range(low, high + 1)
    ]
    parts += [f'<text x="{x(size):.1f}" y="{HEIGHT - 25}" text-anchor="middle">{size:,}</text>' for size in sizes]
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">episodes</text>')
    for (name, line), colour in zip(lines.items(), COLOURS, strict=False):
        if line:
            path = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in sorted(line.items()))
            last = max(line)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
            parts += [
                f'<circle cx="{x(size):.1f}" cy="{y(value):.1f}" r="4" fill="{colour}"/>'
                for size, value in line.items()
            ]
            parts.append(f'<text x="{x(last) + 10:.1f}" y="{y(line[last]) + 4:.1f}">{name} {line[last]:,.0f} ms</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><style>{STYLE}</style>'
        f"<title>p50 of a search by number of episodes</title>{''.join(parts)}</svg>\n"
    )


def decades(value: float) -> int:
    """The power of ten at or below a value.

    >>> decades(25), decades(1000)
    (1, 3)
    """
    return math.floor(math.log10(value))
