"""Finding facts in the graph, and fetching them from the ledger."""

import re
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from neo4j.vector import Vector

from graphmem.memory import Hit
from graphmem.queries import cypher, sql
from graphmem.stores.filters import Scope
from graphmem.stores.graph import GraphStore
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)
WORD = re.compile(r"\w+")
MOST_WORDS = 64
# Looked at in each index before the clocks are checked: more where the question is about another time.
DEPTH_NOW, DEPTH_THEN = 2, 20


@dataclass(frozen=True)
class NearFacts:
    """Facts near a question, best first, by their words and by their meaning."""

    words: list[Hit]
    meaning: list[Hit]


@dataclass(frozen=True)
class FactSearch:
    """Asks Neo4j which facts are near, and Postgres what they are."""

    graph: GraphStore
    postgres: Postgres

    async def near(self, text: str, vector: np.ndarray | None, scope: Scope, *, limit: int, now: datetime) -> NearFacts:
        """Facts true on both clocks that match the words or the meaning; one round trip."""
        known = scope.filters.known_as_of or now
        then = scope.filters.valid_as_of is not None or scope.filters.known_as_of is not None
        asked = np.zeros(1, np.float32) if vector is None else vector
        rows = await self.graph.run(
            cypher("recall/facts_near_question"),
            group_id=scope.namespace,
            lucene=lucene(scope.namespace, text),
            vector=Vector.from_numpy(asked.astype(np.float32)),
            end_after=0 if then else round(now.timestamp() * 1000),
            known=known,
            valid=scope.filters.valid_as_of,
            limit=limit,
            depth=limit * (DEPTH_THEN if then else DEPTH_NOW),
        )
        meaning = [Hit(*pair) for pair in rows[0]["meaning"]] if vector is not None else []
        return NearFacts([Hit(*pair) for pair in rows[0]["words"]], meaning)

    async def spoken_for(self, ids: Sequence[str], scope: Scope) -> dict[str, list[str]]:
        """The episodes each fact was stated in, within the question's filters."""
        if not ids:
            return {}
        rows = await self.postgres.rows(QUERIES.spoken_for, ids=list(ids), **scope.parameters())
        return {row["id"]: row["episodes"] for row in rows}

    async def fetch(self, namespace: str, ids: Collection[str]) -> dict[str, Row]:
        """Those of the ids that are facts, as an answer shows them."""
        wanted = [one for one in ids if is_uuid(one)]
        rows = await self.postgres.rows(QUERIES.fetch, namespace=namespace, ids=wanted) if wanted else []
        return {row["id"]: row for row in rows}


def lucene(namespace: str, text: str) -> str:
    """The words of a question as a Lucene query inside one namespace; nothing in it is syntax.

    >>> lucene("ann", 'Goa AND "x" OR group_id:other')
    'group_id:"ann" AND (goa and x or group_id other)'
    """
    words = [word.lower() for word in WORD.findall(text)][:MOST_WORDS]
    return f'group_id:"{namespace}" AND ({" ".join(words) or "0"})'


def is_uuid(text: str) -> bool:
    """Whether an id may be a fact's."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
