"""Is anything lost? API, worker, Postgres and Neo4j are killed in turn under a write load."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import click
import httpx

from benchmarks.load import ACKNOWLEDGED, NO_ANSWER, PATIENCE_SECONDS, Load, load, word_of
from benchmarks.processes import roots
from benchmarks.reporting import Bar, Table, conclude, progress, report_option
from benchmarks.running import POLL_SECONDS, Running, running_service, unfinished_jobs, wait_for_jobs

PARTS = ("API", "worker", "Postgres", "Neo4j")
NAMESPACE = "kill"
# A part that is away is said to be away: anything else but an acknowledgement is a fault.
EXCUSED = {str(status) for status in (*ACKNOWLEDGED, 503)} | {NO_ANSWER}


@dataclass(frozen=True)
class Damage:
    """What the kills did; all empty when nothing was lost, doubled or left undone."""

    acknowledged: int
    lost: set[str]
    doubled: set[str]
    unknown: set[str]
    not_found: set[str]
    miscounted: int
    faults: dict[str, int]
    unfinished: list[str]

    def bars(self) -> list[Bar]:
        """Each kind of damage, which must not be."""
        kinds = {
            "acknowledged episodes that are gone": self.lost,
            "episodes that are there twice": self.doubled,
            "episodes nobody sent": self.unknown,
            "acknowledged episodes that keyword search does not find once": self.not_found,
            "difference between counted and listed episodes": range(abs(self.miscounted)),
            "answers other than 200, 201 and 503": self.faults,
            "jobs that are not done": self.unfinished,
        }
        return [Bar(f"no {kind}", f"{len(found)}", not found) for kind, found in kinds.items()]


def kill_in_turn(service: Running, writes: Load, parts: Sequence[str], *, between: int) -> dict[str, float]:
    """Kill each part once writes flow; seconds until it ran again and writes flowed again."""
    taken: dict[str, float] = {}
    for part in parts:
        writes.wait_for_more(between)
        begun = time.monotonic()
        kill(service, part)
        writes.wait_for_more(1)
        taken[part] = time.monotonic() - begun
    writes.wait_for_more(between)
    return taken


def kill(service: Running, part: str) -> None:
    """Kill the part's first process, and wait until the supervisor says that it runs again."""
    said = f"{part} runs again."
    before, deadline = service.output.count(said), time.monotonic() + PATIENCE_SECONDS
    os.kill(roots(service.supervisor)[part], signal.SIGKILL)
    while service.output.count(said) == before:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{part} does not come back:\n{service.output}")
        time.sleep(POLL_SECONDS)


def inspect(service: Running, writes: Load, *, sample: int) -> Damage:
    """Compare what was acknowledged with what is there."""
    with service.client() as client:
        wait_for_jobs(client, NAMESPACE)
        listed = Counter(listed_ids(client))
        asked = random.Random(0).sample(sorted(writes.acknowledged), min(sample, len(writes.acknowledged)))
        return Damage(
            acknowledged=len(writes.acknowledged),
            lost=writes.acknowledged - listed.keys(),
            doubled={episode_id for episode_id, times in listed.items() if times > 1},
            unknown=listed.keys() - writes.sent,
            not_found={episode_id for episode_id in asked if found_ids(client, episode_id) != [episode_id]},
            miscounted=counted(client) - len(listed),
            faults={answer: count for answer, count in writes.answers.items() if answer not in EXCUSED},
            unfinished=[job["id"] for job in unfinished_jobs(client, NAMESPACE)],
        )


def listed_ids(client: httpx.Client) -> list[str]:
    """Every episode, page by page."""
    found: list[str] = []
    cursor = None
    while True:
        parameters = {"namespace": NAMESPACE, "limit": 500} | ({"cursor": cursor} if cursor else {})
        page = client.get("/v1/episodes", params=parameters).raise_for_status().json()
        found += [episode["id"] for episode in page["episodes"]]
        if (cursor := page["cursor"]) is None:
            return found


def found_ids(client: httpx.Client, episode_id: str) -> list[str]:
    """What keyword search finds by the word that only this episode holds."""
    body = {"namespace": NAMESPACE, "query": word_of(episode_id), "mode": "keyword", "touch": False}
    return [result["id"] for result in client.post("/v1/search", json=body).raise_for_status().json()["results"]]


def counted(client: httpx.Client) -> int:
    """The number of episodes that the namespace's statistics give."""
    namespaces = client.get("/v1/namespaces").raise_for_status().json()["namespaces"]
    return next(one["episodes"] for one in namespaces if one["namespace"] == NAMESPACE)


@click.command(help=__doc__)
@click.option("--rounds", default=3, show_default=True, help="Kills of each part.")
@click.option("--clients", default=8, show_default=True, help="Clients that write at once.")
@click.option("--between", default=300, show_default=True, help="Acknowledged writes between two kills.")
@report_option
def main(rounds: int, clients: int, between: int, *, report: bool) -> None:
    """Write, kill, and see what is left."""
    table = Table(["round", *(f"{part} back after, s" for part in PARTS)])
    with running_service() as service:
        with load(service, NAMESPACE, clients=clients) as writes, progress() as bar:
            for turn in bar.track(range(rounds), description="killing"):
                taken = kill_in_turn(service, writes, PARTS, between=between)
                table.add(str(turn + 1), *(f"{seconds:.1f}" for seconds in taken.values()))
        damage = inspect(service, writes, sample=500)
    answers = ", ".join(f"{answer}: {count:,}" for answer, count in sorted(writes.answers.items()))
    summary = f"{damage.acknowledged:,} episodes acknowledged. Answers to writes: {answers}."
    conclude("Kill", [table, summary], damage.bars(), report=report)


if __name__ == "__main__":
    main()
