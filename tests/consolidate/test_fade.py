"""What is not used any more is archived; what is evergreen, important, used or rested on stays."""

from datetime import timedelta
from typing import Any

import pytest

from graphmem.memory import NewEpisode
from graphmem.service import Service
from graphmem.stores.accesses import Given
from tests.consolidate.lives import NOW, changes, fact, night

pytestmark = pytest.mark.anyio
A_SEARCH = "01890000-0000-7000-8000-00000000000"
LIVES: dict[str, dict[str, Any]] = {
    "quiet": {},
    "unimportant": {"importance": "low"},
    "important": {"importance": "high"},
    "evergreen": {"type": "place"},
    "used": {},
    "states a fact": {"facts": (fact("Ann", "likes", "tea"),)},
}


async def remember(service: Service, namespace: str) -> None:
    for name, more in LIVES.items():
        new = NewEpisode(id=name.replace(" ", "_"), content=f"a {name} one", **more)
        await service.ingester.add(namespace, new, now=NOW)
    await service.drainer.drain(namespace)
    given = [Given(namespace, f"{A_SEARCH}{n}", ("used",), NOW + timedelta(days=n)) for n in range(4)]
    await service.accesses.store.count(given)


async def archived(service: Service, namespace: str) -> list[str]:
    query = "select id from archived join episode using (namespace, doc) where namespace = %(n)s order by id"
    return [row["id"] for row in await service.postgres.rows(query, n=namespace)]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (269, []),
        (361, ["quiet", "unimportant"]),
        (451, ["quiet", "states_a_fact", "unimportant"]),
    ],
)
async def test_episodes_fade_one_after_the_other(
    service: Service, namespace: str, days: int, expected: list[str]
) -> None:
    await remember(service, namespace)

    run = await night(service, namespace, days=days, steps=["fade"])

    assert await archived(service, namespace) == expected
    assert run.counts["fade"].get("applied", 0) == len(expected)


async def test_what_was_put_back_or_used_again_stays_until_it_was_quiet_anew(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    run = await night(service, namespace, days=361, steps=["fade"])
    (quiet,) = [one for one in await changes(service, namespace, run=run.id) if one.subjects == ["quiet"]]

    await service.consolidator.undo(namespace, quiet.id, now=NOW)
    used = Given(namespace, f"{A_SEARCH}9", ("unimportant",), NOW + timedelta(days=362))
    await service.accesses.store.count([used])
    await night(service, namespace, days=363, steps=["fade"])

    assert await archived(service, namespace) == []
    await service.accesses.store.count([Given(namespace, f"{A_SEARCH}a", ("quiet",), NOW + timedelta(days=364))])
    await night(service, namespace, days=900, steps=["fade"])
    assert await archived(service, namespace) == ["quiet", "states_a_fact", "unimportant", "used"]


async def test_nothing_is_forgotten_but_what_the_namespace_set_a_time_for(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    await night(service, namespace, days=271, steps=["fade"])
    await night(service, namespace, days=900, steps=["fade"])
    assert len(await service.episodes.find(namespace, list(LIVES))) == 5

    await service.archive.change_retention(namespace, 60)
    planned = await night(service, namespace, days=901, steps=["fade"], dry_run=True)
    done = await night(service, namespace, days=901, steps=["fade"])

    forgotten = [(one.kind, one.subjects) for one in await changes(service, namespace, run=done.id)]
    assert forgotten == [("forget", ["unimportant"])]
    assert [(one.kind, one.subjects) for one in await changes(service, namespace, run=planned.id)] == forgotten
    assert "unimportant" not in await service.episodes.find(namespace, list(LIVES))
    assert "quiet" in await service.episodes.find(namespace, list(LIVES))
