"""What faded, and what stands behind another that says the same: in no leg, but within reach, and back when used."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import msgspec
import psycopg
import pytest

from graphmem.memory import Filters, NewEpisode, Query, StatedFact
from graphmem.recall.profiles import Numbers, Profile
from graphmem.service import Service, open_service
from graphmem.settings import Extractor, Neo4j, Settings
from graphmem.stores.accesses import Feedback, Given
from graphmem.stores.filters import Scope

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
SILENT = {"keyword_weight": 0.0, "vector_weight": 0.0, "graph_weight": 0.0, "propagate_weight": 0.0}
LEGS = {
    "keyword": {"keyword_weight": 1.0},
    "vector": {"vector_weight": 1.0},
    "window": {"keyword_weight": 1.0, "vector_weight": 1.0, "vector_window": 10},
    "graph": {"graph_weight": 1.0},
    "propagation": {"vector_weight": 0.01, "propagate_weight": 1.0},
}
A_SEARCH = "01890000-0000-7000-8000-00000000000"


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    bare = msgspec.structs.replace(settings, neo4j=neo4j_settings, extractor=Extractor(kind="none"))
    async with open_service(bare) as opened:
        await opened.claim_vectors()
        yield opened


async def remember(service: Service, namespace: str) -> None:
    """Four episodes of one wording and one name; `third` is in a session of its own."""
    for number, name in enumerate(("first", "second", "third", "fourth")):
        fact = StatedFact(source="Zanzi", relation="likes", target=name, fact=f"Zanzi likes the {name} boat")
        new = NewEpisode(
            id=name,
            content=f"Zanzi: the {name} red boat",
            session="apart" if name == "third" else "together",
            occurred_at=NOW + number * DAY,
            facts=(fact,),
        )
        await service.ingester.add(namespace, new, now=NOW + number * DAY)


def archive(dsn: str, namespace: str, *names: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "insert into archived select namespace, doc, now() from episode where namespace = %s and id = any(%s)",
            (namespace, list(names)),
        )


def put_behind(dsn: str, namespace: str, name: str, front: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            """
            insert into near_duplicate
            select behind.namespace, behind.doc, front.doc, 0.9 from episode as behind, episode as front
            where behind.namespace = %(namespace)s and behind.id = %(name)s
                and front.namespace = %(namespace)s and front.id = %(front)s
            """,
            {"namespace": namespace, "name": name, "front": front},
        )


async def episodes(service: Service, namespace: str, leg: str = "keyword", **filters: object) -> list[str]:
    profile = Profile(name=leg, about="", numbers=Numbers(**(SILENT | {"deadline_ms": 30_000} | LEGS[leg])))
    query = Query(
        namespace=namespace,
        text="What of Zanzi and the red boat?",
        kinds=("episode",),
        filters=msgspec.convert(filters, Filters),
    )
    answer = await service.recaller.recall(query, profile, now=NOW + 9 * DAY)
    assert answer.missing == []
    return sorted(result.id for result in answer.results)


@pytest.mark.parametrize("leg", LEGS)
async def test_what_faded_or_stands_behind_is_in_no_leg_but_within_reach(
    service: Service, dsn: str, namespace: str, leg: str
) -> None:
    await remember(service, namespace)
    await service.drainer.drain(namespace)
    everything = await episodes(service, namespace, leg)

    archive(dsn, namespace, "first")
    put_behind(dsn, namespace, "second", "fourth")

    assert everything == ["first", "fourth", "second", "third"]
    assert await episodes(service, namespace, leg) == ["fourth", "third"]
    assert await episodes(service, namespace, leg, archived=True) == ["first", "fourth", "third"]
    assert await episodes(service, namespace, leg, duplicates=True) == ["fourth", "second", "third"]
    assert await episodes(service, namespace, leg, archived=True, duplicates=True) == everything
    assert await episodes(service, namespace, leg, archived=True, until=NOW + DAY) == ["first"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [({}, ["third"]), ({"sessions": ["together"]}, ["fourth"]), ({"since": NOW + 3 * DAY}, ["fourth"])],
)
async def test_one_that_stands_behind_is_shown_where_its_front_may_not_be(
    service: Service, dsn: str, namespace: str, filters: dict[str, object], expected: list[str]
) -> None:
    await remember(service, namespace)
    archive(dsn, namespace, "first", "second")

    put_behind(dsn, namespace, "fourth", "third")

    assert await episodes(service, namespace, **filters) == expected


async def test_one_that_stands_behind_is_shown_when_its_front_faded(service: Service, dsn: str, namespace: str) -> None:
    await remember(service, namespace)
    put_behind(dsn, namespace, "fourth", "third")

    archive(dsn, namespace, "third")

    assert await episodes(service, namespace) == ["first", "fourth", "second"]


async def test_an_episode_says_how_it_stands(service: Service, dsn: str, namespace: str) -> None:
    await remember(service, namespace)
    archive(dsn, namespace, "first")
    put_behind(dsn, namespace, "first", "fourth")
    put_behind(dsn, namespace, "third", "fourth")

    first, fourth = [await service.archive.standing(namespace, name) for name in ("first", "fourth")]

    assert first.archived_at is not None
    assert (first.duplicate_of, first.duplicates) == ("fourth", ())
    assert (fourth.archived_at, fourth.duplicate_of, fourth.duplicates) == (None, None, ("first", "third"))


async def test_what_faded_is_back_when_it_is_given_in_an_answer(service: Service, dsn: str, namespace: str) -> None:
    await remember(service, namespace)
    archive(dsn, namespace, "first", "second")

    await service.accesses.store.count([Given(namespace, f"{A_SEARCH}1", ("first", "fourth"), NOW)])

    assert await episodes(service, namespace) == ["first", "fourth", "third"]


async def test_what_faded_is_back_when_it_was_of_use_or_is_written_anew(
    service: Service, dsn: str, namespace: str
) -> None:
    await remember(service, namespace)
    archive(dsn, namespace, "first", "second", "third")

    said = Feedback(
        namespace=namespace, id=f"{A_SEARCH}2", answer=None, useful=("first",), useless=("second",), given_at=NOW
    )
    await service.accesses.store.keep(said)
    await service.ingester.replace(namespace, "third", NewEpisode(content="another red boat"), now=NOW)

    assert await episodes(service, namespace) == ["first", "fourth", "third"]


async def test_what_stood_behind_an_episode_that_is_forgotten_is_shown(
    service: Service, dsn: str, namespace: str
) -> None:
    await remember(service, namespace)
    put_behind(dsn, namespace, "first", "fourth")

    await service.ingester.forget(namespace, ["fourth"])

    assert await episodes(service, namespace) == ["first", "second", "third"]


async def test_a_briefing_leaves_out_what_faded_or_stands_behind(service: Service, dsn: str, namespace: str) -> None:
    await remember(service, namespace)
    archive(dsn, namespace, "first")
    put_behind(dsn, namespace, "second", "fourth")

    shown = await service.briefer.brief(Scope(namespace), kinds=("episode",), limit=9, now=NOW)

    assert [one.id for one in shown] == ["fourth", "third"]


async def test_another_namespace_hides_nothing(service: Service, dsn: str, namespace: str) -> None:
    other = f"{namespace}_other"
    await remember(service, namespace)
    await remember(service, other)

    archive(dsn, other, "first")
    put_behind(dsn, other, "second", "fourth")

    assert await episodes(service, namespace) == ["first", "fourth", "second", "third"]
