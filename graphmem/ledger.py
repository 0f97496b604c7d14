"""The nouns of the ledger: what was said about whom, and what follows from it."""

import re
import uuid
from datetime import datetime
from typing import Literal

from msgspec import Struct

ROOT = uuid.UUID("5b0f4a5e-4f0e-4e0c-9d55-6f7a1c2d3e4f")
OUTSIDE = ""
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

StatementOrigin = Literal["stated", "local", "model", "night"]


def named_uuid(*parts: str) -> str:
    """A uuid that is the same for the same words, whenever and wherever it is made."""
    return str(uuid.uuid5(ROOT, "\x1f".join(parts)))


def episode_uuid(namespace: str, episode_id: str) -> str:
    """An episode's uuid in the graph."""
    return named_uuid("episode", namespace, episode_id)


def entity_uuid(namespace: str, normalised_name: str) -> str:
    """The uuid of the entity of that name: so two writers never make two of it, in whatever order they come."""
    return named_uuid("entity", namespace, normalised_name)


def as_uuid(text: str) -> str | None:
    """The id in its one way of writing, or none where it cannot be one.

    >>> as_uuid("5B0F4A5E4F0E4E0C9D556F7A1C2D3E4F"), as_uuid("Ann")
    ('5b0f4a5e-4f0e-4e0c-9d55-6f7a1c2d3e4f', None)
    """
    try:
        return str(uuid.UUID(text))
    except ValueError:
        return None


class Mention(Struct, frozen=True, kw_only=True):
    """An episode names an entity, in its own words; outside of any episode where the caller named it.

    `named` is the entity that follows from the name alone, `entity` the one that it means.
    """

    episode: str
    named: str
    entity: str
    name: str
    type: str | None
    created_at: datetime


class Statement(Struct, frozen=True, kw_only=True):
    """What was said about a pair; `ends` says that it no longer holds from `invalid_at` on, in favour of another.

    `named_source` and `named_target` follow from the names alone, `source` and `target` are whom these mean.
    """

    id: str
    episode: str
    named_source: str
    named_target: str
    source: str
    relation: str
    target: str
    text: str
    valid_at: datetime | None
    invalid_at: datetime | None
    ends: bool
    origin: StatementOrigin
    fixed_fact: str | None
    created_at: datetime
    replaced_by: str | None = None


class Fact(Struct, frozen=True, kw_only=True):
    """What follows from the statements about a pair, with both clocks."""

    id: str
    source: str
    relation: str
    target: str
    fact: str
    valid_at: datetime | None
    invalid_at: datetime | None
    stated_invalid_at: datetime | None
    created_at: datetime
    expired_at: datetime | None
    confirmed_at: datetime
    origin: StatementOrigin
    retired_by: str | None


class NamedFact(Fact, frozen=True, kw_only=True):
    """A fact, and the entities that follow alone from the names by which it was first said."""

    named_source: str
    named_target: str


class Link(Struct, frozen=True, kw_only=True):
    """Two entities, as their names have them, are one: because a fact says so, or because it was decided."""

    alias: str
    entity: str
    reason: Literal["said", "merged"]
    cause: str


def is_uuid(text: str) -> bool:
    """Whether an id may be that of a fact or an entity."""
    return UUID.fullmatch(text) is not None


class ReadEntity(Struct, frozen=True, kw_only=True):
    """Someone or something that a language model found in an episode; of one that the graph has, the id is known."""

    id: str
    name: str
    type: str | None
    summary: str
    vector: list[float] | None


class ReadFact(Struct, frozen=True, kw_only=True):
    """A fact that a language model found to be new; its ends are entities of the same reading, or of the graph."""

    id: str
    source: str
    relation: str
    target: str
    fact: str
    valid_at: datetime | None
    invalid_at: datetime | None
    vector: list[float] | None


class ReadEnd(Struct, frozen=True, kw_only=True):
    """A language model decided that a fact ended when another began; `by` is None where it did not say which."""

    fact: str
    by: str | None
    invalid_at: datetime


class Reading(Struct, frozen=True, kw_only=True):
    """What a language model made of an episode; its ids are of the graph, or made for this reading alone."""

    entities: list[ReadEntity]
    new: list[ReadFact]
    confirmed: list[str]
    ends: list[ReadEnd]
