"""Making the graph show what the ledger says: marked things are written as they are now, or removed.

It looks at what is there, not at what happened, so it may be killed anywhere and run again to the same end.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.graph import GraphStore
from graphmem.stores.ledger import LedgerStore, Mark
from graphmem.stores.ties import TieStore, entity_node, episode_node

BATCH = 1000
KINDS = ("entity", "fact", "episode", "synapse", "community")

Watch: TypeAlias = Callable[[int, int], None]


def unwatched(done: int, total: int) -> None:
    """Nobody looks how far it has come."""


@dataclass(frozen=True)
class Projector:
    """Brings the graph of a namespace in step with its ledger; one at a time for each namespace."""

    ledger: LedgerStore
    episodes: EpisodeStore
    graph: GraphStore

    async def project(self, namespace: str, watch: Watch = unwatched, *, total: int = 0) -> int:
        """Show everything that is marked; how many things that were. `watch` is told how many of `total` are done."""
        await self.graph.prepare()
        shown = 0
        while marks := await self.ledger.marked(namespace, limit=BATCH):
            await self.show(namespace, marks)
            await self.ledger.unmark(namespace, marks)
            shown += len(marks)
            watch(shown, max(shown, total))
        return shown

    async def rebuild(self, namespace: str, watch: Watch = unwatched) -> int:
        """Make the whole graph of a namespace again from the ledger; what is emptied is marked first."""
        total = await self.ledger.mark_everything(namespace)
        await self.graph.empty(namespace)
        return await self.project(namespace, watch, total=total)

    async def show(self, namespace: str, marks: list[Mark]) -> None:
        """Entities first, then the facts between them, then the episodes that mention them and their order."""
        wanted = {kind: {mark.id for mark in marks if mark.kind == kind} for kind in KINDS}
        facts = await self.ledger.facts(namespace, wanted["fact"])
        found = await self.episodes.find(namespace, list(wanted["episode"]))
        episodes = {one: episode for one, episode in found.items() if episode.origin != "recalled"}
        links = await self.ledger.episode_links(namespace, wanted["episode"])
        ends = {fact[end] for fact in facts for end in ("source", "target")}
        named = {entity for link in links.values() for entity in link["entities"]}
        entities = await self.ledger.entities(namespace, wanted["entity"] | ends | named)
        if gone := wanted["entity"] - {entity["id"] for entity in entities}:
            await self.graph.remove_entities(namespace, gone)
        if gone := wanted["fact"] - {fact["id"] for fact in facts}:
            await self.graph.remove_facts(namespace, gone)
        if gone := wanted["episode"] - episodes.keys():
            await self.graph.remove_episodes(namespace, list(gone))
        await self.graph.save_entities(namespace, entities)
        await self.graph.save_facts(namespace, facts)
        if episodes:
            await self.graph.save_episodes(list(episodes.values()), links)
            order = await self.ledger.session_order(namespace, episodes)
            await self.graph.save_session_order(namespace, list(episodes), order)
        await self.show_ties(namespace, wanted, {entity["id"] for entity in entities}, episodes.keys())

    async def show_ties(
        self, namespace: str, wanted: Mapping[str, set[str]], entities: Collection[str], episodes: Collection[str]
    ) -> None:
        """What the night tied together, where it is marked or hangs on what was just written, as nodes come anew."""
        ties = TieStore(self.ledger.postgres)
        nodes = [*map(entity_node, entities), *map(episode_node, episodes)]
        synapses = await ties.synapses(namespace, wanted["synapse"], nodes)
        if gone := wanted["synapse"] - {f"{one['one']} {one['other']}" for one in synapses}:
            await self.graph.remove_synapses(namespace, gone)
        communities = await ties.communities(namespace, wanted["community"])
        if gone := wanted["community"] - {one["id"] for one in communities}:
            await self.graph.remove_communities(namespace, gone)
        await self.graph.save_synapses(namespace, synapses)
        await self.graph.save_communities(namespace, communities)
        await self.graph.save_members(namespace, await ties.members(namespace, entities))
