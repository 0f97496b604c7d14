"""What an answer shows of each memory (pure)."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from graphmem.memory import Episode, LegNote, MemoryId, Recalled, Step


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
    memory: Recalled, score: float, notes: Mapping[str, Mapping[MemoryId, LegNote]], path: tuple[Step, ...] = ()
) -> Recalled:
    """The memory with its score, its place in each leg, and the way by which charge came to it."""
    legs = {leg: places[memory.id] for leg, places in notes.items() if memory.id in places}
    return msgspec.structs.replace(memory, score=score, legs=legs, path=path)


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
