"""A whole night with something for every step: planned as it is done, done once, and put back exactly."""

from datetime import timedelta

import pytest

from graphmem.memory import NewEpisode
from graphmem.service import Service
from graphmem.stores.accesses import Given
from tests.consolidate.lives import NOW, changes, fact, night, plan, state, tell

pytestmark = pytest.mark.anyio
A_SEARCH = "01890000-0000-7000-8000-00000000000"
TIDYING = {"strengthen", "communities", "summaries", "near_duplicates", "fade"}


async def live(service: Service, namespace: str) -> None:
    facts = [fact("Ann", "likes", "tea"), fact("Ann", "likes", "cake"), fact("tea", "goes with", "cake")]
    await tell(service, namespace, *[(f"s{n}", tuple(facts)) for n in range(5)])
    for name in ("boat", "boat_again"):
        await service.ingester.add(namespace, NewEpisode(id=name, content="The red boat sank at noon"), now=NOW)
    await service.ingester.add(namespace, NewEpisode(id="old", content="of no use", importance="low"), now=NOW)
    await service.drainer.drain(namespace)
    given = [Given(namespace, f"{A_SEARCH}{n}", ("e0", "e1", "boat"), NOW + timedelta(days=280)) for n in range(2)]
    await service.accesses.store.count(given)


async def test_it_does_what_it_plans_once_and_is_put_back_exactly(service: Service, namespace: str) -> None:
    await live(service, namespace)
    before = await state(service, namespace)

    planned = await night(service, namespace, dry_run=True, days=281)
    untouched = await state(service, namespace)
    done = await night(service, namespace, days=281)
    after = await state(service, namespace)
    again = await night(service, namespace, days=281)

    assert untouched == before
    what = await changes(service, namespace, run=done.id)
    assert plan(await changes(service, namespace, run=planned.id)) == plan(what)
    assert {one.step for one in what} >= TIDYING
    assert await changes(service, namespace, run=again.id) == []
    assert await state(service, namespace) == after

    await service.consolidator.undo_run(namespace, done.id, now=NOW)
    assert await state(service, namespace) == before
    vetoed = await night(service, namespace, days=281)
    assert [one for one in await changes(service, namespace, run=vetoed.id) if one.step in TIDYING] == []
