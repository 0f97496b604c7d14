"""The profile of a search: the named one, changed by the namespace's settings and the request's tuning."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from graphmem.recall.profiles import Profile, profile_named, tuned
from graphmem.stores.namespaces import NamespaceStore

# A change reaches every process within this time; the one that made it sees it at once.
REMEMBERED_SECONDS = 1.0
REMEMBERED_NAMESPACES = 10_000


@dataclass(frozen=True)
class Preferences:
    """Reads and changes what namespaces prefer."""

    namespaces: NamespaceStore
    remembered: dict[str, tuple[float, dict[str, Any]]] = field(default_factory=dict[str, tuple[float, dict[str, Any]]])

    async def profile(self, namespace: str, name: str | None, tuning: Mapping[str, Any]) -> Profile:
        """The recipe of one search; a named profile is taken as it is, the namespace's changes are to its own."""
        changes = await self.changes(namespace)
        chosen = profile_named(name or changes.get("profile", "default"))
        if chosen.name == changes.get("profile", "default"):
            chosen = with_numbers(chosen, {key: value for key, value in changes.items() if key != "profile"}, "")
        return with_numbers(chosen, tuning, "tuning")

    async def changes(self, namespace: str) -> dict[str, Any]:
        """What the namespace has set."""
        expires, changes = self.remembered.get(namespace, (0.0, {}))
        if expires < time.monotonic():
            changes = (await self.namespaces.settings(namespace)).numbers
            self.remember(namespace, changes)
        return changes

    async def check(self, namespace: str, changes: Mapping[str, Any]) -> None:
        """Raise when these changes make no sense together with what is set already."""
        current = await self.changes(namespace) | dict(changes)
        wanted = {key: value for key, value in current.items() if value is not None}
        chosen = profile_named(wanted.pop("profile", "default"))
        tuned(chosen.numbers, wanted, prefix="")

    async def change(self, namespace: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Set some; None takes one back to the profile's."""
        changed = await self.namespaces.change(namespace, changes)
        self.remember(namespace, changed)
        return changed

    def remember(self, namespace: str, changes: dict[str, Any]) -> None:
        """Keep them for a moment."""
        if len(self.remembered) >= REMEMBERED_NAMESPACES:
            self.remembered.clear()
        self.remembered[namespace] = (time.monotonic() + REMEMBERED_SECONDS, changes)


def with_numbers(profile: Profile, changes: Mapping[str, Any], prefix: str) -> Profile:
    """The profile with some numbers changed."""
    return msgspec.structs.replace(profile, numbers=tuned(profile.numbers, changes, prefix=prefix))
