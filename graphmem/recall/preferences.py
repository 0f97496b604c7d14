"""The profile of a search: the named one, changed by the namespace's settings and the request's tuning."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphmem.recall.profiles import Profile, profile_named, tuned
from graphmem.stores.namespaces import NamespaceSettings, NamespaceStore

# A change reaches every process within this time; the one that made it sees it at once.
REMEMBERED_SECONDS = 1.0
REMEMBERED_NAMESPACES = 10_000


@dataclass(frozen=True)
class Preferences:
    """Reads and changes what namespaces prefer."""

    namespaces: NamespaceStore
    remembered: dict[str, tuple[float, NamespaceSettings]] = field(
        default_factory=dict[str, tuple[float, NamespaceSettings]]
    )

    async def profile(self, namespace: str, name: str | None, tuning: Mapping[str, Any]) -> Profile:
        """The recipe of one search; a named profile is taken as it is, the namespace's changes are to its own."""
        changes = await self.changes(namespace)
        chosen = profile_named(name or changes.get("profile", "default"))
        if chosen.name == changes.get("profile", "default"):
            chosen = tuned(chosen, {key: value for key, value in changes.items() if key != "profile"}, prefix="")
        return tuned(chosen, tuning)

    async def changes(self, namespace: str) -> dict[str, Any]:
        """What the namespace has set."""
        return (await self.settings(namespace)).numbers

    async def aliases(self, namespace: str) -> dict[str, list[str]]:
        """The words of the namespace that have equivalents."""
        return (await self.settings(namespace)).aliases

    async def replace_aliases(self, namespace: str, aliases: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        """Make these the aliases, in place of those there were."""
        await self.namespaces.replace_aliases(namespace, aliases)
        self.remembered.pop(namespace, None)
        return await self.aliases(namespace)

    async def settings(self, namespace: str) -> NamespaceSettings:
        """All that is set, as it was a moment ago at most."""
        expires, settings = self.remembered.get(namespace, (0.0, None))
        if settings is None or expires < time.monotonic():
            settings = await self.namespaces.settings(namespace)
            self.remember(namespace, settings)
        return settings

    async def check(self, namespace: str, changes: Mapping[str, Any]) -> None:
        """Raise when these changes make no sense together with what is set already."""
        current = await self.changes(namespace) | dict(changes)
        wanted = {key: value for key, value in current.items() if value is not None}
        chosen = profile_named(wanted.pop("profile", "default"))
        tuned(chosen, wanted, prefix="")

    async def change(self, namespace: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Set some; None takes one back to the profile's."""
        changed = await self.namespaces.change(namespace, changes)
        self.remembered.pop(namespace, None)
        return changed

    def remember(self, namespace: str, settings: NamespaceSettings) -> None:
        """Keep them for a moment."""
        if len(self.remembered) >= REMEMBERED_NAMESPACES:
            self.remembered.clear()
        self.remembered[namespace] = (time.monotonic() + REMEMBERED_SECONDS, settings)
