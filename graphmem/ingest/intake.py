"""From what a caller sent to what is kept (pure): defaults filled in, rules checked, differences named."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import zip_longest
from typing import Any, cast

import msgspec
from msgspec import UNSET

from graphmem.errors import InvalidError
from graphmem.memory import METADATA_BYTES, Episode, NewEpisode, new_id, utc

NOT_COMPARED = frozenset({"id", "namespace"})
# Far below the depth at which any decoder or database on the way gives up.
MOST_LEVELS = 100


def complete(new: NewEpisode, *, namespace: str, now: datetime, field: str = "") -> Episode:
    """The episode that is kept for what was sent; `field` is the path of the request it stands at."""
    sent = {name: value for name, value in sent_fields(new) if name != "namespace"}
    metadata = sent.get("metadata", {})
    if len(msgspec.json.encode(metadata)) > METADATA_BYTES:
        raise InvalidError.of(f"{field}metadata", f"must be at most {METADATA_BYTES} bytes of JSON")
    if has_nul(metadata):
        raise InvalidError.of(f"{field}metadata", "must not contain the NUL character")
    if levels(metadata) > MOST_LEVELS:
        raise InvalidError.of(f"{field}metadata", f"must not be nested deeper than {MOST_LEVELS} levels")
    try:
        sent["occurred_at"] = utc(sent.get("occurred_at", now))
    except OverflowError as error:
        raise InvalidError.of(f"{field}occurred_at", "must lie between the years 1 and 9999 in UTC") from error
    for place, fact in enumerate(sent.get("facts", ())):
        check_times(fact.valid_at, fact.invalid_at, field=f"{field}facts[{place}].")
    fields: dict[str, Any] = {"id": new_id(), "created_at": utc(now)} | sent | {"namespace": namespace}
    return Episode(**fields)


def check_times(valid_at: datetime | None, invalid_at: datetime | None, *, field: str = "") -> None:
    """Refuse times that cannot be kept, and an end before the beginning."""
    for name, moment in (("valid_at", valid_at), ("invalid_at", invalid_at)):
        try:
            utc(moment or datetime.min.replace(tzinfo=UTC))
        except OverflowError as error:
            raise InvalidError.of(f"{field}{name}", "must lie between the years 1 and 9999 in UTC") from error
    if valid_at is not None and invalid_at is not None and invalid_at < valid_at:
        raise InvalidError.of(f"{field}invalid_at", "must not be before valid_at")


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
        (name for name, value in sent_fields(new) if name not in NOT_COMPARED and not same(value, getattr(kept, name))),
        None,
    )


def same(sent: Any, kept: Any) -> bool:
    """Whether a value is kept as it was sent; numbers are compared as written, for Postgres keeps them in decimal.

    >>> same({"a": 1.2345e25}, {"a": 12345000000000000000000000}), same([1], [True])
    (True, False)
    """
    if isinstance(sent, bool) or isinstance(kept, bool):
        return sent is kept
    if isinstance(sent, int | float) and isinstance(kept, int | float):
        return Decimal(str(sent)) == Decimal(str(kept))
    if isinstance(sent, dict) and isinstance(kept, dict):
        ours, theirs = cast("dict[str, Any]", sent), cast("dict[str, Any]", kept)
        return ours.keys() == theirs.keys() and all(same(ours[name], theirs[name]) for name in ours)
    if isinstance(sent, list) and isinstance(kept, list):
        pairs = zip_longest(cast("list[Any]", sent), cast("list[Any]", kept), fillvalue=UNSET)
        return all(same(one, other) for one, other in pairs)
    return sent == kept


def has_nul(value: Any) -> bool:
    """Whether any text inside a JSON value holds the one character that Postgres cannot keep."""
    return any("\x00" in text for row in rows_of(value) for text in row if isinstance(text, str))


def levels(value: Any) -> int:
    """How deep a JSON value is nested.

    >>> levels({}), levels({"a": [1]})
    (1, 3)
    """
    return sum(1 for _ in rows_of(value))


def rows_of(value: Any) -> Iterator[list[Any]]:
    """A JSON value level by level: itself, then all names and values inside, and so on."""
    row: list[Any] = [value]
    while row:
        yield row
        row = [inner for outer in row for inner in inside(outer)]


def inside(value: Any) -> list[Any]:
    """What stands directly inside a JSON value."""
    if isinstance(value, dict):
        mapping = cast("dict[str, Any]", value)
        return [*mapping.keys(), *mapping.values()]
    return cast("list[Any]", value) if isinstance(value, list) else []
