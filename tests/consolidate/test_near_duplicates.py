"""Of episodes that say the same the best stands in front; what only looks alike stays apart."""

from datetime import timedelta
from typing import Any

import pytest

from graphmem.memory import NewEpisode
from graphmem.service import Service
from tests.consolidate.lives import NOW, changes, night

pytestmark = pytest.mark.anyio
LONG = "we walked all the way along the river to the old mill and had tea and cake there in the shade of the trees"
SAID: dict[str, dict[str, Any]] = {
    "once": {"content": "The red boat sank at noon."},
    "again": {"content": "the red boat sank at noon"},
    "noted": {"content": "The red boat sank at noon", "title": "The boat"},
    "other_hour": {"content": "The red boat sank at 4pm"},
    "other_speaker": {"content": "The red boat sank at noon", "speaker": "Bob"},
    "denied": {"content": "The red boat never sank at noon"},
    "walk": {"content": LONG},
    "walk_told_longer": {"content": LONG + " by the water"},
    "walk_elsewhere": {"content": LONG + " in Rome"},
    "short": {"content": "Oh yes"},
    "short_too": {"content": "Oh yes"},
}


async def remember(service: Service, namespace: str, said: dict[str, dict[str, Any]], *, hours: int = 0) -> None:
    for number, (name, fields) in enumerate(said.items()):
        await service.ingester.add(
            namespace, NewEpisode(id=name, **fields), now=NOW + timedelta(hours=hours, minutes=number)
        )
    await service.drainer.drain(namespace)


async def behind(service: Service, namespace: str) -> dict[str, str]:
    query = """
        select episode.id, front.id as front
        from near_duplicate join episode using (namespace, doc)
            join episode as front on front.namespace = near_duplicate.namespace and front.doc = near_duplicate.front
        where near_duplicate.namespace = %(n)s
    """
    return {row["id"]: row["front"] for row in await service.postgres.rows(query, n=namespace)}


async def test_what_says_the_same_stands_behind_the_best(service: Service, namespace: str) -> None:
    other = f"{namespace}_other"
    await remember(service, other, {"elsewhere": {"content": "The red boat sank at noon", "importance": "high"}})
    await remember(service, namespace, SAID)

    await night(service, namespace, steps=["near_duplicates"])

    assert await behind(service, namespace) == {"once": "noted", "again": "noted", "walk": "walk_told_longer"}
    assert await behind(service, other) == {}


async def test_a_better_one_comes_to_the_front_and_what_it_left_alone_is_shown(
    service: Service, namespace: str
) -> None:
    await remember(service, namespace, {name: SAID[name] for name in ("once", "again")})
    await night(service, namespace, steps=["near_duplicates"])
    assert await behind(service, namespace) == {"again": "once"}

    await remember(service, namespace, {"noted": SAID["noted"]}, hours=1)
    await night(service, namespace, days=2, steps=["near_duplicates"])
    assert await behind(service, namespace) == {"once": "noted", "again": "noted"}

    await service.ingester.forget(namespace, ["noted"])
    await service.drainer.drain(namespace)
    await night(service, namespace, days=3, steps=["near_duplicates"])
    assert await behind(service, namespace) == {"again": "once"}


async def test_what_was_taken_apart_by_hand_stays_apart(service: Service, namespace: str) -> None:
    await remember(service, namespace, {name: SAID[name] for name in ("once", "again")})
    run = await night(service, namespace, steps=["near_duplicates"])
    await service.consolidator.undo_run(namespace, run.id, now=NOW)

    await service.ingester.add(namespace, NewEpisode(id="more", content="and a kite flew by"), now=NOW)
    await service.drainer.drain(namespace)
    again = await night(service, namespace, days=2, steps=["near_duplicates"])

    assert await behind(service, namespace) == {}
    assert await changes(service, namespace, run=again.id) == []
