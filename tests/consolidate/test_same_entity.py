"""Entities that are one are merged, those that may be wait, those that are not stay two."""

import re
from typing import Any

import pytest

from graphmem.errors import ConflictError
from graphmem.night import Change
from graphmem.service import Service
from tests.consolidate.lives import changes, fact, night, plan, state, tell

pytestmark = pytest.mark.anyio
PERSON: dict[str, Any] = {"source_type": "person"}


async def names(service: Service, namespace: str) -> set[str]:
    rows = await service.postgres.rows("select name from entity where namespace = %(n)s", n=namespace)
    return {row["name"] for row in rows}


async def life(service: Service, namespace: str) -> None:
    """Two written alike, two that may be one, two that are not, and one whose name is a part of another's."""
    await tell(
        service,
        namespace,
        ("s1", (fact("Ann-Marie", "lives in", "Paris", **PERSON), fact("Ann-Marie", "likes", "tea"))),
        ("s2", (fact("Ann Marie", "works at", "Orange", **PERSON),)),
        ("s2", (fact("Caroline Weber", "owns", "a boat", **PERSON), fact("Caroline Weber", "plays", "the piano"))),
        ("s3", (fact("Caroline", "owns", "a boat", **PERSON), fact("Caroline", "plays", "the piano"))),
        ("s4", (fact("Michael", "likes", "chess", **PERSON),)),
        ("s5", (fact("Micheal", "likes", "chess", **PERSON),)),
        ("s6", (fact("Flat 12", "located in", "Lyon"), fact("Flat 13", "located in", "Lyon"))),
        ("s7", (fact("Maria", "likes", "rain", **PERSON), fact("Marie", "likes", "rain", **PERSON))),
        ("s8", (fact("Robert", "brother of", "Roberta", **PERSON), fact("Roberta", "likes", "snow"))),
    )


def pairs(found: list[Change]) -> list[set[str]]:
    """The two names that each is about."""
    return [set(re.findall("“(.+?)”", one.reason)) for one in found]


async def test_those_surely_the_same_are_merged_and_the_doubtful_wait(service: Service, namespace: str) -> None:
    await life(service, namespace)

    run = await night(service, namespace)

    merged = await changes(service, namespace, state="applied", step="same_entity")
    asked = await changes(service, namespace, state="proposed", step="same_entity")
    assert sorted(map(sorted, pairs(merged))) == [["Ann Marie", "Ann-Marie"], ["Caroline", "Caroline Weber"]]
    assert pairs(asked) == [{"Michael", "Micheal"}]
    assert run.counts["same_entity"] == {"looked": run.counts["same_entity"]["looked"], "applied": 2, "proposed": 1}
    assert {"Maria", "Marie", "Flat 12", "Flat 13", "Robert", "Roberta"} <= await names(service, namespace)


async def test_a_second_run_changes_nothing_and_a_dry_run_plans_the_same(service: Service, namespace: str) -> None:
    await life(service, namespace)

    planned = await night(service, namespace, dry_run=True)
    expected = plan(await changes(service, namespace, run=planned.id))
    first = await night(service, namespace)
    once = await state(service, namespace)
    second = await night(service, namespace, days=2)

    assert plan(await changes(service, namespace, run=first.id)) == expected
    assert await changes(service, namespace, run=second.id) == []
    assert await state(service, namespace) == once
    assert len(expected) > 2


async def test_an_undone_run_leaves_both_stores_as_they_were(service: Service, namespace: str) -> None:
    await life(service, namespace)
    await service.postgres.rows(
        "update entity set summary = 'Sails.' where namespace = %(n)s and name = 'Caroline'", n=namespace
    )
    assert service.rebuilder is not None
    await service.rebuilder.rebuild(namespace)
    before = await state(service, namespace)
    run = await night(service, namespace)
    assert await state(service, namespace) != before

    await service.consolidator.undo_run(namespace, run.id, now=run.created_at)

    after = await state(service, namespace)
    assert {name: set(before[name]) ^ set(after[name]) for name in before if before[name] != after[name]} == {}
    again = await night(service, namespace, days=2)
    undone = {one.decides for one in await changes(service, namespace, run=run.id)}
    assert undone
    assert not undone & {one.decides for one in await changes(service, namespace, run=again.id)}


async def test_accepting_merges_and_rejecting_does_not(service: Service, namespace: str) -> None:
    await life(service, namespace)
    run = await night(service, namespace)
    (asked,) = await changes(service, namespace, state="proposed")
    before = await state(service, namespace)

    await service.consolidator.accept(namespace, asked.id, now=run.created_at)
    one_now = await names(service, namespace)
    await service.consolidator.undo(namespace, asked.id, now=run.created_at)

    assert len({"Michael", "Micheal"} & one_now) == 1
    assert await state(service, namespace) == before
    with pytest.raises(ConflictError, match="undone"):
        await service.consolidator.reject(namespace, asked.id, now=run.created_at)


async def test_what_others_build_on_is_not_undone_alone(service: Service, namespace: str) -> None:
    await life(service, namespace)
    run = await night(service, namespace)
    merged = (await changes(service, namespace, run=run.id, step="same_entity", state="applied"))[0]
    ann = (
        fact("Ann Marie", "lives in", "Paris"),
        fact("Ann-Marie", "owns", "a boat"),
        fact("Caroline", "works at", "Orange"),
    )
    await tell(service, namespace, ("t1", ann), ("t2", ann), start=20)
    later = await night(service, namespace, days=2)
    assert later.counts["confirm"]["applied"] > 0

    with pytest.raises(ConflictError, match="later changes build on this"):
        await service.consolidator.undo(namespace, merged.id, now=run.created_at)
    undone = await service.consolidator.undo(namespace, merged.id, now=run.created_at, cascade=True)

    assert undone[-1].id == merged.id
    assert len(undone) > 1
