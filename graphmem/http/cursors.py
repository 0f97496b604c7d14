"""Cursors: where a list goes on, opaque to the caller."""

import base64
import binascii
from typing import Any, TypeVar

import msgspec

from graphmem.errors import InvalidError

T = TypeVar("T")


def cursor_of(*position: Any) -> str:
    """A cursor that holds a position.

    >>> position_of(cursor_of("a", 1), tuple[str, int])
    ('a', 1)
    """
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def position_of(cursor: str | None, kind: type[T]) -> T | None:
    """The position a cursor holds, or none for the first page."""
    if cursor is None:
        return None
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), type=kind)
    except (msgspec.MsgspecError, binascii.Error, UnicodeError, ValueError) as error:
        raise InvalidError.of("cursor", "must be the cursor of an earlier answer, unchanged") from error
