"""Keyword search: BM25 as the book has it, on the real index."""

import math
from datetime import UTC, datetime

import pytest

from graphmem.memory import Filters, NewEpisode
from graphmem.service import Service
from graphmem.stores import keywords
from graphmem.stores.filters import Scope
from graphmem.stores.keywords import KeywordStore

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)


async def store(service: Service, namespace: str, texts: dict[str, str]) -> None:
    news = [NewEpisode(id=name, content=text, occurred_at=NOW) for name, text in texts.items()]
    await service.ingester.add_batch(namespace, news, now=NOW)


async def ids_for(service: Service, namespace: str, text: str, **bounds: object) -> list[str]:
    scope = Scope(namespace, **bounds)  # pyright: ignore[reportArgumentType]
    answer = await KeywordStore(service.postgres).matching(text, scope, limit=10, k1=1.2, b=0.75)
    return [hit.memory_id for hit in answer.hits]


async def test_scores_are_bm25_by_the_formula(service: Service, namespace: str) -> None:
    await store(service, namespace, {"a": "cats chase mice", "b": "cats cats sleep", "c": "dogs bark loudly"})

    answer = await KeywordStore(service.postgres).matching("cats", Scope(namespace), limit=10, k1=1.2, b=0.75)

    # Three words of text and the three of the date in each, so every length is the mean; two of three have the word.
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    twice, once = idf * 2 * 2.2 / (2 + 1.2), idf * 1 * 2.2 / (1 + 1.2)
    assert [(hit.memory_id, hit.score) for hit in answer.hits] == [
        ("b", pytest.approx(twice)),
        ("a", pytest.approx(once)),
    ]


async def test_words_are_joined_by_or_and_stemmed(service: Service, namespace: str) -> None:
    await store(service, namespace, {"a": "we walked home", "b": "vacations in Goa", "c": "nothing of the kind"})

    assert await ids_for(service, namespace, "walking on vacation") in (["a", "b"], ["b", "a"])


async def test_a_quoted_phrase_lifts_what_contains_it_and_excludes_nothing(service: Service, namespace: str) -> None:
    await store(service, namespace, {"a": "black cat on a white wall", "b": "white cat on a black wall"})

    assert await ids_for(service, namespace, '"black wall" cat') == ["b", "a"]
    assert await ids_for(service, namespace, '"white wall" cat') == ["a", "b"]


@pytest.mark.parametrize("text", ["a & !b | (c)", "'", '"', "\\", "%s %(x)s", "cat:*", "<->", "\u200f\u202e", "🐈‍⬛"])
async def test_operators_in_the_question_are_only_words(service: Service, namespace: str, text: str) -> None:
    await store(service, namespace, {"a": "the cat"})

    assert await ids_for(service, namespace, f"{text} cat") == ["a"]


async def test_ties_go_to_the_newest(service: Service, namespace: str) -> None:
    for name, day in (("old", 1), ("new", 3), ("mid", 2)):
        new = NewEpisode(id=name, content="same words", occurred_at=datetime(2026, 3, day, tzinfo=UTC))
        await service.ingester.add(namespace, new, now=NOW)

    assert await ids_for(service, namespace, "same words") == ["new", "mid", "old"]


async def test_the_rarest_words_lead_to_the_same_answer(
    service: Service, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keywords, "RAREST_ABOVE", 10)
    words = ["red", "green", "blue", "round", "flat", "tall"]
    texts = {f"e{n}": " ".join(words[i] for i in range(6) if n >> i & 1) or "none" for n in range(64)}
    await store(service, namespace, texts)
    search = KeywordStore(service.postgres)

    every = await search.matching('tall round "red green"', Scope(namespace), limit=20, k1=1.2, b=0.75)
    rarest = await search.matching('tall round "red green"', Scope(namespace), limit=20, k1=1.2, b=0.75)

    assert (every.path, rarest.path) == ("all", "rarest")
    assert [hit.score for hit in rarest.hits] == pytest.approx([hit.score for hit in every.hits], rel=0.1)
    assert {hit.memory_id for hit in rarest.hits} == {hit.memory_id for hit in every.hits}


async def test_excluded_ids_and_filters_bind(service: Service, namespace: str) -> None:
    await store(service, namespace, {"a": "cat one", "b": "cat two"})
    new = NewEpisode(id="c", content="cat three", session="s", occurred_at=NOW)
    await service.ingester.add(namespace, new, now=NOW)

    assert await ids_for(service, namespace, "cat", filters=Filters(sessions=("s",))) == ["c"]
    assert "b" not in await ids_for(service, namespace, "cat", exclude=("b",))


async def test_a_word_at_the_end_of_a_long_text_is_found(service: Service, namespace: str) -> None:
    await store(service, namespace, {"a": "filler " * 60_000 + "needle", "b": "hay"})

    assert await ids_for(service, namespace, "needle") == ["a"]


async def test_forgetting_takes_every_posting_and_statistic_along(service: Service, namespace: str) -> None:
    await store(service, namespace, {"a": "cat one", "b": "dog two " + "filler " * 5000})

    await service.ingester.forget(namespace, ["a", "b"])

    left = await service.postgres.rows(
        "select (select count(*) from posting) as postings, (select sum(episodes) from statistic) as episodes,"
        " (select sum(lexemes) from statistic) as lexemes"
    )
    assert left == [{"postings": 0, "episodes": 0, "lexemes": 0}]
