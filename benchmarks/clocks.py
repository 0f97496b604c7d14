"""Is what was true then found, and what no longer holds left out? Facts with years, and facts that are taken back."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import click
import httpx
import msgspec
from rich.progress import Progress

from benchmarks.datasets import lines, place
from benchmarks.measures import recall
from benchmarks.reporting import Bar, Table, conclude, progress, report_option
from benchmarks.running import running_service, wait_for_jobs
from graphmem.relations import is_single_valued

BATCH = 1000
LIMIT = 10
TOP = 3
LEAST_FIRST, LEAST_GONE = 0.75, 0.95
# What is found is measured here, not how soon.
PATIENT = {"deadline_ms": 60_000}
YEARS, UPDATES = "yago_intervals", "lettafacts"
# What an operator would add for these texts: their people have one of each at a time.
ADDED = ("attended", "studies at", "speaks", "graduated from", "received PhD from", "likes to hike in", "plays")


class Spell(msgspec.Struct, frozen=True):
    """A fact and the years in which it held."""

    id: str
    subject: str
    predicate: str
    object: str
    valid_from: int | None
    valid_to: int | None

    @property
    def possible(self) -> bool:
        """Whether it can be stated: some end before they begin, some began before the year 1."""
        return (self.valid_from is None or self.valid_from >= 1) and not (
            self.valid_from is not None and self.valid_to is not None and self.valid_to < self.valid_from
        )

    def stated(self) -> dict[str, Any]:
        """As the API takes it."""
        relation = words_of(self.predicate)
        return {
            "source": self.subject,
            "relation": relation,
            "target": self.object,
            "fact": f"{self.subject} {relation} {self.object}",
            "valid_at": beginning_of(self.valid_from),
            "invalid_at": beginning_of(self.valid_to),
        }


class Dated(msgspec.Struct, frozen=True):
    """A question about a year, with the fact that held then and those of the same subject that did not."""

    text: str
    as_of: int
    gold: list[str]
    not_valid_then: list[str]


class Said(msgspec.Struct, frozen=True):
    """A sentence."""

    id: str
    text: str


class Updated(msgspec.Struct, frozen=True):
    """A question, the sentences that answer it, and one that is said later and contradicts them."""

    id: str
    text: str
    gold: list[str]
    contradicting_fact: str


def words_of(predicate: str) -> str:
    """A predicate as words.

    >>> words_of("isMarriedTo")
    'is married to'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", predicate).lower()


def beginning_of(year: int | None) -> str | None:
    """Its first moment.

    >>> beginning_of(360)
    '0360-01-01T00:00:00Z'
    """
    return None if year is None else f"{year:04}-01-01T00:00:00Z"


def state(client: httpx.Client, spells: Sequence[Spell], bar: Progress) -> dict[str, str]:
    """State facts; the ids that the service gave them, by their ids in the set."""
    ids: dict[str, str] = {}
    task = bar.add_task("stating facts", total=len(spells))
    for start in range(0, len(spells), BATCH):
        batch = spells[start : start + BATCH]
        body = {"namespace": YEARS, "facts": [spell.stated() for spell in batch]}
        answer = client.post("/v1/facts/batch", json=body).raise_for_status().json()
        ids |= {spell.id: fact["id"] for spell, fact in zip(batch, answer["facts"], strict=True)}
        bar.advance(task, len(batch))
    wait_for_jobs(client, YEARS)
    return ids


def found(client: httpx.Client, namespace: str, query: str, **bounds: str) -> list[dict[str, Any]]:
    """The facts found; a leg that is away would spoil the figures."""
    asked = {"namespace": namespace, "query": query, "kinds": ["fact"], "limit": LIMIT, "touch": False}
    body = asked | {"tuning": PATIENT} | bounds
    answer = client.post("/v1/search", json=body).raise_for_status().json()
    if answer["missing_legs"]:
        raise click.ClickException(f"A leg did not answer: {answer['missing_legs']}")
    return answer["results"]


def measure_years(client: httpx.Client, bar: Progress) -> tuple[Table, list[Bar]]:
    """Ask what held in some year."""
    folder = place() / YEARS
    spells = [spell for spell in lines(folder / "facts.jsonl.gz", Spell) if spell.possible]
    ids = state(client, spells, bar)
    questions = list(lines(folder / "queries.jsonl.gz", Dated))
    firsts: list[float] = []
    fives: list[float] = []
    stale = 0
    for question in bar.track(questions, description="asking about years"):
        gold, over = ({ids[one] for one in named if one in ids} for named in (question.gold, question.not_valid_then))
        results = found(client, YEARS, question.text, valid_as_of=f"{question.as_of}-07-01T00:00:00Z")
        first = [result["id"] for result in results]
        firsts.append(recall(first, gold, 1))
        fives.append(recall(first, gold, 5))
        stale += not over.isdisjoint(first[:TOP])
    r1, r5 = sum(firsts) / len(firsts), sum(fives) / len(fives)
    table = Table(["facts", "questions with `valid_as_of`", "R@1", "R@5", f"with a stale fact in the first {TOP}"])
    table.add(f"{len(spells):,}", str(len(questions)), f"{r1:.3f}", f"{r5:.3f}", str(stale))
    return table, [
        Bar(f"R@1 with `valid_as_of` ≥ {LEAST_FIRST}", f"{r1:.3f}", r1 >= LEAST_FIRST),
        Bar(f"no question with a fact in the first {TOP} that did not hold then", str(stale), not stale),
    ]


def tell(client: httpx.Client, said: Iterable[tuple[str, str]]) -> None:
    """Store sentences as episodes and wait until they are understood."""
    episodes = [{"id": one, "content": text} for one, text in said]
    for start in range(0, len(episodes), BATCH):
        body = {"namespace": UPDATES, "episodes": episodes[start : start + BATCH]}
        client.post("/v1/episodes/batch", json=body).raise_for_status()
    wait_for_jobs(client, UPDATES)


def facts_in(client: httpx.Client, episode: str) -> list[dict[str, Any]]:
    """What an episode was understood to say."""
    return client.get(f"/v1/episodes/{episode}", params={"namespace": UPDATES}).raise_for_status().json()["facts"]


def contradicted(client: httpx.Client, question: Updated) -> dict[str, str]:
    """The facts, by id, of the sentences that answer it, which must go: another value of a relation that holds one.

    What was understood decides, and the table of relations, not what the service made of it.
    """
    new = facts_in(client, question.id)
    return {
        old["id"]: old["relation"]
        for episode in question.gold
        for old in facts_in(client, episode)
        for other in new
        if (old["source"]["id"], old["relation"]) == (other["source"]["id"], other["relation"])
        and old["target"]["id"] != other["target"]["id"]
        and is_single_valued(old["relation"], ADDED)
    }


class Seen(NamedTuple):
    """Whether the old fact was among the first: before, after, in its very words after, and after as known before."""

    before: bool
    after: bool
    worded: bool
    back: bool


def measure_updates(client: httpx.Client, bar: Progress) -> tuple[Table, list[Bar]]:
    """Say something, then the contrary; ask before, after, and after for what was known before."""
    folder = place() / UPDATES
    questions = list(lines(folder / "queries.jsonl.gz", Updated))
    tell(client, ((one.id, one.text) for one in lines(folder / "corpus.jsonl.gz", Said)))
    told = datetime.now().astimezone().isoformat()
    earlier = {
        one.id: found(client, UPDATES, one.text)[:TOP] for one in bar.track(questions, description="asking before")
    }
    tell(client, ((one.id, one.contradicting_fact) for one in questions))
    seen: dict[str, list[Seen]] = {"of the table": [], "added by the operator": []}
    for question in bar.track(questions, description="asking after"):
        if old := contradicted(client, question):
            after = found(client, UPDATES, question.text)[:TOP]
            back = found(client, UPDATES, question.text, known_as_of=told)[:TOP]
            words = {result["text"] for result in (*earlier[question.id], *back) if result["id"] in old}
            before, gone, known = (
                any(one["id"] in old for one in results) for results in (earlier[question.id], after, back)
            )
            kind = "of the table" if any(map(is_single_valued, old.values())) else "added by the operator"
            seen[kind].append(Seen(before, gone, any(one["text"] in words for one in after), known))
    table = Table(["relation", "questions", f"old fact in the first {TOP} before", "after", "its words after", "back"])
    for kind, marks in seen.items():
        table.add(kind, f"{len(marks)} of {len(questions)}", *(str(sum(column)) for column in zip(*marks, strict=True)))
    return table, [bar for kind, marks in seen.items() for bar in bars_of(kind, marks)]


def bars_of(kind: str, seen: Sequence[Seen]) -> list[Bar]:
    """Gone after the update, and there again for what was known before it."""
    gone = sum(not one.after for one in seen) / max(len(seen), 1)
    known = [one.back for one in seen if one.before]
    back = sum(known) / max(len(known), 1)
    return [
        Bar(
            f"relations {kind}: the old fact is not in the first {TOP} for ≥ {LEAST_GONE:.0%}",
            f"{gone:.1%}",
            gone >= LEAST_GONE,
        ),
        Bar(
            f"relations {kind}: it is back with `known_as_of` for ≥ {LEAST_GONE:.0%}", f"{back:.1%}", back >= LEAST_GONE
        ),
    ]


@click.command(help=__doc__)
@report_option
def main(*, report: bool) -> None:
    """Load both sets, ask, compare."""
    with (
        running_service(GRAPHMEM_GRAPH__SINGLE_VALUED=",".join(ADDED)) as service,
        service.client() as client,
        progress() as bar,
    ):
        years, bars = measure_years(client, bar)
        updates, more = measure_updates(client, bar)
    conclude("Clocks", [years, updates], [*bars, *more], report=report)


if __name__ == "__main__":
    main()
