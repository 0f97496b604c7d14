"""JSON schemas as small models need them (pure): without room for an answer that never ends."""

from collections.abc import Mapping
from typing import Any

TOKENS_A_FIELD = 24
MOST_INSIDE = 4
LEAST_CHARACTERS = 80
TOKENS_A_CHARACTER = 6


def bounded(schema: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """The schema with lists no longer than an answer of so many tokens can hold; lists inside of lists are short.

    A small model that has begun a list or a text goes on until it is cut short, and then all that it said is lost. A
    text may have a character for every six tokens of the answer.

    >>> item = {"type": "object", "properties": {"name": {"type": "string"}, "places": {"type": "array"}}}
    >>> people = {"type": "array", "items": {"$ref": "#/$defs/P"}}
    >>> found = bounded({"properties": {"people": people}, "$defs": {"P": item}}, 320)
    >>> found["properties"]["people"]["maxItems"], found["$defs"]["P"]["properties"]["places"]["maxItems"]
    (6, 4)
    """
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    most = max(LEAST_CHARACTERS, tokens // TOKENS_A_CHARACTER)
    properties = {
        name: with_most(part, definitions, tokens) if part.get("type") == "array" else with_end(part, most)
        for name, part in schema.get("properties", {}).items()
    }
    inside = {name: with_ends(definition, most) for name, definition in definitions.items()}
    return {**schema, "properties": properties} | ({"$defs": inside} if inside else {})


def with_most(part: Mapping[str, Any], definitions: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """A list with at most as many items as fit, by the number of their fields."""
    item = definitions.get(part.get("items", {}).get("$ref", "").rpartition("/")[2], {})
    fields = max(1, len(item.get("properties", {})))
    return {**part, "maxItems": max(1, tokens // (TOKENS_A_FIELD * fields))}


def with_ends(definition: Mapping[str, Any], most: int) -> dict[str, Any]:
    """An item whose own lists are short, and whose texts leave room for others."""
    properties = {name: with_end(part, most) for name, part in definition.get("properties", {}).items()}
    return {**definition, "properties": properties}


def with_end(part: Mapping[str, Any], most: int) -> dict[str, Any]:
    """A field that ends: a short list, a text of at most so many characters, or a choice among such."""
    ends = {"array": {"maxItems": MOST_INSIDE}, "string": {"maxLength": most}}
    choices = {"anyOf": [with_end(one, most) for one in part["anyOf"]]} if "anyOf" in part else {}
    return {**part, **ends.get(part.get("type", ""), {}), **choices}
