"""Short turns are read with what was said around them: order, size, sessions, and what the question's filters bind."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import numpy as np
import pytest

from graphmem.memory import Filters, NewEpisode, Query
from graphmem.recall.pipeline import Answer
from graphmem.recall.profiles import Numbers, Profile
from graphmem.recall.ranking.surroundings import STEPS, share
from graphmem.service import Service
from graphmem.stores.index_text import vector_text

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
WITH = Profile(name="with", about="", numbers=Numbers(surroundings_weight=1.0, surroundings_length=100))
WITHOUT = Profile(name="without", about="", numbers=Numbers())


def turn(id: str, content: str, session: str | None = "s", **more: Any) -> NewEpisode:  # noqa: A002
    given = {"id": id, "content": content, "occurred_at": NOW} | ({"session": session} if session else {})
    return msgspec.convert(given | more, NewEpisode)


async def asked(service: Service, namespace: str, profile: Profile = WITH, **more: Any) -> Answer:
    query = Query(namespace=namespace, text="Where is the violin?", kinds=("episode",), mode="keyword")
    return await service.recaller.recall(msgspec.structs.replace(query, **more), profile, now=NOW)


def ids(answer: Answer) -> list[str]:
    return [result.id for result in answer.results]


async def test_an_answer_is_found_by_the_question_before_it(service: Service, namespace: str) -> None:
    turns = [turn("1", "Have you seen my violin?"), turn("2", "Under the stairs."), turn("3", "x", session="other")]
    await service.ingester.add_batch(namespace, turns, now=NOW)

    assert ids(await asked(service, namespace)) == ["1", "2"]
    assert ids(await asked(service, namespace, WITHOUT)) == ["1"]


async def test_scores_follow_from_those_of_the_turns_around(service: Service, namespace: str) -> None:
    turns = [turn("1", "The violin is old."), turn("2", "So is my old violin."), turn("3", "How nice!")]
    first, second, third = (share(len(one.content), weight=1, length=100) for one in turns)
    await service.ingester.add_batch(namespace, turns, now=NOW)

    alone = {one.id: one.legs["keyword"].score for one in (await asked(service, namespace, WITHOUT)).results}
    found = {one.id: one.legs["keyword"].score for one in (await asked(service, namespace)).results}

    assert found == pytest.approx(
        {
            "1": alone["1"] + first * STEPS[1] * alone["2"],
            "2": alone["2"] + second * STEPS[-1] * alone["1"],
            "3": third * (STEPS[-1] * alone["2"] + STEPS[-2] * alone["1"]),
        }
    )


async def test_a_long_turn_speaks_for_itself(service: Service, namespace: str) -> None:
    short, long = "Under the stairs. " * 5, "Under the stairs. " * 50
    turns = [turn("1", "Have you seen my violin?"), turn("2", long), turn("3", "Have you seen my violin?", "t")]
    await service.ingester.add_batch(namespace, [*turns, turn("4", short, "t")], now=NOW)

    found = {one.id: one.legs["keyword"].score for one in (await asked(service, namespace)).results}

    expected = share(len(long), weight=1, length=100) / share(len(short), weight=1, length=100)
    assert found["2"] / found["4"] == pytest.approx(expected)
    assert expected < 0.05


async def test_turns_of_one_moment_follow_their_numbers(service: Service, namespace: str) -> None:
    turns = [turn(f"D1:{number}", "Well.") for number in range(1, 13)]
    turns[8] = turn("D1:9", "Have you seen my violin?")
    await service.ingester.add_batch(namespace, turns, now=NOW)

    assert ids(await asked(service, namespace)) == ["D1:9", "D1:10", "D1:8", "D1:11", "D1:7"]


async def test_filters_bind_what_stands_beside_a_hit(service: Service, namespace: str) -> None:
    turns = [
        turn("1", "Old news.", type="note"),
        turn("2", "Have you seen my violin?"),
        turn("3", "Under the stairs."),
        turn("4", "Good."),
    ]
    await service.ingester.add_batch(namespace, turns, now=NOW)

    filters = Filters(types=("message",))
    assert ids(await asked(service, namespace, filters=filters, exclude=("3",))) == ["2", "4"]


async def test_sessions_and_namespaces_do_not_touch(service: Service, namespace: str) -> None:
    await service.ingester.add_batch(namespace, [turn("1", "Have you seen my violin?"), turn("2", "No.", "t")], now=NOW)
    await service.ingester.add_batch(f"{namespace}_b", [turn("1", "No."), turn("2", "Under the stairs.")], now=NOW)
    await service.ingester.add_batch(namespace, [turn("3", "No.", None)], now=NOW)

    assert ids(await asked(service, namespace)) == ["1"]


async def test_a_meaning_is_mixed_with_those_around_it(service: Service, namespace: str) -> None:
    turns = [turn("1", "Have you seen my violin?"), turn("2", "Under the stairs."), turn("3", "What a day!")]
    await service.ingester.add_batch(namespace, turns, now=NOW)
    assert service.embedder is not None
    episodes = await service.episodes.find(namespace, ["1", "2", "3"])
    embedded = await service.embedder.embed_texts([vector_text(episodes[name]) for name in ("1", "2", "3")])
    one, two, three = embedded.vectors
    question = await service.embedder.embed_query("Where is the violin?")

    answer = await asked(service, namespace, mode="semantic")

    part = share(len(turns[1].content), weight=1, length=100)
    mixed = two + part * (STEPS[-1] * one + STEPS[1] * three)
    expected = float(mixed @ question / np.linalg.norm(mixed))
    assert {found.id: found.legs["vector"].score for found in answer.results}["2"] == pytest.approx(expected, abs=2e-3)
