"""Firing: the arithmetic of 002's propagation, and what it brings in from a real graph."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.memory import Filters, NewEpisode, Query, StatedFact
from graphmem.recall.pipeline import Answer
from graphmem.recall.profiles import Numbers, Profile, Rules
from graphmem.recall.ranking.charge import Edge, Web
from graphmem.recall.ranking.fire import fire
from graphmem.service import Service, open_service
from graphmem.settings import Embedder, Extractor, Neo4j, Settings
from tests.gate import gate_before

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
# Keyword search alone finds; all else is what fires.
FIRING = Profile(
    name="x",
    about="",
    numbers=Numbers(vector_weight=0, propagate_weight=1, deadline_ms=30_000),
    rules=Rules(kernel="fire", retry="none"),
)
DRINKS = ("Ann", "drinks", "mint tea", "mint tea is what she has")


def test_a_chain_is_charged_as_the_constants_say() -> None:
    chain = Web([Edge("a", "b", 0.8), Edge("b", "c", 0.9), Edge("c", "d"), Edge("d", "e")])

    charges, _ = fire({"a": 1.0}, chain, hops=3)

    b = 1.0 * 0.8 * 0.85
    c = b * 0.9 * 0.85
    assert charges == pytest.approx(
        # The third hop reaches d, and what it sends back to b; d itself has no hop left.
        {"a": 1 + b * 0.8 * 0.85, "b": b + c * 0.9 * 0.85, "c": c, "d": c * 0.85}
    )


def test_below_the_threshold_nothing_fires_and_weak_signals_are_dropped() -> None:
    web = Web([Edge("a", "weak", 0.58), Edge("weak", "far"), Edge("a", "lost", 0.0235), Edge("a", "kept", 0.0236)])

    charges, _ = fire({"a": 1.0}, web)

    assert charges == pytest.approx({"a": 1.0, "weak": 0.58 * 0.85, "kept": 0.0236 * 0.85})


def test_a_node_fires_once_and_potentials_add_until_it_does() -> None:
    web = Web([Edge("a", "x", 0.4), Edge("b", "x", 0.4), Edge("x", "y", 0.5)])

    charges, _ = fire({"a": 1.0, "b": 1.0}, web)

    x = 2 * 0.4 * 0.85
    assert charges == pytest.approx(
        {"a": 1 + x * 0.4 * 0.85, "b": 1 + x * 0.4 * 0.85, "x": x, "y": x * 0.5 * 0.85},
    )


def test_a_fact_is_charged_by_what_goes_over_it_in_both_directions() -> None:
    web = Web([Edge("a", "b", 0.8, "KNOWS", fact="f")])

    assert fire({"a": 1.0}, web).charges["f"] == pytest.approx(0.8 * 0.85 + (0.8 * 0.85) * 0.8 * 0.85)
    assert fire({"a": 1.0, "b": 1.0, "f": 1.0}, web).charges["f"] == pytest.approx(1 + 2 * 0.8 * 0.85)


edges = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("vwxyz"), st.floats(0, 1)).map(lambda one: Edge(*one)),
    max_size=20,
)


@given(edges, st.sets(st.sampled_from("abcdevwxyz")), st.integers(0, 3))
def test_firing_is_bounded_deterministic_and_tells_its_ways(web: list[Edge], seeds: set[str], hops: int) -> None:
    begun = dict.fromkeys(sorted(seeds), 1.0)

    charges, ways = fire(begun, Web(web), hops=hops)

    again = fire(dict(reversed(begun.items())), Web(web[::-1]), hops=hops)
    assert again.charges == pytest.approx(charges)
    assert again.ways.keys() == ways.keys() == charges.keys() - begun.keys()
    assert all(way[0].source in seeds and way[-1].target == one and len(way) <= hops for one, way in ways.items())
    # A node fires once, so that each edge is passed twice at most, each time with no more than all there ever was.
    assert sum(charges.values()) <= len(seeds) * (1 + len(web)) ** 3


@given(edges)
def test_without_a_beginning_there_is_no_charge(web: list[Edge]) -> None:
    assert fire({}, Web(web)).charges == {}


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    bare = msgspec.structs.replace(settings, embedder=Embedder(kind="none"), extractor=Extractor(kind="none"))
    async with open_service(msgspec.structs.replace(bare, neo4j=neo4j_settings)) as opened:
        yield opened


async def tell(
    service: Service,
    namespace: str,
    hour: int,
    text: str,
    *facts: tuple[str, str, str, str],
    session: str | None = None,
) -> None:
    moment = NOW + hour * HOUR
    stated = tuple(StatedFact(source=a, relation=r, target=b, fact=said, valid_at=moment) for a, r, b, said in facts)
    new = NewEpisode(id=f"e{hour}", content=text, title=text.title(), session=session, occurred_at=moment, facts=stated)
    await service.ingester.add(namespace, new, now=moment)
    await service.drainer.drain(namespace)


async def recall(service: Service, namespace: str, profile: Profile = FIRING, **more: Any) -> Answer:
    query = msgspec.structs.replace(Query(namespace=namespace, text="harbour"), **more)
    return await service.recaller.recall(query, profile, now=NOW + 9 * HOUR)


@pytest.mark.anyio
async def test_what_words_do_not_find_is_charged_and_tells_its_way(service: Service, namespace: str) -> None:
    await tell(service, namespace, 1, "harbour", ("Ann", "lives in", "Genoa", "she moved there"))
    await tell(service, namespace, 2, "a quiet day", DRINKS)

    answer = await recall(service, namespace)
    found = {result.text: result for result in answer.results}

    assert set(found) == {"harbour", "she moved there", "mint tea is what she has", "a quiet day"}
    assert [(step.source, step.relation, step.target) for step in found["a quiet day"].path] == [
        ("e1", "MENTIONS", "Ann"),
        ("Ann", "MENTIONS", "e2"),
    ]
    assert [(step.source, step.relation, step.target) for step in found["mint tea is what she has"].path] == [
        ("e1", "MENTIONS", "Ann"),
        ("Ann", "DRINKS", "mint tea"),
    ]
    assert found["harbour"].path == ()
    charges = {charge["id"]: charge["charge"] for charge in answer.trace["propagation"]["charges"]}
    assert found["a quiet day"].path[-1].charge == pytest.approx(0.85 * 0.85)
    assert charges[found["a quiet day"].id] >= 0.85 * 0.85
    assert answer.trace["propagation"]["seeds"] == [found["harbour"].id]


@pytest.mark.anyio
async def test_filters_bind_what_is_returned_and_not_what_is_passed_through(service: Service, namespace: str) -> None:
    await tell(service, namespace, 1, "harbour", DRINKS)
    await tell(service, namespace, 2, "not to be shown", DRINKS, session="s")
    await tell(service, namespace, 3, "what was said next", session="s")

    everything = await recall(service, namespace, kinds=("episode",))
    without = await recall(service, namespace, kinds=("episode",), exclude=("e2",))
    of_session = await recall(service, namespace, filters=Filters(sessions=("none",)))

    assert [result.id for result in everything.results] == ["e1", "e2", "e3"]
    assert [result.id for result in without.results] == ["e1", "e3"]
    assert [step.target for step in without.results[1].path][1:] == ["e2", "e3"]
    assert of_session.results == []


@pytest.mark.anyio
async def test_words_of_the_question_in_a_label_add_to_its_charge(service: Service, namespace: str) -> None:
    await tell(service, namespace, 1, "harbour", ("Ann", "lives in", "Genoa", "she moved there"))
    await tell(service, namespace, 2, "a quiet day", DRINKS)
    boosted = msgspec.structs.replace(FIRING, numbers=msgspec.structs.replace(FIRING.numbers, label_boost=0.5))

    plain, more = await recall(service, namespace), await recall(service, namespace, boosted)

    before, after = (
        {one["id"]: one["charge"] for one in answer.trace["propagation"]["charges"]} for answer in (plain, more)
    )
    # Harbour is the first one's title; no other label has a word of the question.
    assert after == pytest.approx(before | {"e1": before["e1"] + 0.5})
    assert more.trace["propagation"]["overlaps"] == {"e1": 1}


@pytest.mark.anyio
async def test_without_the_graph_nothing_is_charged_and_the_answer_says_so(
    settings: Settings, neo4j_settings: Neo4j, namespace: str
) -> None:
    bare = msgspec.structs.replace(settings, embedder=Embedder(kind="none"), extractor=Extractor(kind="none"))
    async with gate_before(neo4j_settings.uri) as gate:
        behind = msgspec.structs.replace(neo4j_settings, uri=f"bolt://{gate.host}:{gate.port}")
        async with open_service(msgspec.structs.replace(bare, neo4j=behind)) as service:
            await tell(service, namespace, 1, "harbour", DRINKS)
            gate.shut()
            away = await recall(service, namespace)
            await gate.open()
            back = await recall(service, namespace)

    assert ([result.id for result in away.results], [missing.leg for missing in away.missing]) == (["e1"], ["graph"])
    assert away.trace["propagation"]["error"] == away.missing[0].reason
    assert (len(back.results), back.missing) == (2, [])
