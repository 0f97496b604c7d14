"""What is said again in other sessions is worth more."""

import pytest

from graphmem.service import Service
from tests.consolidate.lives import changes, fact, night, plan, state, tell

pytestmark = pytest.mark.anyio
HOME, TEA = fact("Ann", "lives in", "Paris"), fact("Ann", "likes", "tea")


async def test_a_fact_rises_with_the_sessions_it_is_said_in(service: Service, namespace: str) -> None:
    await tell(
        service, namespace, ("s1", (HOME, TEA)), ("s1", (TEA,)), ("s2", (HOME,)), ("s3", (HOME,)), ("s4", (HOME,))
    )

    run = await night(service, namespace)

    tiers = await service.postgres.rows("select tier, sessions from tier where namespace = %(n)s", n=namespace)
    assert tiers == [{"tier": "identity", "sessions": 4}]
    assert run.counts["confirm"] == {"looked": 2, "applied": 1}


async def test_a_dry_run_plans_what_a_run_does_and_changes_nothing(service: Service, namespace: str) -> None:
    await tell(service, namespace, ("s1", (HOME,)), ("s2", (HOME,)))
    before = await state(service, namespace)

    planned = await night(service, namespace, dry_run=True)

    assert await state(service, namespace) == before
    done = await night(service, namespace)
    assert plan(await changes(service, namespace, run=planned.id)) == plan(
        await changes(service, namespace, run=done.id)
    )
    assert len(await changes(service, namespace, run=done.id)) == 1


async def test_an_undone_change_comes_back_only_with_new_evidence(service: Service, namespace: str) -> None:
    await tell(service, namespace, ("s1", (HOME,)), ("s2", (HOME,)))
    before = await state(service, namespace)
    run = await night(service, namespace)

    assert await service.consolidator.undo_run(namespace, run.id, now=run.created_at) == 1

    assert await state(service, namespace) == before
    again = await night(service, namespace, days=2)
    assert await changes(service, namespace, run=again.id) == []
    await tell(service, namespace, ("s3", (HOME,)), start=2)
    later = await night(service, namespace, days=3)
    assert [one.state for one in await changes(service, namespace, run=later.id)] == ["applied"]


async def test_the_journal_forgets_the_words_of_what_is_forgotten(service: Service, namespace: str) -> None:
    await tell(service, namespace, ("s1", (HOME, TEA)), ("s2", (HOME, TEA)), ("s3", (TEA,)))
    await night(service, namespace)
    assert {one.reason.rpartition(": ")[2] for one in await changes(service, namespace, step="confirm")} == {
        "Ann lives in Paris",
        "Ann likes tea",
    }

    await service.ingester.forget(namespace, ["e0", "e1"])

    kept = await service.postgres.rows(
        "select row_to_json(change)::text as row from change where namespace = %(n)s", n=namespace
    )
    summaries = await service.postgres.rows("select text from summary where namespace = %(n)s", n=namespace)
    assert kept
    assert not [row for row in [*kept, *summaries] if "Paris" in str(row)]
