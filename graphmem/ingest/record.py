"""Writing into the ledger: what episodes say replaces what they said before, and everything is settled again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphmem.ingest.settle import settle
from graphmem.ledger import OUTSIDE, Fact, Mention, Statement
from graphmem.relations import is_single_valued
from graphmem.stores.ledger import Group, LedgerStore
from graphmem.stores.postgres import Connection, Postgres


@dataclass(frozen=True)
class Said:
    """What some episodes name and say; `vectors` has the vectors of stated facts, by fact, as pgvector writes them."""

    mentions: Sequence[Mention] = ()
    statements: Sequence[Statement] = ()
    vectors: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Recorder:
    """Keeps the ledger: one transaction for each call, one at a time for each namespace."""

    postgres: Postgres
    ledger: LedgerStore
    single_valued: tuple[str, ...] = ()

    async def record(self, namespace: str, said: Said, *, instead_of: Sequence[str] = ()) -> set[str]:
        """Write down what was said, in place of what the episodes of `instead_of` said before; the new statements."""

        async def work(connection: Connection) -> set[str]:
            async with connection.transaction():
                await self.ledger.lock(connection, namespace)
                return await self.record_in(connection, namespace, said, instead_of=instead_of)

        return await self.postgres.run(work)

    async def record_in(
        self, connection: Connection, namespace: str, said: Said, *, instead_of: Sequence[str] = ()
    ) -> set[str]:
        """The same, inside the caller's transaction and lock."""
        entities, pairs = await self.ledger.take_back(connection, namespace, instead_of)
        new = await self.ledger.add(connection, namespace, said.mentions, said.statements)
        entities |= {mention.entity for mention in said.mentions}
        pairs |= {(one.source, one.relation, one.target) for one in said.statements}
        changed = await self.settle_pairs(connection, namespace, pairs, said.vectors)
        changed |= {("entity", one) for one in await self.ledger.keep_entities(connection, namespace, entities)}
        changed |= {("episode", one) for one in instead_of}
        changed |= {("episode", mention.episode) for mention in said.mentions if mention.episode != OUTSIDE}
        await self.ledger.mark(connection, namespace, changed)
        return new

    async def settle_pairs(
        self, connection: Connection, namespace: str, pairs: Iterable[tuple[str, str, str]], vectors: Mapping[str, str]
    ) -> set[tuple[str, str]]:
        """Settle every group the pairs belong to: what changed of facts and episodes."""
        groups = {self.group_of(*pair) for pair in pairs}
        statements, before = await self.ledger.said_about(connection, namespace, groups)
        after: dict[str, Fact] = {}
        belongs: dict[str, str] = {}
        for group, members in self.grouped(statements).items():
            facts, places = settle(members, single_valued=group.target is None)
            after |= {fact.id: fact for fact in facts}
            belongs |= places
        changed = {one for one, fact in after.items() if before.get(one) != fact}
        first_said = {belongs[one.id]: one.episode for one in reversed(statements) if not one.ends}
        more: dict[str, dict[str, Any]] = {
            one: {"vector": vectors.get(one), "episode": first_said.get(one)} for one in changed
        }
        await self.ledger.keep_facts(connection, namespace, [after[one] for one in changed], more)
        gone = before.keys() - after.keys()
        await self.ledger.drop_facts(connection, namespace, gone)
        moved = await self.ledger.assign(connection, namespace, belongs)
        supported = {belongs[one.id] for one in statements if one.episode in moved and one.id in belongs}
        return {("fact", one) for one in changed | gone | supported} | {
            ("episode", one) for one in moved if one != OUTSIDE
        }

    def grouped(self, statements: Iterable[Statement]) -> dict[Group, list[Statement]]:
        """Statements by the group they are settled in."""
        groups: dict[Group, list[Statement]] = {}
        for one in statements:
            groups.setdefault(self.group_of(one.source, one.relation, one.target), []).append(one)
        return groups

    def group_of(self, source: str, relation: str, target: str) -> Group:
        """The group of a pair: with its target where many values may hold, without where one does."""
        return Group(source, relation, None if is_single_valued(relation, self.single_valued) else target)
