"""Where the graph shows something else than the ledger says, both ways."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphmem.ledger import as_uuid, episode_uuid
from graphmem.memory import Episode
from graphmem.night import Proposal
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.graph import entity_properties, episode_properties, fact_properties
from graphmem.stores.graph_check import GraphCheck
from graphmem.stores.ledger import LedgerStore
from graphmem.stores.postgres import Row
from graphmem.stores.upkeep import UpkeepStore

PAGE = 2000
COMPARED = {
    "entity": ("name", "summary"),
    "fact": ("source", "target", "name", "fact", "end", "confirmed", "episodes"),
    "episode": ("content", "mentions"),
}


class Differences(NamedTuple):
    """Things, by kind and id, that are to be shown again or taken out, and how many were looked at."""

    things: set[tuple[str, str]]
    proposals: list[Proposal]
    looked: int


@dataclass(frozen=True)
class Drift:
    """Compares the two, page by page."""

    upkeep: UpkeepStore
    ledger: LedgerStore
    episodes: EpisodeStore
    check: GraphCheck

    async def differences(self, namespace: str) -> AsyncIterator[Differences]:
        """First what the graph lacks or shows otherwise, then what it shows and the ledger does not have."""
        for kind in ("entity", "fact", "episode"):
            after = ""
            while ids := await self.upkeep.ids(namespace, kind, after=after, limit=PAGE):
                after = ids[-1]
                yield differing(
                    kind, ids, await self.wanted(namespace, kind, ids), await self.shown(namespace, kind, ids)
                )
        after = ""
        while listed := await self.check.listed(namespace, after=after, limit=PAGE):
            after = listed[-1].uuid
            # What has another kind of id is somebody else's.
            ours = [one for one in listed if one.kind == "episode" or as_uuid(one.id) == one.id]
            unknown = await self.upkeep.unknown(namespace, [one.kind for one in ours], [one.id for one in ours])
            yield Differences(unknown, [left_over(*one) for one in sorted(unknown)], len(listed))

    async def wanted(self, namespace: str, kind: str, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What the graph is to show."""
        if kind == "entity":
            return {
                row["id"]: entity_properties(row, frozenset()) for row in await self.ledger.all_entities(namespace, ids)
            }
        if kind == "fact":
            return {row["id"]: fact_properties(namespace, row) for row in await self.ledger.facts(namespace, ids)}
        links = await self.ledger.episode_links(namespace, ids)
        found = await self.episodes.find(namespace, ids)
        return {one: shown_episode(episode, links.get(one)) for one, episode in found.items()}

    async def shown(self, namespace: str, kind: str, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What it shows."""
        uuids = {one: episode_uuid(namespace, one) if kind == "episode" else one for one in ids}
        found = await self.check.shown(namespace, {kind: list(uuids.values())})
        return {one: found[uuid] for one, uuid in uuids.items() if uuid in found}


def shown_episode(episode: Episode, links: Row | None) -> dict[str, Any]:
    """An episode as it is compared."""
    properties = episode_properties(episode, links)
    return properties | {"mentions": len(properties["mentions"])}


def differing(
    kind: str, ids: Sequence[str], wanted: Mapping[str, dict[str, Any]], shown: Mapping[str, dict[str, Any]]
) -> Differences:
    """Those of the things that are not shown as they are to be."""
    names = COMPARED[kind]
    found = [
        one
        for one in ids
        if one in wanted and (one not in shown or any(shown[one].get(name) != wanted[one].get(name) for name in names))
    ]
    return Differences({(kind, one) for one in found}, [unlike(kind, one, one in shown) for one in found], len(ids))


def unlike(kind: str, identity: str, is_there: bool) -> Proposal:
    """That something is shown again."""
    how = "shows the {} otherwise than it is" if is_there else "lacks the {}"
    reason = f"The graph {how.format(kind)}; it is written again."
    return Proposal(kind="show", subjects=(kind, identity), evidence=(identity,), reason=reason)


def left_over(kind: str, identity: str) -> Proposal:
    """That something is taken out."""
    reason = f"The graph shows an {kind}" if kind[0] in "aeiou" else f"The graph shows a {kind}"
    reason += " that there is not; it is taken out."
    return Proposal(kind="remove", subjects=(kind, identity), evidence=(identity,), reason=reason)
