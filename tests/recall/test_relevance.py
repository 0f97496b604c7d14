"""How well a memory fits: high where it was talked about, low where it never was, with a vector or without."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from graphmem.memory import NewEpisode, Query
from graphmem.recall.pipeline import Answer
from graphmem.recall.profiles import DEFAULT
from graphmem.recall.ranking.relevance import ANSWERABLE, coverage, relevance
from graphmem.service import Service

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAID = ("Melanie painted a sunrise by the lake last summer.", "We fixed the linker step of the build.")


async def asked(service: Service, namespace: str, text: str, **more: Any) -> Answer:
    news = [NewEpisode(id=str(number), content=content) for number, content in enumerate(SAID)]
    await service.ingester.add_batch(namespace, news, now=NOW)
    query = msgspec.structs.replace(Query(namespace=namespace, text=text, kinds=("episode",)), **more)
    return await service.recaller.recall(query, DEFAULT, now=NOW)


async def test_what_was_talked_about_is_answerable(service: Service, namespace: str) -> None:
    answer = await asked(service, namespace, "When did Melanie paint a sunrise?")

    assert answer.answerable
    assert [one.id for one in answer.results if (one.relevance or 0) >= ANSWERABLE] == ["0"]


@pytest.mark.parametrize("mode", ["auto", "semantic"])
async def test_what_was_never_talked_about_is_not(service: Service, namespace: str, mode: str) -> None:
    answer = await asked(service, namespace, "Which vaccine does my parrot need in Brazil?", mode=mode)

    assert answer.results
    assert not answer.answerable


async def test_words_alone_tell_too(service: Service, namespace: str) -> None:
    answer = await asked(service, namespace, "When did Melanie paint a sunrise?", mode="keyword")

    words = coverage(["melanie", "paint", "sunrise"], SAID[0])
    assert answer.results[0].relevance == pytest.approx(relevance(None, words), abs=1e-4)
    assert answer.trace["relevance"]["0"] == {"similarity": None, "coverage": words}


async def test_nothing_found_answers_nothing(service: Service, namespace: str) -> None:
    answer = await service.recaller.recall(Query(namespace=namespace, text="Where is it?"), DEFAULT, now=NOW)

    assert (answer.results, answer.answerable) == ([], False)


@given(some.floats(-1, 1), some.floats(-1, 1), some.floats(0, 1), some.floats(0, 1))
def test_what_is_nearer_and_covers_more_is_no_less_relevant(a: float, b: float, c: float, d: float) -> None:
    (a, b), (c, d) = sorted((a, b)), sorted((c, d))

    assert 0 <= relevance(a, c) <= relevance(b, d) <= 1
    assert relevance(None, c) <= relevance(None, d)
