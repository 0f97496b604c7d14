"""Writing into the ledger: what episodes say replaces what they said before, and everything is settled again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from graphmem.ingest.meanings import links_of, meanings
from graphmem.ingest.settle import settle
from graphmem.ledger import OUTSIDE, Fact, Mention, Statement
from graphmem.relations import alias_end, is_single_valued
from graphmem.stores.ledger import Changed, Group, LedgerStore, Pair
from graphmem.stores.postgres import Connection, Postgres


@dataclass(frozen=True)
class Said:
    """What some episodes name and say; `vectors` has the vectors of stated facts, by fact, as pgvector writes them."""

    mentions: Sequence[Mention] = ()
    statements: Sequence[Statement] = ()
    vectors: Mapping[str, str] = field(default_factory=dict[str, str])

    def named(self) -> set[str]:
        """The entities that follow from its names."""
        ends = {end for one in self.statements for end in (one.named_source, one.named_target)}
        return ends | {one.named for one in self.mentions}

    def meaning(self, meant: Mapping[str, str]) -> "Said":
        """The same of the entities that these mean."""

        def of(named: str) -> str:
            return meant.get(named, named)

        return Said(
            [structs.replace(one, entity=of(one.named)) for one in self.mentions],
            [structs.replace(one, source=of(one.named_source), target=of(one.named_target)) for one in self.statements],
            self.vectors,
        )


@dataclass
class Settled:
    """Facts as they follow from statements, and which fact each statement belongs to; `before` is how they were."""

    before: Mapping[str, Fact]
    statements: list[Statement] = field(default_factory=list[Statement])
    facts: dict[str, Fact] = field(default_factory=dict[str, Fact])
    belongs: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, statements: Sequence[Statement], *, single_valued: bool) -> None:
        """Settle one more group."""
        self.statements += statements
        facts, belongs = settle(statements, single_valued=single_valued)
        self.facts |= {fact.id: fact for fact in facts}
        self.belongs |= belongs


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
        before = await self.ledger.take_back(connection, namespace, instead_of)
        said = said.meaning(await self.ledger.meanings(connection, namespace, said.named()))
        new = await self.ledger.add(connection, namespace, said.mentions, said.statements)
        entities = before.entities | {mention.entity for mention in said.mentions}
        pairs = before.pairs | {Pair(one.source, one.relation, one.target) for one in said.statements}
        episodes = {*instead_of, *(mention.episode for mention in said.mentions)}
        touched = Changed(entities, pairs, episodes)
        if any(alias_end(pair.relation) for pair in pairs):
            touched = touched.and_also(await self.repoint(connection, namespace, said.vectors))
        await self.bring_up(connection, namespace, touched, said.vectors)
        return new

    async def repoint(
        self, connection: Connection, namespace: str, vectors: Mapping[str, str] | None = None
    ) -> Changed:
        """Let every name mean what is said and decided now, in all that was ever said; what that touched.

        Facts about names are settled by the names alone: were they settled by what these mean, which follows from them,
        one that is taken back might come back by itself.
        """
        statements, before = await self.ledger.said_about_names(connection, namespace)
        settled = Settled(before)
        for group in by_names(statements):
            settled.add(group, single_valued=False)
        await self.ledger.keep_links(connection, namespace, links_of(settled.facts.values()), reason="said")
        meant = meanings(await self.ledger.links(connection, namespace))
        touched = await self.ledger.keep_meanings(connection, namespace, meant)
        settled.facts = {
            one: structs.replace(
                fact, source=meant.get(fact.source, fact.source), target=meant.get(fact.target, fact.target)
            )
            for one, fact in settled.facts.items()
        }
        pairs = await self.keep(connection, namespace, settled, vectors or {})
        return touched.and_also(Changed(set(), pairs, set()))

    async def bring_up(
        self, connection: Connection, namespace: str, touched: Changed, vectors: Mapping[str, str] | None = None
    ) -> None:
        """Settle what was touched, and mark what changed for the graph."""
        pairs = touched.pairs
        while groups := {self.group_of(pair) for pair in pairs if not alias_end(pair.relation)}:
            statements, before = await self.ledger.said_about(connection, namespace, groups)
            settled = Settled(before)
            for group, members in self.grouped(statements).items():
                settled.add(members, single_valued=group.target is None)
            pairs = await self.keep(connection, namespace, settled, vectors or {})
        changed = {("entity", one) for one in await self.ledger.keep_entities(connection, namespace, touched.entities)}
        changed |= {("episode", one) for one in touched.episodes if one != OUTSIDE}
        await self.ledger.mark(connection, namespace, changed)

    async def keep(
        self, connection: Connection, namespace: str, settled: Settled, vectors: Mapping[str, str]
    ) -> set[Pair]:
        """Write what follows in place of what followed before, and mark what changed of facts and episodes.

        Facts that are gone may have ended others: the pairs that are to be settled again.
        """
        before, after, belongs = settled.before, settled.facts, settled.belongs
        changed = {one for one, fact in after.items() if before.get(one) != fact}
        first_said = {belongs[one.id]: one.episode for one in reversed(settled.statements) if not one.ends}
        more: dict[str, dict[str, Any]] = {
            one: {"vector": vectors.get(one), "episode": first_said.get(one)} for one in changed
        }
        await self.ledger.keep_facts(connection, namespace, [after[one] for one in changed], more)
        gone = before.keys() - after.keys()
        await self.ledger.drop_facts(connection, namespace, gone)
        freed = await self.ledger.follow_gone(connection, namespace, gone, belongs)
        moved = await self.ledger.assign(connection, namespace, belongs)
        supported = {belongs[one.id] for one in settled.statements if one.episode in moved and one.id in belongs}
        marks = {("fact", one) for one in changed | gone | supported}
        marks |= await self.ledger.summarised(connection, namespace, changed | gone)
        await self.ledger.mark(connection, namespace, marks | {("episode", one) for one in moved if one != OUTSIDE})
        return freed

    def grouped(self, statements: Iterable[Statement]) -> dict[Group, list[Statement]]:
        """Statements by the group they are settled in."""
        groups: dict[Group, list[Statement]] = {}
        for one in statements:
            groups.setdefault(self.group_of(Pair(one.source, one.relation, one.target)), []).append(one)
        return groups

    def group_of(self, pair: Pair) -> Group:
        """The group of a pair: with its target where many values may hold, without where one does."""
        alone = is_single_valued(pair.relation, self.single_valued)
        return Group(pair.source, pair.relation, None if alone else pair.target)


def by_names(statements: Iterable[Statement]) -> Iterable[list[Statement]]:
    """Statements of each pair of names, about the entities that follow from the names alone."""
    groups: dict[Pair, list[Statement]] = {}
    for one in statements:
        bare = structs.replace(one, source=one.named_source, target=one.named_target)
        groups.setdefault(Pair(bare.source, bare.relation, bare.target), []).append(bare)
    return groups.values()
