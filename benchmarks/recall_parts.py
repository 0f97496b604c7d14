"""Where does the time of recall go? The whole against its parts, the pure stages alone, and what blocks the loop."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import click
import msgspec

from benchmarks.measures import median, percentile
from benchmarks.reporting import Bar, Table, conclude, progress, report_option
from benchmarks.running import Running, running_service
from graphmem.memory import Nature, NewEpisode, Query, Scores, StatedFact
from graphmem.recall.profiles import DEFAULT, Profile, tuned
from graphmem.recall.ranking.charge import Edge, Web
from graphmem.recall.ranking.diversify import by_words, distinct, diversify, pool
from graphmem.recall.ranking.fire import fire
from graphmem.recall.ranking.fuse import fuse
from graphmem.recall.ranking.intent import intents
from graphmem.recall.ranking.prior import Prior, weigh
from graphmem.recall.ranking.propagate import propagate
from graphmem.recall.ranking.spread import spread
from graphmem.service import Service, open_service

NAMESPACE = "parts"
NAMES = [f"{first} {last}" for first in ("Ann", "Bob", "Cid", "Dan", "Eve", "Flo") for last in ("Moss", "Reed", "Hale")]
PLACES = ["Genoa", "Porto", "Lagos", "Malmo", "Izmir", "Split", "Cadiz", "Ghent", "Turku", "Bergen"]
THINGS = ["boat", "garden", "recipe", "violin", "ticket", "kitchen", "mountain", "letter", "bicycle", "lantern"]
DOES = ["bought", "mended", "lost", "painted", "described", "wanted"]
BATCH = 200
WARM_UP = 20
MOST_FACTOR = 1.25
MOST_LAG_MS = 20.0
CANDIDATES, NODES, EDGES = 200, 2_000, 10_000
NOW = datetime.now(UTC)
# Every stage is on, and no question waits for a deadline on a busy machine.
PATIENT = {"deadline_ms": 60_000, "mmr_pool": 20, "mmr_lambda": 0.7, "floor": 0.7, "propagate_weight": 1.0}
PROFILES = {name: tuned(DEFAULT, PATIENT | {"kernel": name}) for name in ("names", "fire")}


@dataclass
class Taken:
    """Milliseconds of each question, whole and by part, from its trace."""

    whole: list[float] = field(default_factory=list[float])
    parts: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def add(self, took_ms: float, trace: dict[str, Any]) -> None:
        """One answer; the embedding is counted once, and not again in the legs that wait for it."""
        legs = trace["legs"]
        embedding = legs["vector"]["embed_ms"]
        own = {name: leg["took_ms"] - (0 if name == "keyword" else embedding) for name, leg in legs.items()}
        reads = {name.removesuffix("_ms"): ms for name, ms in trace["reads"].items()}
        stages = sum(stage["took_ms"] for stage in trace["stages"])
        found = {"embedding": embedding, "slowest leg": max(own.values())} | reads | {"pure stages": stages}
        self.whole.append(took_ms)
        for name, ms in found.items():
            self.parts.setdefault(name, []).append(ms)

    @property
    def needed(self) -> list[float]:
        """What cannot be done without: embedding, the slowest leg, the texts, the neighbourhood."""
        needed = ("embedding", "slowest leg", "texts", "neighbourhood")
        return [sum(one) for one in zip(*(self.parts[name] for name in needed), strict=True)]


@asynccontextmanager
async def lag() -> AsyncGenerator[list[float]]:
    """How late the event loop woke a task that wanted to sleep for a millisecond, while the block runs."""
    late: list[float] = []

    async def watch() -> None:
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(0.001)
            late.append((time.perf_counter() - begun) * 1000 - 1)

    task = asyncio.create_task(watch())
    yield late
    task.cancel()


async def fill(service: Service, episodes: int) -> None:
    """Conversations between people who share names, places and things."""
    draw = random.Random(0)
    for start in range(0, episodes, BATCH):
        news = [made_up(draw, number) for number in range(start, min(start + BATCH, episodes))]
        await service.ingester.add_batch(NAMESPACE, news, now=NOW)
    await service.drainer.drain(NAMESPACE)


def made_up(draw: random.Random, number: int) -> NewEpisode:
    """One turn, with the fact in it."""
    who, place, thing, does = (draw.choice(some) for some in (NAMES, PLACES, THINGS, DOES))
    text = f"{who} {does} a {thing} in {place}, number {number}."
    moment = NOW - timedelta(minutes=10 * number)
    stated = StatedFact(
        source=who, relation=does, target=place, fact=f"{who} {does} a {thing} in {place}", valid_at=moment
    )
    return NewEpisode(
        id=f"e{number}", content=text, speaker=who, session=f"s{number // 20}", occurred_at=moment, facts=(stated,)
    )


async def ask(service: Service, profile: Profile, count: int) -> tuple[Taken, list[float]]:
    """Different questions one after the other, each written as an answer is; and the loop's lag meanwhile."""
    # No question is asked twice: its vector would be remembered.
    draw, taken, late = random.Random(profile.rules.kernel), Taken(), list[float]()
    with progress() as bar:
        for number in bar.track(range(count + WARM_UP), description=f"asking by {profile.rules.kernel}"):
            who, place, thing = (draw.choice(some) for some in (NAMES, PLACES, THINGS))
            query = Query(namespace=NAMESPACE, text=f"Which {thing} did {who} have in {place} at time {number}?")
            async with lag() as noted:
                answer = await service.recaller.recall(query, profile, now=datetime.now(UTC))
                msgspec.json.encode((answer.results, answer.trace))
            if number >= WARM_UP:
                taken.add(answer.took_ms, answer.trace)
                late += noted
    return taken, late


def pure(kernel: Callable[..., Any]) -> Callable[[], Scores]:
    """All pure stages over so many candidates, nodes and edges."""
    draw = random.Random(2)
    ids = [f"m{number}" for number in range(NODES)]
    edges = [Edge(draw.choice(ids[: NODES // 2]), draw.choice(ids[NODES // 2 :]), draw.random()) for _ in range(EDGES)]
    web = Web(edges, dict.fromkeys(ids, 10))
    natures = {
        one: Nature(kind="episode", type="message", moment=NOW - timedelta(days=n), digest=one)
        for n, one in enumerate(ids)
    }
    runs = {name: draw.sample(ids, CANDIDATES) for name in ("keyword", "vector")}
    texts = {one: " ".join(draw.choice(THINGS + PLACES + DOES) for _ in range(30)) for one in ids}
    asked, month = intents("how many tips?"), timedelta(days=30)
    prior = Prior(intents=asked, intent_weight=1, half_life=month, floor=0.7, evergreen_floor=0.9, now=NOW)

    def run() -> Scores:
        scores = fuse(runs, k=8, weights={})
        scores = weigh(scores, {one: prior.of(natures[one]) for one in scores})
        charges = kernel(dict.fromkeys(list(scores)[:10], 1.0), web, hops=3).charges
        scores = propagate(scores, charges, {one: prior.of(natures[one]) for one in charges}, weight=1, k=8)
        scores = distinct(scores, {one: natures[one].digest for one in scores})
        first = pool(scores, 20)
        return diversify(scores, first, by_words({one: texts[one] for one in first}), balance=0.7, limit=10).scores

    return run


def timed(run: Callable[[], Scores], times: int = 30) -> float:
    """The median of so many runs, in milliseconds."""
    taken: list[float] = []
    for _ in range(times):
        begun = time.perf_counter()
        run()
        taken.append((time.perf_counter() - begun) * 1000)
    return median(taken)


async def measure(running: Running, episodes: int, count: int) -> dict[str, tuple[Taken, list[float]]]:
    """Fill, then ask by each kernel."""
    async with open_service(running.settings) as service:
        await fill(service, episodes)
        return {name: await ask(service, profile, count) for name, profile in PROFILES.items()}


def bars_of(name: str, taken: Taken, late: Sequence[float], pure_ms: float) -> list[Bar]:
    """What must hold for one kernel."""
    share = median(taken.whole) / median(taken.needed)
    reading, slowest = median(taken.parts["neighbourhood"]), max(late)
    return [
        Bar(f"{name}: the whole is at most {MOST_FACTOR:g} of what is needed", f"{share:.2f}", share <= MOST_FACTOR),
        Bar(
            f"{name}: pure stages take no longer than the neighbourhood's read",
            f"{pure_ms:.1f} ms of {reading:.1f} ms",
            pure_ms <= reading,
        ),
        Bar(f"{name}: nothing blocks the loop for {MOST_LAG_MS:g} ms", f"{slowest:.1f} ms", slowest <= MOST_LAG_MS),
    ]


@click.command(help=__doc__)
@click.option("--episodes", default=2_000, show_default=True, help="Episodes to ask about, a fact in each.")
@click.option("--questions", "count", default=100, show_default=True, help="Questions for each kernel.")
@report_option
def main(episodes: int, count: int, *, report: bool) -> None:
    """Fill a service, ask it from inside, compare the medians."""
    with running_service(GRAPHMEM_EXTRACTOR__KIND="none") as running:
        taken = asyncio.run(measure(running, episodes, count))
    kernels = {"names": timed(pure(spread)), "fire": timed(pure(fire))}
    table = Table(["kernel", "part", "p50 ms", "p95 ms"])
    bars: list[Bar] = []
    for name, (one, late) in taken.items():
        for part, ms in ({"whole": one.whole, "needed": one.needed} | one.parts | {"lag of the loop": late}).items():
            table.add(name, part, f"{median(ms):.2f}", f"{percentile(ms, 95):.2f}")
        table.add(name, f"pure stages, {CANDIDATES} candidates, {EDGES:,} edges", f"{kernels[name]:.2f}", "")
        bars += bars_of(name, one, late, kernels[name])
    conclude("Recall's parts", [table], bars, report=report)


if __name__ == "__main__":
    main()
