"""What there is to say of entities and communities: their most central facts, and the summaries they have."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from graphmem.queries import sql
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)
# An entity that fewer episodes mention needs no summary; of one that more do, so many facts say the most.
LEAST_MENTIONS = 5
MOST_FACTS = 5

SubjectKind = Literal["entity", "community"]


@dataclass
class Material:
    """What a summary may be made of: (id, text) of facts, the most central first."""

    subject: str
    kind: SubjectKind
    name: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


@dataclass(frozen=True)
class SummaryStore:
    """Reads facts for summaries, and summaries, of one namespace at a time."""

    postgres: Postgres

    async def touched(self, namespace: str, facts: Collection[str]) -> dict[str, SubjectKind]:
        """Whose facts these are, or whose summary rests on them."""
        rows = await self.postgres.rows(QUERIES.touched, namespace=namespace, ids=list(facts))
        return {row["subject"]: row["kind"] for row in rows}

    async def material(self, namespace: str, subjects: dict[str, SubjectKind]) -> list[Material]:
        """What there is to say of each; nothing of what is gone, or seldom mentioned."""
        found = {one: Material(one, kind) for one, kind in subjects.items()}
        for row in (
            *await self.of(QUERIES.of_entities, namespace, subjects, "entity", least=LEAST_MENTIONS),
            *await self.of(QUERIES.of_communities, namespace, subjects, "community"),
        ):
            found[row["subject"]].name = row["name"]
            found[row["subject"]].facts.append((row["fact"], row["text"]))
        return list(found.values())

    async def of(
        self, query: str, namespace: str, subjects: dict[str, SubjectKind], kind: SubjectKind, **more: int
    ) -> list[Row]:
        """What a query finds of the subjects of a kind."""
        ids = [one for one, its in subjects.items() if its == kind]
        return await self.postgres.rows(query, namespace=namespace, ids=ids, most=MOST_FACTS, **more) if ids else []

    async def known(self, namespace: str, subjects: Collection[str]) -> dict[str, Row]:
        """The summaries that some of these have."""
        rows = await self.postgres.rows(QUERIES.known, namespace=namespace, ids=list(subjects))
        return {row["subject"]: row for row in rows}

    async def orphans(self, namespace: str, *, limit: int) -> dict[str, SubjectKind]:
        """Summaries of what is gone."""
        rows = await self.postgres.rows(QUERIES.orphans, namespace=namespace, limit=limit)
        return {row["subject"]: row["kind"] for row in rows}
