"""What was said later ends what it overtook; where nothing tells which came first, a person is asked."""

from datetime import UTC, datetime

import pytest

from graphmem.service import Service
from tests.consolidate.lives import changes, fact, night, plan, state, tell

pytestmark = pytest.mark.anyio
MAY, JUNE = datetime(2025, 5, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC)


async def life(service: Service, namespace: str) -> None:
    """A car sold, a taste changed, a marriage told from the other side, and two homes of the same moment."""
    await tell(
        service,
        namespace,
        ("s1", (fact("Ann", "owns", "a car", valid_at=MAY), fact("Ann", "likes", "opera", valid_at=MAY))),
        ("s2", (fact("Ann", "sold", "a car", valid_at=JUNE), fact("Ann", "dislikes", "opera", valid_at=JUNE))),
        ("s3", (fact("Ben", "married to", "Cleo", valid_at=MAY),)),
        ("s4", (fact("Dora", "married to", "Ben", valid_at=JUNE),)),
        ("s5", (fact("Eve", "lives in", "Rome", valid_at=MAY), fact("Eve", "lives in", "Bern", valid_at=MAY))),
        ("s6", (fact("Eve", "lives in", "Bern", valid_at=MAY),)),
        ("s7", (fact("Ann", "owns", "a boat", valid_at=JUNE), fact("Ann", "knows", "Ben"))),
    )


async def ends(service: Service, namespace: str) -> dict[str, datetime]:
    rows = await service.postgres.rows(
        "select fact, invalid_at from fact where namespace = %(n)s and expired_at is not null", n=namespace
    )
    return {row["fact"]: row["invalid_at"] for row in rows}


async def test_what_was_overtaken_ends_when_the_other_began(service: Service, namespace: str) -> None:
    await life(service, namespace)
    before = await state(service, namespace)
    assert await ends(service, namespace) == {}

    run = await night(service, namespace, steps=["contradictions"])

    over = {"Ann owns a car": JUNE, "Ann likes opera": JUNE, "Ben married to Cleo": JUNE}
    assert await ends(service, namespace) == over
    (asked,) = await changes(service, namespace, state="proposed")
    assert asked.reason.startswith("“Eve lives in Rome” no longer holds")
    again = await night(service, namespace, days=2)
    assert await changes(service, namespace, run=again.id, step="contradictions") == []
    await service.consolidator.undo_run(namespace, again.id, now=run.created_at)
    await service.consolidator.undo_run(namespace, run.id, now=run.created_at)
    assert await state(service, namespace) == before


async def test_a_dry_run_plans_the_same(service: Service, namespace: str) -> None:
    await life(service, namespace)

    planned = await night(service, namespace, dry_run=True)
    expected = plan(await changes(service, namespace, run=planned.id))
    done = await night(service, namespace)

    assert plan(await changes(service, namespace, run=done.id)) == expected


async def test_an_end_goes_with_the_episode_that_it_rests_on(service: Service, namespace: str) -> None:
    await life(service, namespace)
    await night(service, namespace)

    await service.ingester.forget(namespace, ["e1"])
    await service.drainer.drain(namespace)

    assert set(await ends(service, namespace)) == {"Ben married to Cleo"}
