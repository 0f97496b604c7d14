"""Spreading over names: an episode is found through what it shares with another."""

from datetime import UTC, datetime
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.memory import Filters, NewEpisode, Query
from graphmem.recall.profiles import Numbers, Profile
from graphmem.recall.ranking.charge import Edge, Web
from graphmem.recall.ranking.propagate import propagate
from graphmem.recall.ranking.spread import gate, spread
from graphmem.service import Service

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SPREADING = Profile(name="x", about="", numbers=Numbers(rrf_k=8, propagate_weight=3))
FILM = "The film was directed by Tomasz Kowalczyk and shown in Berlin."
PASSAGES = {
    "film": ("Moonlit Harbour", FILM),
    "director": ("Tomasz Kowalczyk", "He was born to a family of bakers and studied law before he turned to the arts."),
    "other": ("Green Fields", "It was made in Spain and is about a farm."),
    "noise": ("Bakery", "Bread is made of flour, water and salt."),
}


async def remember(service: Service, namespace: str) -> None:
    news = [NewEpisode(id=name, title=title, content=text) for name, (title, text) in PASSAGES.items()]
    await service.ingester.add_batch(namespace, news, now=NOW)
    await service.drainer.drain(namespace)


@pytest.mark.anyio
async def test_an_episode_is_found_through_the_name_it_shares_with_the_one_the_question_names(
    service: Service, namespace: str
) -> None:
    await remember(service, namespace)
    query = Query(namespace=namespace, text="Which subject did the director of Moonlit Harbour study?")

    answer = await service.recaller.recall(query, SPREADING, now=NOW)

    assert {result.id for result in answer.results[:2]} == {"film", "director"}
    assert answer.trace["propagation"]["names"] == ["moonlit harbour"]
    charged = {charge["rank"]: charge["id"] for charge in answer.trace["propagation"]["charges"]}
    assert {charged[1], charged[2]} == {"film", "director"}
    (director,) = [result for result in answer.results if result.id == "director"]
    assert [(step.source, step.target) for step in director.path] == [
        ("Moonlit Harbour", "film"),
        ("film", "Tomasz Kowalczyk"),
        ("Tomasz Kowalczyk", "director"),
    ]


@pytest.mark.anyio
async def test_what_the_filters_forbid_is_passed_through_but_never_returned(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    query = Query(namespace=namespace, text="Who directed Moonlit Harbour?", exclude=("film",), filters=Filters())

    answer = await service.recaller.recall(query, SPREADING, now=NOW)

    assert "film" not in [result.id for result in answer.results]
    assert "director" in [charge["id"] for charge in answer.trace["propagation"]["charges"]]


@pytest.mark.anyio
async def test_a_question_without_known_names_is_left_as_it_is(service: Service, namespace: str) -> None:
    await remember(service, namespace)

    answer = await service.recaller.recall(Query(namespace=namespace, text="what is bread made of"), SPREADING, now=NOW)

    assert (answer.trace["propagation"]["names"], answer.results[0].id) == ([], "noise")


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["keyword", "semantic"])
async def test_words_and_meaning_alone_are_answered_by_them_alone(
    service: Service, namespace: str, mode: Literal["keyword", "semantic"]
) -> None:
    await remember(service, namespace)
    query = Query(namespace=namespace, text="Which subject did the director of Moonlit Harbour study?", mode=mode)

    answer = await service.recaller.recall(query, SPREADING, now=NOW)

    assert [stage["name"] for stage in answer.trace["stages"]] == ["fuse"]


links = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz")), unique=True, max_size=20)


def around(pairs: list[tuple[str, str]]) -> Web:
    nodes = [node for pair in pairs for node in pair]
    return Web([Edge(*pair) for pair in pairs], {node: nodes.count(node) for node in nodes})


def begun(web: Web, seeds: list[str]) -> dict[str, float]:
    """As the names of a question and the first episodes begin."""
    names = {edge.target for edge in web.edges}
    return {name: 1 / web.degree[name] for name in names} | {one: 0.1 / r for r, one in enumerate(seeds, start=1)}


@given(links, st.permutations("abcdef"))
def test_charge_is_positive_bounded_and_deterministic(pairs: list[tuple[str, str]], order: list[str]) -> None:
    web = around(pairs)
    beginning = begun(web, [episode for episode in order if episode in web.degree])
    charges, ways = spread(beginning, web)

    assert sum(charges.values()) <= sum(beginning.values()) + 1e-9
    assert all(charge > 0 for charge in charges.values())
    assert spread(beginning, around(list(reversed(pairs)))).charges == pytest.approx(charges)
    assert all(way[-1].target == one for one, way in ways.items() if way)


@given(st.dictionaries(st.sampled_from("abc"), st.floats(0, 1)), st.floats(0, 5))
def test_no_charge_changes_nothing(scores: dict[str, float], weight: float) -> None:
    assert propagate(scores, {}, {}, weight=weight, k=8) == scores


@given(st.floats(0, 1), st.lists(st.integers(1, 100)))
def test_the_gate_lies_between_nothing_and_one(share: float, degrees: list[int]) -> None:
    assert 0 <= gate(share, degrees) <= 1
