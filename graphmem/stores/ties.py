"""What the night tied together, as the graph shows it: synapses and communities."""

from collections.abc import Collection
from dataclasses import dataclass

from graphmem.queries import sql
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)
ENTITY, EPISODE = "entity/", "episode/"


def entity_node(entity: str) -> str:
    """An entity as one end of a synapse."""
    return ENTITY + entity


def episode_node(episode: str) -> str:
    """An episode as one end of a synapse."""
    return EPISODE + episode


@dataclass(frozen=True)
class TieStore:
    """Reads what the night decided, of one namespace at a time."""

    postgres: Postgres

    async def synapses(self, namespace: str, marked: Collection[str], nodes: Collection[str]) -> list[Row]:
        """The synapses of these marks (both ends, with a blank between), and all of some nodes."""
        if not marked and not nodes:
            return []
        ones, others = [one.partition(" ")[0] for one in marked], [one.partition(" ")[2] for one in marked]
        return await self.postgres.rows(
            QUERIES.synapses, namespace=namespace, ones=ones, others=others, nodes=list(nodes)
        )

    async def communities(self, namespace: str, ids: Collection[str]) -> list[Row]:
        """Communities by id, with their members."""
        return await self.postgres.rows(QUERIES.communities, namespace=namespace, ids=list(ids)) if ids else []

    async def members(self, namespace: str, entities: Collection[str]) -> list[Row]:
        """To which community each of the entities belongs, if any."""
        return await self.postgres.rows(QUERIES.members, namespace=namespace, ids=list(entities)) if entities else []
