"""What a decoder complains about, as the field and the rule it breaks (pure)."""

import re

import msgspec

from graphmem.errors import InvalidError
from graphmem.memory import ID_PATTERN, NAMESPACE_PATTERN, NO_NUL_PATTERN, QUERY_PATTERN

RULES = {
    NAMESPACE_PATTERN: "must be 1 to 64 of a-z, 0-9 and _",
    ID_PATTERN: "must be 1 to 128 of A-Z, a-z, 0-9, _ . : and -",
    NO_NUL_PATTERN: "must not contain the NUL character",
    QUERY_PATTERN: "must contain something other than white space, and no NUL character",
}
PLACE = re.compile(r" - at `(?:key in )?\$\.?(?P<path>.*)`$", re.DOTALL)
FIELD = re.compile(r"field `(?P<field>.+?)`")
# What one text or number of a request can make a decoder raise.
DECODING_ERRORS = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


def invalid(error: Exception) -> InvalidError:
    """What a decoder complained about, as our error."""
    if isinstance(error, RecursionError):
        return InvalidError.of("body", "is nested too deeply")
    if isinstance(error, UnicodeDecodeError):
        return InvalidError.of("body", "is not valid UTF-8")
    return InvalidError.of(*explain(error))


def explain(error: Exception) -> tuple[str, str]:
    """The path of the field a decoder complained about, and the rule it breaks.

    >>> explain(msgspec.ValidationError("Object contains unknown field `x` - at `$.episodes[0]`"))
    ('episodes[0].x', 'is not a field')
    """
    text = str(error)
    place = PLACE.search(text)
    message = PLACE.sub("", text)
    path = place["path"] if place else ""
    if found := FIELD.search(message):
        path = f"{path}.{found['field']}" if path else found["field"]
        message = "is required" if "missing" in message else "is not a field"
    return path or "body", rule_of(message)


def rule_of(message: str) -> str:
    """A complaint in words, where it names a pattern.

    >>> rule_of(f"Expected `str` matching regex {NO_NUL_PATTERN!r}")
    'must not contain the NUL character'
    """
    return next((rule for pattern, rule in RULES.items() if repr(pattern) in message), message)
