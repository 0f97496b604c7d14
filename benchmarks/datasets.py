"""Public sets of texts and questions: each corpus line an episode, each group a namespace."""

import gzip
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from benchmarks.running import CHECKOUT

T = TypeVar("T")

PLACE = "BENCHMARK_DATA"
TIME_FORMATS = ("%I:%M %p on %d %B, %Y", "%Y%m%d_%H:%M", "%Y-%m-%dT%H:%M:%S", "%B-%d-%Y")
TITLE_CHARACTERS = 500
WITH_FACTS = "_facts"


class Text(msgspec.Struct, frozen=True):
    """One line of a corpus."""

    id: str
    text: str
    group: str = ""
    title: str | None = None
    speaker: str | None = None
    time: str | None = None
    session: int | str | None = None
    caption: str | None = None


class Observation(msgspec.Struct, frozen=True):
    """One line of what a language model once made of the texts."""

    kind: str
    group: str = ""
    subject: str = ""
    fact: str = ""
    docs: tuple[str, ...] = ()


class Question(msgspec.Struct, frozen=True):
    """A question and the ids that answer it; none when nothing does."""

    id: str
    text: str
    gold: list[str]
    group: str = ""
    category: str | int | None = None


@dataclass(frozen=True)
class Dataset:
    """A set by its name: episodes by namespace, the questions that have an answer, those that have none, and facts."""

    name: str
    episodes: dict[str, list[dict[str, Any]]]
    questions: list[Question]
    unanswerable: list[Question]
    facts: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])

    def namespace(self, question: Question) -> str:
        """Where a question is asked."""
        return namespace_of(self.name, question.group)


def place() -> Path:
    """The folder of the sets."""
    return Path(os.environ.get(PLACE) or CHECKOUT.parent / "shared" / "data")


def load(name: str) -> Dataset:
    """One set, `..._facts` with the facts recorded for it; without it there is nothing to measure."""
    folder = place() / name.removesuffix(WITH_FACTS)
    if not folder.is_dir():
        raise click.ClickException(f"There is no set {name} in {place()}: name the folder of the sets with {PLACE}.")
    questions = list(lines(folder / "queries.jsonl.gz", Question))
    answered, others = ([one for one in questions if bool(one.gold) is known] for known in (True, False))
    facts = facts_of(name, folder) if name.endswith(WITH_FACTS) else {}
    return Dataset(name, episodes_of(name, folder), answered, others, facts)


def facts_of(name: str, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What a language model once observed in the texts, as facts a caller states, by namespace."""
    texts = {(text.group, text.id) for text in lines(folder / "corpus.jsonl.gz", Text)}
    facts: dict[str, list[dict[str, Any]]] = {}
    for seen in lines(folder / "graph.jsonl.gz", Observation):
        if seen.kind == "observation":
            episodes = [one for one in seen.docs if (seen.group, one) in texts]
            fact = {"source": seen.subject, "relation": "is said to", "target": "conversation", "fact": seen.fact}
            facts.setdefault(namespace_of(name, seen.group), []).append(fact | {"episodes": episodes})
    return facts


def episodes_of(name: str, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The corpus as episodes, by namespace."""
    said: Counter[tuple[str, int | str]] = Counter()
    episodes: dict[str, list[dict[str, Any]]] = {}
    for text in lines(folder / "corpus.jsonl.gz", Text):
        place_in_session = 0
        if text.session is not None:
            place_in_session = said[text.group, text.session]
            said[text.group, text.session] += 1
        episodes.setdefault(namespace_of(name, text.group), []).append(episode_of(text, place_in_session))
    return episodes


def episode_of(text: Text, place_in_session: int) -> dict[str, Any]:
    """A line as the API takes it; turns of one session are a second apart, so that their order is kept.

    >>> episode_of(Text("D1:2", "Hi!", time="1:56 pm on 8 May, 2023", session=1, caption="a cat"), 1)
    {'id': 'D1:2', 'content': 'Hi! [a cat]', 'session': '1', 'occurred_at': '2023-05-08T13:56:01+00:00'}
    """
    moment = moment_of(text.time) + timedelta(seconds=place_in_session) if text.time else None
    episode = {
        "id": text.id,
        "content": f"{text.text} [{text.caption}]" if text.caption else text.text,
        "title": text.title[:TITLE_CHARACTERS] if text.title else None,
        "speaker": text.speaker,
        "session": str(text.session) if text.session is not None else None,
        "occurred_at": moment.isoformat() if moment else None,
    }
    return {name: value for name, value in episode.items() if value is not None}


def moment_of(time: str) -> datetime:
    """A time as the sets write it, taken as UTC.

    >>> moment_of("1:56 pm on 8 May, 2023").isoformat(), moment_of("March-15-2024").isoformat()
    ('2023-05-08T13:56:00+00:00', '2024-03-15T00:00:00+00:00')
    """
    for form in TIME_FORMATS:
        try:
            return datetime.strptime(time, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f"no known form of time: {time}")


def namespace_of(name: str, group: str) -> str:
    """The namespace of a group.

    >>> namespace_of("locomo", "conv-26"), namespace_of("scifact", "")
    ('locomo_conv_26', 'scifact')
    """
    return re.sub(r"[^a-z0-9]+", "_", f"{name} {group}".strip().lower())


def lines(file: Path, kind: type[T]) -> Iterator[T]:
    """The lines of a packed file."""
    decoder = msgspec.json.Decoder(kind)
    with gzip.open(file) as packed:
        for line in packed:
            yield decoder.decode(line)
