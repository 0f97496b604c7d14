"""What is recalled together grows together: synapses between episodes and entities, which fade when they are not used.

A recalled fact stands for its two ends. Answers teach a little, feedback more.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from graphmem.consolidate.hebb import LEAST, Pair, Synapse, Together, all_pairs, learned, pairs
from graphmem.consolidate.step import Night
from graphmem.night import Batch, Edit, Proposal
from graphmem.recall.ranking.strength import SYNAPSE_HALF_LIFE
from graphmem.stores.postgres import Row
from graphmem.stores.synapses import Place, SynapseStore

TOGETHER = 200
WEAK_TOGETHER = 500
MOST_EVIDENCE = 20


@dataclass(frozen=True)
class Strengthen:
    """The step."""

    synapses: SynapseStore
    name: Literal["strengthen"] = "strengthen"

    async def waiting(self, night: Night, place: Mapping[str, Any]) -> int:
        """How many answers were given since."""
        return await self.synapses.together_count(night.namespace, place_of(place))

    async def propose(self, night: Night, place: Mapping[str, Any]) -> AsyncIterator[Batch]:
        """What the answers since then tie together, then what has become too weak."""
        while rows := await self.synapses.together(night.namespace, place_of(place), now=night.now, limit=TOGETHER):
            seen = await self.seen(night, rows)
            place = {"at": rows[-1]["at"].isoformat(), "id": rows[-1]["id"]}
            yield Batch(await self.grown(night, seen), place, looked=len(rows))
        after = ("", "")
        bounds = (SYNAPSE_HALF_LIFE, LEAST, WEAK_TOGETHER)
        while lost := await self.synapses.lost(night.namespace, after, bounds, now=night.now):
            after = (lost[-1]["one"], lost[-1]["other"])
            yield Batch(list(by_node(lost)), dict(place))

    async def seen(self, night: Night, rows: Sequence[Row]) -> list[Together]:
        """The nodes that were recalled together in each answer."""
        memories = {one for row in rows for one in (*row["memories"], *row["useless"])}
        nodes = await self.synapses.nodes(night.namespace, memories)
        return [
            Together(
                id=row["id"],
                nodes=tuple(nodes[one] for one in row["memories"] if one in nodes),
                at=row["at"],
                useful=row["useful"],
                useless=tuple(node for one in row["useless"] for node in nodes.get(one, ())),
            )
            for row in rows
        ]

    async def grown(self, night: Night, seen: Sequence[Together]) -> list[Proposal]:
        """The change of each node whose ties are other than before."""
        known = await self.synapses.known(night.namespace, all_pairs(seen))
        before = {(row["one"], row["other"]): Synapse(row["weight"], row["at"]) for row in known}
        after = learned(before, seen)
        changed = {pair: tie for pair, tie in after.items() if before.get(pair) != tie}
        taught: dict[str, list[str]] = {}
        for one in seen:
            for node in {pair[0] for pair in pairs(one)} | {pair[0] for pair in changed if set(pair) & {*one.useless}}:
                taught.setdefault(node, []).append(one.id)
        ties: dict[str, dict[Pair, Synapse]] = {}
        for pair, tie in sorted(changed.items()):
            ties.setdefault(pair[0], {})[pair] = tie
        return [strengthened(node, its, taught.get(node, [])) for node, its in ties.items()]


def place_of(place: Mapping[str, Any]) -> Place:
    """The last answer that was learned from."""
    return (datetime.fromisoformat(place["at"]), place["id"]) if "at" in place else (None, None)


def strengthened(node: str, ties: Mapping[Pair, Synapse], answers: Sequence[str]) -> Proposal:
    """The ties of one node as they are now."""
    return Proposal(
        kind="synapses",
        subjects=(node,),
        evidence=tuple(answers[-MOST_EVIDENCE:]),
        reason=f"Recalled in {len(answers)} answers together with {len(ties)} others.",
        edits=tuple(
            Edit(
                table="synapse",
                key={"one": one, "other": other},
                after={"one": one, "other": other, "weight": tie.weight, "at": tie.at.isoformat()},
            )
            for (one, other), tie in ties.items()
        ),
    )


def by_node(lost: Iterable[Row]) -> Iterable[Proposal]:
    """Of each node the ties that go."""
    ties: dict[str, list[Row]] = {}
    for row in lost:
        ties.setdefault(row["one"], []).append(row)
    for node, rows in ties.items():
        yield Proposal(
            kind="unused synapses",
            subjects=(node,),
            evidence=tuple(f"{row['other']} at {row['at'].isoformat()}" for row in rows),
            reason=f"{len(rows)} of its ties were not used for long, or lead to what is gone.",
            edits=tuple(
                Edit(table="synapse", key={"one": row["one"], "other": row["other"]}, after=None) for row in rows
            ),
        )
