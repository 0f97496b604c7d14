"""The ledger in Postgres: what was said, and the entities and facts that follow from it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec

from graphmem.ledger import Fact, Link, Mention, NamedFact, Statement
from graphmem.queries import sql
from graphmem.stores.postgres import Connection, Postgres, Row

QUERIES = sql(__file__)


class Group(msgspec.Struct, frozen=True):
    """Statements that are settled together; without a target, all targets of the relation."""

    source: str
    relation: str
    target: str | None


class Pair(NamedTuple):
    """What a statement is about."""

    source: str
    relation: str
    target: str


class Changed(NamedTuple):
    """What a change of the ledger touched: entities, pairs, and episodes that name or say something else now."""

    entities: set[str]
    pairs: set[Pair]
    episodes: set[str]

    def and_also(self, other: "Changed") -> "Changed":
        """Both."""
        return Changed(self.entities | other.entities, self.pairs | other.pairs, self.episodes | other.episodes)


class Mark(NamedTuple):
    """Something the graph does not show yet."""

    kind: str
    id: str
    mark: int


@dataclass(frozen=True)
class LedgerStore:
    """Reads and writes the ledger; writes run inside the caller's transaction, under the ledger's lock."""

    postgres: Postgres

    async def lock(self, connection: Connection, namespace: str) -> None:
        """Be the only writer of the namespace's ledger until the transaction ends."""
        await connection.execute(QUERIES.lock, {"namespace": namespace})

    async def house(self, connection: Connection, namespace: str) -> None:
        """Make sure that there is such a namespace."""
        await connection.execute(QUERIES.home, {"namespace": namespace})

    async def present_episodes(
        self, connection: Connection, namespace: str, ids: Collection[str]
    ) -> dict[str, datetime]:
        """Those of the ids that are episodes, with the time each is as it is since."""
        given = {"namespace": namespace, "ids": list(ids)}
        rows = await (await connection.execute(QUERIES.present_episodes, given)).fetchall()
        return {row["id"]: row["created_at"] for row in rows}

    async def facts_now(self, connection: Connection, namespace: str, ids: Collection[str]) -> dict[str, NamedFact]:
        """Those of the ids that are facts, as settled."""
        given = {"namespace": namespace, "ids": list(ids)}
        rows = await (await connection.execute(QUERIES.facts_now, given)).fetchall()
        return {row["id"]: msgspec.convert(row, NamedFact) for row in rows}

    async def meaning(self, namespace: str, entity: str) -> str:
        """The entity that one means which follows from a name; itself, if no other."""
        rows = await self.postgres.rows(QUERIES.meanings, namespace=namespace, ids=[entity])
        return rows[0]["entity"] if rows else entity

    async def meanings(self, connection: Connection, namespace: str, ids: Collection[str]) -> dict[str, str]:
        """Those of the ids that follow from a name and mean another entity, with that."""
        rows = await (await connection.execute(QUERIES.meanings, {"namespace": namespace, "ids": list(ids)})).fetchall()
        return {row["named"]: row["entity"] for row in rows}

    async def take_back(self, connection: Connection, namespace: str, episodes: Sequence[str]) -> Changed:
        """Forget what episodes named and said: the entities and the pairs it was about."""
        given = {"namespace": namespace, "episodes": list(episodes)}
        said = await (await connection.execute(QUERIES.take_back_statements, given)).fetchall()
        unread = await (await connection.execute(QUERIES.take_back_readings, given)).fetchall()
        await self.mark(connection, namespace, {("entity", row["id"]) for row in unread})
        named = await (await connection.execute(QUERIES.take_back_mentions, given)).fetchall()
        pairs = {Pair(row["source"], row["relation"], row["target"]) for row in said}
        return Changed({row["entity"] for row in named}, pairs, set(episodes))

    async def add(
        self, connection: Connection, namespace: str, mentions: Iterable[Mention], statements: Iterable[Statement]
    ) -> set[str]:
        """Write down what was named and said; the ids of the statements that are new."""
        await connection.execute(QUERIES.add_mentions, {"namespace": namespace, "rows": as_json(mentions)})
        given = {"namespace": namespace, "rows": as_json(statements)}
        return {row["id"] for row in await (await connection.execute(QUERIES.add_statements, given)).fetchall()}

    async def said_about(
        self, connection: Connection, namespace: str, groups: Iterable[Group]
    ) -> tuple[list[Statement], dict[str, Fact]]:
        """All statements of some groups, and the facts they have now."""
        given = {"namespace": namespace, "groups": as_json(groups)}
        statements = await (await connection.execute(QUERIES.statements_about, given)).fetchall()
        facts = await (await connection.execute(QUERIES.facts_about, given)).fetchall()
        return [msgspec.convert(row, Statement) for row in statements], {
            row["id"]: msgspec.convert(row, Fact) for row in facts
        }

    async def said_about_names(self, connection: Connection, namespace: str) -> tuple[list[Statement], dict[str, Fact]]:
        """All statements about names that mean one, and the facts that follow from them now."""
        given = {"namespace": namespace}
        statements = await (await connection.execute(QUERIES.alias_statements, given)).fetchall()
        facts = await (await connection.execute(QUERIES.alias_facts, given)).fetchall()
        return [msgspec.convert(row, Statement) for row in statements], {
            row["id"]: msgspec.convert(row, Fact) for row in facts
        }

    async def keep_links(
        self, connection: Connection, namespace: str, links: Iterable[Link], *, reason: Literal["said", "merged"]
    ) -> None:
        """These and no others are said, or decided, to be one."""
        await connection.execute(QUERIES.drop_links, {"namespace": namespace, "reason": reason})
        await connection.execute(QUERIES.add_links, {"namespace": namespace, "rows": as_json(links)})

    async def links(self, connection: Connection, namespace: str) -> list[Link]:
        """All that is said or decided to be one."""
        rows = await (await connection.execute(QUERIES.links, {"namespace": namespace})).fetchall()
        return [msgspec.convert(row, Link) for row in rows]

    async def keep_meanings(self, connection: Connection, namespace: str, meant: Mapping[str, str]) -> Changed:
        """These and no other entities mean others, in all mentions and statements; what that touched."""
        old = await (await connection.execute(QUERIES.meanings, {"namespace": namespace, "ids": None})).fetchall()
        before = {row["named"]: row["entity"] for row in old}
        ids = sorted(one for one in before.keys() | meant.keys() if before.get(one) != meant.get(one))
        if not ids:
            return Changed(set(), set(), set())
        given: dict[str, Any] = {"namespace": namespace, "ids": ids}
        await connection.execute(QUERIES.drop_meanings, given)
        kept = [one for one in ids if one in meant]
        entities = [meant[one] for one in kept]
        await connection.execute(QUERIES.add_meanings, {"namespace": namespace, "ids": kept, "entities": entities})
        given |= {"before": [before.get(one, one) for one in ids], "after": [meant.get(one, one) for one in ids]}
        episodes = {row["episode"] for row in await (await connection.execute(QUERIES.move_mentions, given)).fetchall()}
        return Changed({*given["before"], *given["after"]}, await self.move_pairs(connection, given), episodes)

    async def move_pairs(self, connection: Connection, given: Mapping[str, Any]) -> set[Pair]:
        """Statements of names that mean others now are about these; the pairs they were and are about."""
        sources = await (await connection.execute(QUERIES.move_sources, given)).fetchall()
        targets = await (await connection.execute(QUERIES.move_targets, given)).fetchall()
        return {
            Pair(source, row["relation"], row["target"]) for row in sources for source in (row["before"], row["source"])
        } | {
            Pair(row["source"], row["relation"], target) for row in targets for target in (row["before"], row["target"])
        }

    async def keep_facts(
        self, connection: Connection, namespace: str, facts: Iterable[Fact], more: Mapping[str, dict[str, Any]]
    ) -> None:
        """Write facts as they are settled; `more` may give a fact's vector, or the episode whose vector it takes."""
        rows = [msgspec.to_builtins(fact) | more.get(fact.id, {}) for fact in facts]
        if rows:
            await connection.execute(QUERIES.keep_facts, {"namespace": namespace, "rows": as_json(rows)})

    async def drop_facts(self, connection: Connection, namespace: str, ids: Collection[str]) -> None:
        """Remove facts that no longer follow from anything."""
        if ids:
            await connection.execute(QUERIES.drop_facts, {"namespace": namespace, "ids": list(ids)})

    async def follow_gone(
        self, connection: Connection, namespace: str, gone: Collection[str], belongs: Mapping[str, str]
    ) -> set[Pair]:
        """Let ends in favour of facts that are gone follow what was said of these, or go; the pairs they are about."""
        if not gone:
            return set()
        given = {"namespace": namespace, "gone": list(gone)}
        given |= {"statements": list(belongs), "facts": list(belongs.values())}
        rows = await (await connection.execute(QUERIES.follow_gone, given)).fetchall()
        return {Pair(row["source"], row["relation"], row["target"]) for row in rows}

    async def summarised(self, connection: Connection, namespace: str, ids: Collection[str]) -> set[tuple[str, str]]:
        """(kind, id) of what has a summary that rests on some of these facts."""
        if not ids:
            return set()
        given = {"namespace": namespace, "ids": list(ids)}
        rows = await (await connection.execute(QUERIES.summarised, given)).fetchall()
        return {(row["kind"], row["subject"]) for row in rows}

    async def assign(self, connection: Connection, namespace: str, belongs: Mapping[str, str]) -> set[str]:
        """Note which fact each statement belongs to; the episodes for which that changed."""
        given = {"namespace": namespace, "statements": list(belongs), "facts": list(belongs.values())}
        return {row["episode"] for row in await (await connection.execute(QUERIES.assign, given)).fetchall()}

    async def keep_entities(self, connection: Connection, namespace: str, ids: Collection[str]) -> set[str]:
        """Bring entities in step with their mentions; those that changed or went."""
        given = {"namespace": namespace, "ids": list(ids)}
        changed = await (await connection.execute(QUERIES.keep_entities, given)).fetchall()
        gone = await (await connection.execute(QUERIES.drop_entities, given)).fetchall()
        return {row["id"] for row in (*changed, *gone)}

    async def describe_entities(
        self, connection: Connection, namespace: str, rows: Iterable[Mapping[str, str | None]]
    ) -> None:
        """Write the summary, and the vector of the name, of entities by id and name; what that changes is marked."""
        given = {"namespace": namespace, "rows": as_json(rows)}
        changed = await (await connection.execute(QUERIES.describe_entities, given)).fetchall()
        await self.mark(connection, namespace, {("entity", row["id"]) for row in changed})

    async def present_entities(self, connection: Connection, namespace: str, ids: Collection[str]) -> set[str]:
        """Those of the ids that are entities."""
        given = {"namespace": namespace, "ids": list(ids)}
        return {row["id"] for row in await (await connection.execute(QUERIES.present_entities, given)).fetchall()}

    async def names_of(
        self, connection: Connection, namespace: str, ids: Collection[str]
    ) -> dict[str, tuple[str, str | None]]:
        """Name and type of each entity that follows from a name, as first given."""
        given = {"namespace": namespace, "ids": list(ids)}
        rows = await (await connection.execute(QUERIES.names_of, given)).fetchall()
        return {row["named"]: (row["name"], row["type"]) for row in rows}

    async def mark(self, connection: Connection, namespace: str, things: Collection[tuple[str, str]]) -> None:
        """Note (kind, id) of what the graph does not show yet."""
        ordered = sorted(things)
        given = {"kinds": [kind for kind, _ in ordered], "ids": [one for _, one in ordered]}
        await connection.execute(QUERIES.mark, {"namespace": namespace, **given})

    async def mark_everything(self, namespace: str) -> int:
        """Note that the whole graph of a namespace is to be shown again; how many things that are."""
        row = await self.postgres.row(QUERIES.mark_everything, namespace=namespace)
        return row["things"] if row else 0

    async def marked(self, namespace: str, *, limit: int) -> list[Mark]:
        """Some of what the graph does not show yet, oldest first."""
        rows = await self.postgres.rows(QUERIES.marked, namespace=namespace, limit=limit)
        return [Mark(row["kind"], row["id"], row["mark"]) for row in rows]

    async def unmark(self, namespace: str, marks: Sequence[Mark]) -> None:
        """The graph shows these now."""
        kinds, ids, numbers = zip(*marks, strict=True)
        await self.postgres.rows(
            QUERIES.unmark, namespace=namespace, kinds=list(kinds), ids=list(ids), marks=list(numbers)
        )

    async def entities(self, namespace: str, ids: Collection[str]) -> list[Row]:
        """Those of the entities that the graph does not show yet as they are: saving a hub each time is dear."""
        return await self.postgres.rows(QUERIES.entities, namespace=namespace, ids=list(ids)) if ids else []

    async def all_entities(self, namespace: str, ids: Collection[str]) -> list[Row]:
        """Those of the entities that there are, as the graph is to show them."""
        return await self.postgres.rows(QUERIES.all_entities, namespace=namespace, ids=list(ids)) if ids else []

    async def facts(self, namespace: str, ids: Collection[str]) -> list[Row]:
        """Facts as the graph shows them, with their episodes."""
        return await self.postgres.rows(QUERIES.facts, namespace=namespace, ids=list(ids)) if ids else []

    async def episode_links(self, namespace: str, ids: Collection[str]) -> dict[str, Row]:
        """What each of the episodes names and supports."""
        rows = await self.postgres.rows(QUERIES.episode_links, namespace=namespace, ids=list(ids)) if ids else []
        return {row["id"]: row for row in rows}

    async def session_order(self, namespace: str, ids: Collection[str]) -> list[Row]:
        """What was said next in its session: for each of the episodes that has one, and for the one before it."""
        return await self.postgres.rows(QUERIES.session_order, namespace=namespace, ids=list(ids)) if ids else []


def as_json(rows: Iterable[Any]) -> str:
    """Rows as the queries read them: one JSON array."""
    return msgspec.json.encode(list(rows)).decode()
