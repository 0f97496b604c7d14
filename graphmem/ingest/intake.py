"""From what a caller sent to what is kept (pure): defaults filled in, rules checked, differences named."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET

from graphmem.errors import InvalidError
from graphmem.memory import METADATA_BYTES, Episode, NewEpisode, new_id, utc

NOT_COMPARED = frozenset({"id", "namespace"})


def complete(new: NewEpisode, *, namespace: str, now: datetime, field: str = "") -> Episode:
    """The episode that is kept for what was sent; `field` is the path of the request it stands at."""
    sent = {name: value for name, value in sent_fields(new) if name != "namespace"}
    metadata = sent.get("metadata", {})
    if len(msgspec.json.encode(metadata)) > METADATA_BYTES:
        raise InvalidError.of(f"{field}metadata", f"must be at most {METADATA_BYTES} bytes of JSON")
    if has_nul(metadata):
        raise InvalidError.of(f"{field}metadata", "must not contain the NUL character")
    try:
        sent["occurred_at"] = utc(sent.get("occurred_at", now))
    except OverflowError as error:
        raise InvalidError.of(f"{field}occurred_at", "must lie between the years 1 and 9999 in UTC") from error
    fields: dict[str, Any] = {"id": new_id(), "created_at": utc(now)} | sent | {"namespace": namespace}
    return Episode(**fields)


def complete_all(news: Sequence[NewEpisode], *, namespace: str, now: datetime) -> list[Episode]:
    """The episodes of a batch; each id may stand in it once."""
    episodes = [
        complete(new, namespace=namespace, now=now, field=f"episodes[{place}].") for place, new in enumerate(news)
    ]
    first: dict[str, int] = {}
    for place, episode in enumerate(episodes):
        if first.setdefault(episode.id, place) != place:
            raise InvalidError.of(f"episodes[{place}].id", f"repeats episodes[{first[episode.id]}].id")
    return episodes


def sent_fields(new: NewEpisode) -> Iterator[tuple[str, Any]]:
    """The fields that were sent, with their values."""
    for name in new.__struct_fields__:
        if (value := getattr(new, name)) is not UNSET:
            yield name, value


def difference(new: NewEpisode, kept: Episode) -> str | None:
    """The first sent field that is not as it is kept, or none.

    >>> moment = datetime.fromisoformat("2026-02-21T09:30:00+00:00")
    >>> kept = complete(NewEpisode(id="a", content="x", speaker="Ann"), namespace="n", now=moment)
    >>> difference(NewEpisode(id="a", content="x"), kept), difference(NewEpisode(id="a", content="y"), kept)
    (None, 'content')
    """
    return next(
        (name for name, value in sent_fields(new) if name not in NOT_COMPARED and value != getattr(kept, name)), None
    )


def has_nul(value: Any) -> bool:
    """Whether any text inside a JSON value holds the one character that Postgres cannot keep."""
    pending = [value]
    while pending:
        match pending.pop():
            case str() as text if "\x00" in text:
                return True
            case dict() as mapping:  # pyright: ignore[reportUnknownVariableType]
                pending.extend(mapping.keys())  # pyright: ignore[reportUnknownArgumentType]
                pending.extend(mapping.values())  # pyright: ignore[reportUnknownArgumentType]
            case list() as items:  # pyright: ignore[reportUnknownVariableType]
                pending.extend(items)  # pyright: ignore[reportUnknownArgumentType]
            case _:
                pass
    return False
