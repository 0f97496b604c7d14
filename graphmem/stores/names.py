"""Names and who mentions them: what spreading needs, in one round trip each."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphmem.ledger import entity_uuid, is_uuid
from graphmem.memory import MemoryId
from graphmem.queries import sql
from graphmem.stores.filters import Scope
from graphmem.stores.postgres import Postgres

QUERIES = sql(__file__)
# A name in more episodes than this says too little about any of them.
MOST_MENTIONS = 50
MOST_EPISODES = 500
# The names with the fewest mentions, which tell the most, come first.
MOST_LINKS = 5_000
MOST_POSTINGS = 20_000
UUID_LENGTH = 36


class Known(NamedTuple):
    """The entity that a name means, and how many episodes mention it."""

    entity: str
    mentions: int


@dataclass(frozen=True)
class NamesNear:
    """The links around some names, and how much of the question the names make up."""

    links: list[tuple[str, str]]
    episode_degree: dict[str, int]
    name_degree: dict[str, int]
    returnable: set[str]
    idf_share: float


@dataclass(frozen=True)
class NameStore:
    """Reads the mentions."""

    postgres: Postgres

    async def known(self, namespace: str, names: Sequence[str]) -> dict[str, Known]:
        """Those of the normalised names that mean an entity."""
        ids = {entity_uuid(namespace, name): name for name in names}
        rows = await self.postgres.rows(QUERIES.known, namespace=namespace, ids=list(ids), most=MOST_MENTIONS)
        return {ids[row["named"]]: Known(row["id"], row["mentions"]) for row in rows}

    async def around(self, names: Mapping[str, str], seeds: Sequence[str], text: str, scope: Scope) -> NamesNear:
        """The episodes two names apart from the names, each with its entity, and the seeds; hubs are passed over."""
        row = await self.postgres.row(
            QUERIES.neighbourhood,
            names=list(names.values()),
            seeds=list(seeds),
            text=text,
            linked_text=" ".join(names),
            most=MOST_MENTIONS,
            most_episodes=MOST_EPISODES,
            most_links=MOST_LINKS,
            most_postings=MOST_POSTINGS,
            **scope.parameters(),
        )
        assert row is not None
        return NamesNear(
            links=sorted((link[UUID_LENGTH:], link[:UUID_LENGTH]) for link in row["links"]),
            episode_degree=dict(zip(row["near_episodes"], row["near_degrees"], strict=True)),
            name_degree=dict(zip(row["names"], row["name_degrees"], strict=True)),
            returnable=set(row["returnable"]),
            idf_share=row["idf_share"],
        )

    async def entity_names(self, namespace: str, ids: Collection[str]) -> dict[str, str]:
        """The names of those of the ids that are entities."""
        uuids = [one for one in ids if is_uuid(one)]
        rows = await self.postgres.rows(QUERIES.entity_names, namespace=namespace, uuids=uuids) if uuids else []
        return {row["id"]: row["name"] for row in rows}

    async def labels(self, namespace: str, ids: Collection[MemoryId]) -> dict[MemoryId, str]:
        """The labels of those of the memories that have one: the title of an episode, a fact's ends and relation."""
        uuids = [one for one in ids if is_uuid(one)]
        rows = await self.postgres.rows(QUERIES.labels, namespace=namespace, ids=list(ids), uuids=uuids) if ids else []
        return {row["id"]: row["label"] for row in rows}
