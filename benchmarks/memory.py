"""What does the idle stack hold? PSS of every process, after the start and after the first search."""

import time
from collections import Counter

import click

from benchmarks.processes import family
from benchmarks.reporting import Bar, Table, conclude, console, report_option
from benchmarks.running import Running, running_service

MOST_BYTES = 1_700_000_000
PARTS = ("supervisor", "Postgres", "Neo4j", "API", "worker")


def held(service: Running) -> Counter[str]:
    """Bytes by part."""
    found: Counter[str] = Counter()
    for process in family(service.supervisor):
        found[process.part] += process.pss_bytes
    return found


def settle(seconds: float) -> None:
    """Let it come to rest: what is measured is an idle stack, not a starting one."""
    with console.status(f"waiting {seconds:g} s"):
        time.sleep(seconds)


def use(service: Running) -> None:
    """One write and one search, which load the model."""
    with service.client() as client:
        client.post("/v1/episodes", json={"content": "We can do March for the vacation."}).raise_for_status()
        client.post("/v1/search", json={"query": "When is the vacation?"}).raise_for_status()


@click.command(help=__doc__)
@click.option("--rest", default=30.0, show_default=True, help="Seconds of rest before each look.")
@report_option
def main(rest: float, *, report: bool) -> None:
    """Start everything, look, use it, look again."""
    with running_service() as service:
        settle(rest)
        idle = held(service)
        use(service)
        settle(rest)
        used = held(service)
    table = Table(["moment", *PARTS, "other", "all, MB"])
    for moment, by_part in (("after the start", idle), ("after the first search", used)):
        table.add(moment, *(f"{by_part[part] / 1e6:.0f}" for part in (*PARTS, "other")), f"{by_part.total() / 1e6:.0f}")
    bar = Bar(f"idle < {MOST_BYTES / 1e9} GB", f"{idle.total() / 1e9:.2f} GB", idle.total() < MOST_BYTES)
    conclude("Memory", [table], [bar], report=report)


if __name__ == "__main__":
    main()
