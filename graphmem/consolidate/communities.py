"""Entities that belong together, in Graphiti's shape of a community; nothing is read while no fact has changed."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphmem.consolidate.belonging import NAMED_AFTER, Weights, centre, communities, members, weights
from graphmem.consolidate.step import MARK, Night
from graphmem.errors import ModelUnavailableError
from graphmem.ledger import named_uuid
from graphmem.models.embedder import Embedder
from graphmem.night import Batch, Edit, Image, Proposal
from graphmem.stores.changes import ChangeStore
from graphmem.stores.communities import CommunityStore

TOGETHER = 50
MOST_EVIDENCE = 50


@dataclass(frozen=True)
class Communities:
    """The step."""

    changes: ChangeStore
    web: CommunityStore
    embedder: Embedder | None
    name: Literal["communities"] = "communities"

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:
        """How many facts changed."""
        return await self.changes.fresh_count(night.namespace, "fact", after=int(place.get(MARK, 0)))

    async def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """The communities that are other than before."""
        fresh = await self.waiting(night, place)
        if not fresh:
            return
        after = {MARK: await self.changes.last_mark(night.namespace)}
        around = weights(await self.web.edges(night.namespace))
        before = await self.web.belonging(night.namespace)
        found = found_in(night.namespace, communities(around, before), before)
        proposals = await self.changed(night, found, before, around)
        for start in range(0, len(proposals), TOGETHER):
            yield Batch(proposals[start : start + TOGETHER], dict(place))
        yield Batch([], after, looked=fresh)

    async def changed(
        self, night: Night, found: Mapping[str, Sequence[str]], before: Mapping[str, str], around: Weights
    ) -> list[Proposal]:
        """A change for each community that has other members or another name, or is gone."""
        known = await self.web.known(night.namespace)
        leading = {one: centre(nodes, around)[:NAMED_AFTER] for one, nodes in found.items()}
        names = await self.web.names(night.namespace, {node for nodes in leading.values() for node in nodes})
        called = {one: ", ".join(names.get(node, "?") for node in nodes) for one, nodes in leading.items()}
        after = {node: one for one, nodes in found.items() for node in nodes}
        moves: dict[str, list[Edit]] = {one: [] for one in {*found, *known}}
        for node in sorted({*after, *before}):
            if after.get(node) != before.get(node):
                moves.setdefault(after.get(node) or before[node], []).append(moved(node, after.get(node)))
        vectors = await self.vectors([name for one, name in called.items() if is_new(one, name, known)])
        proposals: list[Proposal] = []
        for one in sorted(moves):
            edits = list(moves[one])
            if one not in called and one in known:
                edits.append(Edit(table="community", key={"id": one}, after=None))
            if one in called and is_new(one, called[one], known):
                created = known[one]["created_at"] if one in known else night.now
                row = {"id": one, "name": called[one], "created_at": created.isoformat()}
                edits.append(Edit(table="community", key={"id": one}, after=row | {"vector": vectors.get(called[one])}))
            if edits:
                proposals.append(proposed(one, called.get(one), found.get(one, ()), edits))
        return proposals

    async def vectors(self, names: Sequence[str]) -> dict[str, str]:
        """The vectors of names, as Postgres reads them; none while the model is away."""
        if self.embedder is None or not names:
            return {}
        try:
            embedded = await self.embedder.embed_texts(names)
        except ModelUnavailableError:
            return {}
        return {
            name: str([float(number) for number in vector])
            for name, vector in zip(names, embedded.vectors, strict=True)
        }


def found_in(namespace: str, label: Mapping[str, str], before: Mapping[str, str]) -> dict[str, list[str]]:
    """The members of each community, by its id: one that has the label of an earlier one is that one."""
    known = {*before.values()}
    return {
        its if its in known else named_uuid("community", namespace, its): nodes for its, nodes in members(label).items()
    }


def is_new(one: str, name: str, known: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a community is new, or has another name."""
    return one not in known or known[one]["name"] != name


def moved(node: str, community: str | None) -> Edit:
    """An entity belongs to another community, or to none."""
    row: Image | None = {"entity": node, "community": community} if community else None
    return Edit(table="community_member", key={"entity": node}, after=row)


def proposed(one: str, name: str | None, nodes: Iterable[str], edits: Sequence[Edit]) -> Proposal:
    """The change of one community."""
    members_now = sorted(nodes)
    return Proposal(
        kind="community",
        subjects=(one,),
        evidence=tuple(members_now[:MOST_EVIDENCE]),
        reason=f"{len(members_now)} entities belong together around {name}."
        if name
        else "What belonged together no longer does.",
        edits=tuple(edits),
    )
