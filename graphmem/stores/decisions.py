"""Rows of decision tables as the journal of the night sees them: read, written and removed as images.

An image is a row as JSON, without the namespace and without what follows from other rows. To add a table, add its four
queries and its line in `TABLES`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString, NamedTuple

import msgspec

from graphmem.night import Image
from graphmem.queries import sql
from graphmem.stores.postgres import Connection

QUERIES = sql(__file__)


class Table(NamedTuple):
    """The queries of one table: the rows of some keys, rows as they would be read, rows kept, rows dropped."""

    now: LiteralString
    image: LiteralString
    keep: LiteralString
    drop: LiteralString


TABLES = {
    "entity_link": Table(
        QUERIES.entity_link_now, QUERIES.entity_link_image, QUERIES.keep_entity_link, QUERIES.drop_entity_link
    ),
    "statement": Table(QUERIES.statement_now, QUERIES.statement_image, QUERIES.keep_statement, QUERIES.drop_statement),
    "entity": Table(QUERIES.entity_now, QUERIES.entity_image, QUERIES.keep_entity, QUERIES.drop_entity),
    "tier": Table(QUERIES.tier_now, QUERIES.tier_image, QUERIES.keep_tier, QUERIES.drop_tier),
    "archived": Table(QUERIES.archived_now, QUERIES.archived_image, QUERIES.keep_archived, QUERIES.drop_archived),
    "near_duplicate": Table(
        QUERIES.near_duplicate_now,
        QUERIES.near_duplicate_image,
        QUERIES.keep_near_duplicate,
        QUERIES.drop_near_duplicate,
    ),
    "synapse": Table(QUERIES.synapse_now, QUERIES.synapse_image, QUERIES.keep_synapse, QUERIES.drop_synapse),
    "community_member": Table(
        QUERIES.community_member_now,
        QUERIES.community_member_image,
        QUERIES.keep_community_member,
        QUERIES.drop_community_member,
    ),
    "summary": Table(QUERIES.summary_now, QUERIES.summary_image, QUERIES.keep_summary, QUERIES.drop_summary),
    "community": Table(QUERIES.community_now, QUERIES.community_image, QUERIES.keep_community, QUERIES.drop_community),
}


@dataclass(frozen=True)
class DecisionStore:
    """Reads and writes images, in the caller's transaction."""

    async def now(self, connection: Connection, namespace: str, table: str, keys: Sequence[Image]) -> list[Image]:
        """Those of the rows that there are, in no order."""
        given = {"namespace": namespace, "rows": as_json(keys)}
        rows = await (await connection.execute(TABLES[table].now, given)).fetchall()
        return [row["image"] for row in rows]

    async def images(self, connection: Connection, table: str, rows: Sequence[Image]) -> list[Image]:
        """Rows as they would be read once they are written, in the order given."""
        found = await (await connection.execute(TABLES[table].image, {"rows": as_json(rows)})).fetchall()
        return [row["image"] for row in found]

    async def keep(self, connection: Connection, namespace: str, table: str, rows: Sequence[Image]) -> None:
        """Write these rows in place of those of the same key."""
        await connection.execute(TABLES[table].keep, {"namespace": namespace, "rows": as_json(rows)})

    async def drop(self, connection: Connection, namespace: str, table: str, keys: Sequence[Image]) -> None:
        """Remove the rows of these keys."""
        await connection.execute(TABLES[table].drop, {"namespace": namespace, "rows": as_json(keys)})


def as_json(rows: Sequence[Image]) -> str:
    """Rows as the queries read them: one JSON array."""
    return msgspec.json.encode(list(rows)).decode()
