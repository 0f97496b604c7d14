"""What is recalled together is tied; ties grow, fade, go, and charge passes over them."""

from datetime import UTC, datetime, timedelta

import pytest

from graphmem.memory import NewEpisode
from graphmem.service import Service
from graphmem.stores.accesses import Feedback, Given
from graphmem.stores.filters import Scope
from graphmem.stores.neighbourhood import NeighbourhoodStore, Seeds
from tests.consolidate.lives import NOW, fact, night, tell

pytestmark = pytest.mark.anyio
A_SEARCH = "01890000-0000-7000-8000-00000000000"
HOUR = timedelta(hours=1)


async def remember(service: Service, namespace: str) -> None:
    """Three episodes; the third states a fact between Ann and tea."""
    await tell(service, namespace, ("s1", ()), ("s2", ()), ("s3", (fact("Ann", "likes", "tea"),)))


async def given(service: Service, namespace: str, *memories: str, number: int = 1, hours: int = 4) -> None:
    answer = Given(namespace, f"{A_SEARCH}{number}", memories, NOW + hours * HOUR)
    await service.accesses.store.count([answer])


async def ties(service: Service, namespace: str) -> dict[tuple[str, str], float]:
    rows = await service.postgres.rows("select one, other, weight from synapse where namespace = %(n)s", n=namespace)
    return {(row["one"], row["other"]): row["weight"] for row in rows}


async def test_an_answer_ties_what_it_gave_and_a_fact_stands_for_its_ends(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    (told,) = await service.postgres.rows("select id::text, source::text, target::text from fact")
    await given(service, namespace, "e0", told["id"], "gone")

    await night(service, namespace, steps=["strengthen"])

    ann, tea = sorted([f"entity/{told['source']}", f"entity/{told['target']}"])
    assert await ties(service, namespace) == {
        (ann, "episode/e0"): pytest.approx(0.1 / 2**0.5),
        (tea, "episode/e0"): pytest.approx(0.1 / 2**0.5),
        (ann, tea): pytest.approx(0.1 / 2),
    }


async def test_what_was_of_use_is_tied_more_and_what_was_of_none_less(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    for number, (useful, useless) in enumerate([(("e0", "e1", "e2"), ()), (("e0",), ("e1",))]):
        said = Feedback(
            namespace=namespace, id=f"{A_SEARCH}{number}", answer=None, useful=useful, useless=useless, given_at=NOW
        )
        await service.accesses.store.keep(said)

    await night(service, namespace, steps=["strengthen"])

    assert await ties(service, namespace) == {
        ("episode/e0", "episode/e1"): pytest.approx(0.3 * 0.7),
        ("episode/e0", "episode/e2"): pytest.approx(0.3),
        ("episode/e1", "episode/e2"): pytest.approx(0.3),
    }


async def test_an_answer_teaches_once_and_the_next_one_builds_on_it(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    await given(service, namespace, "e0", "e1")
    first = 0.1 / 2**0.5
    await night(service, namespace, steps=["strengthen"])
    again = await night(service, namespace, days=2, steps=["strengthen"])
    assert again.counts["strengthen"] == {"looked": 0}

    await given(service, namespace, "e0", "e1", number=2, hours=4 + 24 * 60)
    await night(service, namespace, days=70, steps=["strengthen"])

    half = first / 2
    assert await ties(service, namespace) == {("episode/e0", "episode/e1"): pytest.approx(half + first * (1 - half))}


async def test_what_is_not_used_for_long_or_leads_nowhere_goes(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    await given(service, namespace, "e0", "e1", "e2")
    await night(service, namespace, steps=["strengthen"])

    await service.ingester.forget(namespace, ["e2"])
    await service.drainer.drain(namespace)
    assert list(await ties(service, namespace)) == [("episode/e0", "episode/e1")]

    await night(service, namespace, days=200, steps=["strengthen"])
    assert await ties(service, namespace) == {}
    assert await synapses_in_the_graph(service, namespace) == 0


async def test_charge_finds_what_is_tied_in_the_same_round_trip(service: Service, namespace: str) -> None:
    other = f"{namespace}_other"
    await remember(service, namespace)
    await remember(service, other)
    await given(service, namespace, "e0", "e1")
    await night(service, namespace, steps=["strengthen"])
    assert service.graph is not None

    near = NeighbourhoodStore(service.graph)
    found = await near.around(Seeds(episodes=["e0"]), Scope(namespace), hops=1, now=datetime.now(UTC))
    elsewhere = await near.around(Seeds(episodes=["e0"]), Scope(other), hops=1, now=datetime.now(UTC))

    assert [(tie.kind, tie.source, tie.target) for tie in found.ties] == [("synapse", "e0", "e1")]
    assert found.ties[0].weight == pytest.approx(0.1 / 2**0.5)
    assert elsewhere.ties == []


async def test_the_graph_made_again_has_the_same_synapses(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    await given(service, namespace, "e0", "e1", "e2")
    await night(service, namespace, steps=["strengthen"])
    before = await synapses_in_the_graph(service, namespace)

    await service.ingester.replace(namespace, "e2", NewEpisode(content="another"), now=NOW)
    await service.drainer.drain(namespace)
    assert service.projector is not None
    await service.projector.rebuild(namespace)

    assert (before, await synapses_in_the_graph(service, namespace)) == (3, 1)


async def synapses_in_the_graph(service: Service, namespace: str) -> int:
    assert service.graph is not None
    rows = await service.graph.run(
        "MATCH ({group_id: $group_id})-[synapse:SYNAPSE]->() RETURN count(synapse) AS number", group_id=namespace
    )
    return rows[0]["number"]
