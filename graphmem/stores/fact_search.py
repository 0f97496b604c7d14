"""Finding facts in the graph, and the episodes that they speak for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import numpy as np
from neo4j.vector import Vector

from graphmem.queries import cypher, sql
from graphmem.stores.filters import Scope
from graphmem.stores.graph import GraphStore, milliseconds
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
WORD = re.compile(r"\w+")
MOST_WORDS = 64
# Looked at in each index before the clocks are checked: more where the question is about another time.
DEPTH_NOW, DEPTH_THEN = 2, 20
# Of each named entity, of each entity one hop further, and how many facts of each way the hop is made from.
FAN_OUT, HOP, TOUCHED = 50, 5, 5
# Of an entity with more facts or mentions than this only so many are looked at: it would take the longer, the more.
MOST_WALKED = 1000


class NearFact(NamedTuple):
    """A fact near a question, with what tells it from an earlier value of the same: its subject, relation and start."""

    id: str
    source: str
    relation: str
    start: int | None


@dataclass(frozen=True)
class NearFacts:
    """Facts near a question, best first, by each way of looking; and episodes by the named entities they mention."""

    ways: dict[str, list[NearFact]]
    mentioned: list[tuple[str, list[str]]]


@dataclass(frozen=True)
class Speaking:
    """The episodes for which facts speak, by fact; which other episodes may be returned; and facts that rules found."""

    episodes: dict[str, list[str]]
    returnable: set[str]
    local: set[str] = field(default_factory=set[str])


@dataclass(frozen=True)
class FactSearch:
    """Asks Neo4j which facts are near, and Postgres what they are."""

    graph: GraphStore
    postgres: Postgres

    async def near(
        self, question: tuple[str, np.ndarray | None, Sequence[str]], scope: Scope, *, limit: int, now: datetime
    ) -> NearFacts:
        """Facts true on both clocks near the question's words, vector and named entities; one round trip."""
        text, vector, named = question
        known, valid = scope.filters.known_as_of, scope.filters.valid_as_of
        rows = await self.graph.run(
            cypher("recall/facts_near_question"),
            group_id=scope.namespace,
            lucene=lucene(scope.namespace, text),
            vector=None if vector is None else Vector.from_numpy(vector.astype(np.float32)),
            end_after=0 if known else milliseconds(valid or now) - 1,
            named=list(named),
            known=known or now,
            valid=valid,
            limit=limit,
            depth=limit * (DEPTH_THEN if known or valid else DEPTH_NOW),
            fan_out=FAN_OUT,
            hop=HOP,
            walked=MOST_WALKED,
            touched=TOUCHED,
        )
        row = rows[0]
        ways = {way: [NearFact(*fact) for fact in row[way]] for way in ("words", "meaning", "named", "hop")}
        return NearFacts(ways, [(one, entities) for one, entities in row["mentioned"] if one is not None])

    async def spoken_for(self, ids: Sequence[str], mentioned: Sequence[str], scope: Scope) -> Speaking:
        """The episodes each fact was stated in, and those of `mentioned`, that the question's filters let through.

        Where filters bind more than the clocks, a fact passes by one of its episodes.
        """
        if not ids and not mentioned:
            return Speaking({}, set())
        given = {"ids": list(ids), "mentioned": list(mentioned), "bound": scope.filters.bound} | scope.parameters()
        rows = await self.postgres.rows(QUERIES.spoken_for, **given)
        episodes = {row["id"]: row["episodes"] for row in rows if row["id"] is not None}
        returnable = {one for row in rows if row["id"] is None for one in row["episodes"]}
        return Speaking(episodes, returnable, {row["id"] for row in rows if row["local"]})


def lucene(namespace: str, text: str) -> str:
    """The words of a question as a Lucene query inside one namespace; nothing in it is syntax.

    >>> lucene("ann", 'Goa AND "x" OR group_id:other')
    'group_id:"ann" AND (goa and x or group_id other)'
    """
    words = [word.lower() for word in WORD.findall(text)][:MOST_WORDS]
    return f'group_id:"{namespace}" AND ({" ".join(words) or "0"})'
