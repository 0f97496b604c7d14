"""What does the graph add? The same questions with and without graph leg and propagation, on our own extraction."""

import click

from benchmarks.datasets import Dataset, load
from benchmarks.measures import paired_interval
from benchmarks.quality import Marks, Way, measure, store, wait
from benchmarks.reporting import Bar, Table, conclude, progress, report_option
from benchmarks.running import running_service

WITH = Way("with the graph", "auto")
WITHOUT = Way("without", "auto", {"graph_weight": 0.0, "propagate_weight": 0.0})
# By how much R@10 must rise; where names matter little, by how much it may fall.
LEAST = {"musique100": 0.08, "twowiki400": 0.15, "locomo": -0.005}


def row_of(dataset: Dataset, marks: dict[str, Marks], table: Table) -> Bar:
    """Both ways in the table, and whether the difference is what it must be."""
    ours, base = marks[WITH.name], marks[WITHOUT.name]
    mean, low, high = paired_interval(ours.recalls[10], base.recalls[10])
    for mark, way, difference in ((base, WITHOUT, ""), (ours, WITH, f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]")):
        table.add(dataset.name, str(len(dataset.questions)), way.name, *mark.cells(), difference)
    least = LEAST[dataset.name]
    return Bar(f"{dataset.name}: the graph changes R@10 by ≥ {least:+g}", f"{mean:+.3f}", round(mean, 4) >= least)


@click.command(help=__doc__)
@click.option("--set", "sets", multiple=True, type=click.Choice(list(LEAST)), default=list(LEAST), show_default=True)
@report_option
def main(sets: tuple[str, ...], *, report: bool) -> None:
    """Load each set, let it be understood, ask both ways."""
    table = Table(["set", "questions", "way", "R@5", "R@10", "R@20", "MRR", "R@10 by the graph"])
    bars: list[Bar] = []
    with running_service() as service, service.client() as client, progress() as bar:
        for dataset in map(load, sets):
            store(client, dataset, bar)
            wait(client, dataset, bar)
            bars.append(row_of(dataset, measure(client, dataset, (WITHOUT, WITH), bar), table))
    conclude("Lift", [table], bars, report=report)


if __name__ == "__main__":
    main()
