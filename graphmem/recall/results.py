"""What an answer shows of each memory (pure)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from graphmem.memory import Episode, LegNote, MemoryId, Recalled, Step
from graphmem.recall.ranking.relevance import coverage, relevance
from graphmem.recall.trace import Trace

# Where each leg placed each memory.
Notes: TypeAlias = Mapping[str, Mapping[MemoryId, LegNote]]


def recalled_episode(episode: Episode) -> Recalled:
    """An episode as a memory, before it is scored."""
    return Recalled(
        id=episode.id,
        kind="episode",
        text=episode.content,
        title=episode.title,
        summary=episode.summary,
        speaker=episode.speaker,
        session=episode.session,
        type=episode.type,
        occurred_at=episode.occurred_at,
    )


def recalled_fact(row: Mapping[str, Any]) -> Recalled:
    """A fact as a memory, before it is scored; it counts as fresh from when it was last confirmed."""
    times = {name: row[name] for name in ("valid_at", "invalid_at", "created_at", "expired_at")}
    return Recalled(
        id=row["id"],
        kind="fact",
        text=row["fact"],
        type="relationship",
        occurred_at=row["confirmed_at"],
        fact={
            "source": {"id": row["source_id"], "name": row["source_name"]},
            "relation": row["relation"],
            "target": {"id": row["target_id"], "name": row["target_name"]},
            **times,
            "episodes": row["episodes"],
        },
    )


def found(
    memory: Recalled,
    worth: tuple[float, float],
    notes: Notes,
    path: tuple[Step, ...],
) -> Recalled:
    """The memory with its score and relevance, its place in each leg, and the way by which charge came to it."""
    legs = {leg: places[memory.id] for leg, places in notes.items() if memory.id in places}
    score, relevance = worth
    return msgspec.structs.replace(memory, score=score, relevance=round(relevance, 4), legs=legs, path=path)


def relevances(
    words: Collection[str], memories: Sequence[Recalled], near: Mapping[MemoryId, float], trace: Trace
) -> dict[MemoryId, float]:
    """How well each memory fits a question of those words, given how near their vectors are."""
    texts = {one.id: " ".join(filter(None, (one.title, one.speaker, one.text))) for one in memories}
    covered = {one: coverage(words, text) for one, text in texts.items()}
    trace.relevance = {one: {"similarity": near.get(one), "coverage": covered[one]} for one in covered}
    return {one: relevance(near.get(one), covered[one]) for one in covered}


def relevant(results: Sequence[Recalled], *, least: float) -> bool:
    """Whether any of them is as relevant as that; one whose relevance is not known is.

    >>> from datetime import UTC, datetime
    >>> day = datetime(2026, 5, 1, tzinfo=UTC)
    >>> said = Recalled(id="1", kind="episode", text="", type="message", occurred_at=day)
    >>> doubtful = msgspec.structs.replace(said, relevance=0.2)
    >>> relevant([doubtful], least=0.3), relevant([doubtful], least=0.2), relevant([said], least=0.3)
    (False, True, True)
    """
    return any(one.relevance is None or one.relevance >= least for one in results)
