"""Small lives with known right answers, told to a namespace, and the whole state of it to compare."""

from datetime import UTC, datetime, timedelta
from typing import Any

from graphmem.memory import NewEpisode, StatedFact
from graphmem.night import Change, Consolidation
from graphmem.service import Service
from tests.graphs import graph_of, written

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ROWS = {
    "mention": "select * from mention where namespace = %(namespace)s",
    "statement": "select * from statement where namespace = %(namespace)s",
    "entity": "select * from entity where namespace = %(namespace)s",
    "entity_link": "select * from entity_link where namespace = %(namespace)s",
    "meaning": "select * from meaning where namespace = %(namespace)s",
    "fact": "select * from fact where namespace = %(namespace)s",
    "tier": "select * from tier where namespace = %(namespace)s",
    "archived": "select * from archived where namespace = %(namespace)s",
    "near_duplicate": "select * from near_duplicate where namespace = %(namespace)s",
    "synapse": "select * from synapse where namespace = %(namespace)s",
    "community": "select * from community where namespace = %(namespace)s",
    "community_member": "select * from community_member where namespace = %(namespace)s",
    "summary": "select * from summary where namespace = %(namespace)s",
    "episode": "select * from episode where namespace = %(namespace)s",
    "embedding": "select doc, vector from embedding where namespace = %(namespace)s",
    "unprojected": "select kind, id from unprojected where namespace = %(namespace)s",
}


def fact(source: str, relation: str, target: str, **more: Any) -> StatedFact:
    """A stated fact, its words made of the three."""
    return StatedFact(source=source, relation=relation, target=target, fact=f"{source} {relation} {target}", **more)


async def tell(service: Service, namespace: str, *said: tuple[str, tuple[StatedFact, ...]], start: int = 0) -> None:
    """An episode for each (session, facts), an hour apart, and all that follows from them."""
    for number, (session, facts) in enumerate(said, start):
        content = f"{number}: {'. '.join(one.fact for one in facts) or 'nothing'}"
        new = NewEpisode(id=f"e{number}", content=content, session=session, facts=facts)
        await service.ingester.add(namespace, new, now=NOW + timedelta(hours=number))
    await service.drainer.drain(namespace)


async def night(
    service: Service, namespace: str, *, dry_run: bool = False, days: int = 1, **more: Any
) -> Consolidation:
    """A run some days later, done."""
    now = NOW + timedelta(days=days)
    run = await service.consolidator.ask(namespace, now=now, dry_run=dry_run, **more)
    return await service.consolidator.finish_here(run)


async def changes(service: Service, namespace: str, **only: str) -> list[Change]:
    """The journal, oldest first."""
    return await service.consolidator.changes.page(namespace, limit=1000, after=0, **only)


async def state(service: Service, namespace: str) -> dict[str, list[str]]:
    """All rows that say or decide something, and the whole graph."""
    found = {name: await service.postgres.rows(query, namespace=namespace) for name, query in ROWS.items()}
    graph = await graph_of(service, namespace) if service.graph is not None else []
    return {name: sorted(map(written, rows)) for name, rows in found.items()} | {"graph": graph}


def plan(found: list[Change]) -> list[Any]:
    """What changes decide, however they came about."""
    return [(one.step, one.kind, one.subjects, one.evidence, one.reason, one.sure, written_edits(one)) for one in found]


def written_edits(change: Change) -> list[tuple[str, Any, Any]]:
    """The rows of a change before and after it."""
    return [(edit.row, edit.before, edit.after) for edit in change.edits]
