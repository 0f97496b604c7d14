"""The retry ladder of `000`: every rung in its order, the words it leaves out, the trigrams of its last rung."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.memory import NewEpisode
from graphmem.recall.legs.ladder import query_tokens, rungs, sanitised, strongest_term
from graphmem.service import Service
from graphmem.stores.filters import Scope
from graphmem.stores.keywords import KeywordStore
from tests.recall.test_recall import NOW, TWO_LEGS, ask

pytestmark = pytest.mark.anyio


def grams(words: str) -> set[str]:
    """As the document defines them: windows of three over each word between two `$`."""
    padded = [f"${word}$" for word in words.split()]
    return {word[place : place + 3] for word in padded for place in range(len(word) - 2)}


def jaccard(one: str, other: str) -> float:
    return len(grams(one) & grams(other)) / len(grams(one) | grams(other))


async def resembling(service: Service, namespace: str, *tokens: str) -> dict[str, float]:
    hits = await KeywordStore(service.postgres).resembling(tokens, Scope(namespace), limit=10)
    return {hit.memory_id: hit.score for hit in hits}


async def store(service: Service, namespace: str, *episodes: NewEpisode) -> None:
    await service.ingester.add_batch(namespace, episodes, now=NOW)


async def attempts(service: Service, namespace: str, text: str, **more: object) -> list[tuple[str, str, int]]:
    answer = await service.recaller.recall(ask(namespace, text, mode="keyword", **more), TWO_LEGS, now=NOW)
    return [(one["strategy"], one["query"], one["hits"]) for one in answer.trace["attempts"]]


@pytest.mark.parametrize("word", ["de", "het", "een", "en", "of", "the", "what"])
def test_a_stop_word_is_never_the_strongest_term(word: str) -> None:
    assert strongest_term(f"{word} {word.upper()} zoo") == "zoo"


def test_a_term_has_at_least_three_characters_and_the_longest_first_one_wins() -> None:
    assert [strongest_term(text) for text in ("ox", "elk", "an elk, an ant and an otter", "tigers donkey camels")] == [
        None,
        "elk",
        "otter",
        "tigers",
    ]


@pytest.mark.parametrize(
    ("question", "strategies"),
    [
        ("zebra", ["refreshed_sanitised", "refreshed_strongest", "trigram_fuzzy"]),
        (" Zebra ", ["refreshed_sanitised", "refreshed_strongest", "trigram_fuzzy"]),
        ("Zebra?", ["strongest_term", "refreshed_sanitised", "refreshed_strongest", "trigram_fuzzy"]),
        ("ox of de", ["refreshed_sanitised"]),
        ("?! … 👍", []),
    ],
)
def test_a_rung_is_left_out_only_when_it_has_nothing_or_nothing_new_to_ask(
    question: str, strategies: list[str]
) -> None:
    assert [rung.strategy for rung in rungs(question)] == strategies


@given(st.text())
def test_a_sanitised_question_is_clean_and_stays_as_it_is(text: str) -> None:
    clean = sanitised(text)

    assert sanitised(clean) == clean
    assert all(word.isalnum() or not word.isascii() for word in clean.split() if word.isprintable())
    assert len(query_tokens(text)) == len(set(query_tokens(text)))


async def test_every_rung_is_tried_in_order_and_the_first_success_ends_it(service: Service, namespace: str) -> None:
    await store(service, namespace, NewEpisode(id="a", content="a zebra at night", occurred_at=NOW))

    assert await attempts(service, namespace, "Zebras!") == [("initial", "zebra", 1)]
    assert await attempts(service, namespace, "the zebbra?") == [
        ("initial", "zebbra", 0),
        ("strongest_term", "zebbra", 0),
        ("refreshed_sanitised", "the zebbra", 0),
        ("refreshed_strongest", "zebbra", 0),
        ("trigram_fuzzy", "zebbra", 1),
    ]
    assert await attempts(service, namespace, "x@y.zebra") == [
        ("initial", "x@y.zebra", 0),
        ("strongest_term", "zebra", 1),
    ]
    assert await attempts(service, namespace, "?!") == [("initial", "", 0)]
    assert await attempts(service, namespace, "the zebbra?", skip_retry_ladder=True) == [("initial", "zebbra", 0)]


async def test_the_ladder_is_climbed_whatever_the_other_legs_found(service: Service, namespace: str) -> None:
    await store(service, namespace, NewEpisode(id="a", content="a zebra at night", occurred_at=NOW))

    answer = await service.recaller.recall(ask(namespace, "zebbra"), TWO_LEGS, now=NOW)

    assert [hit["id"] for hit in answer.trace["runs"]["vector"]] == ["a"]
    assert answer.trace["attempts"][-1] == {"strategy": "trigram_fuzzy", "query": "zebbra", "hits": 1}


async def test_a_slug_is_compared_as_a_whole_and_a_text_word_by_word(service: Service, namespace: str) -> None:
    await store(
        service,
        namespace,
        NewEpisode(id="slug", content="zebra", path="Notes/Night_ZEBRA.md", occurred_at=NOW),
        NewEpisode(id="long", content="zebra", path="notes/how-the-zebra-got-all-its-stripes.md", occurred_at=NOW),
        NewEpisode(id="text", content="at night, a Zebra; and stripes", occurred_at=NOW),
    )

    found = await resembling(service, namespace, "zebbra", "night")

    assert found == {
        "text": pytest.approx(1.0),
        "slug": pytest.approx(max(jaccard("zebbra", "night zebra"), jaccard("night", "night zebra"))),
    }
    assert max(jaccard(token, "how the zebra got all its stripes") for token in ("zebbra", "night")) < 0.3


async def test_the_threshold_is_three_tenths_of_all_trigrams(service: Service, namespace: str) -> None:
    words = ["vacation", "vocation", "location", "vacancy", "vaca", "caution", "occasion", "cat"]
    await store(service, namespace, *(NewEpisode(id=word, content=word, occurred_at=NOW) for word in words))

    found = await resembling(service, namespace, "vacatoin")

    assert found == {
        word: pytest.approx(jaccard("vacatoin", word)) for word in words if jaccard("vacatoin", word) >= 0.3
    }
    assert 0 < len(found) < len(words)


async def test_equal_similarity_goes_by_path(service: Service, namespace: str) -> None:
    for name, path in (("1", "b/zebra.md"), ("2", "a/zebra.md"), ("3", "c/zebra.md")):
        await store(service, namespace, NewEpisode(id=name, content="x", path=path, occurred_at=NOW))

    assert list(await resembling(service, namespace, "zebra")) == ["2", "1", "3"]


async def test_the_database_cuts_slugs_and_trigrams_as_the_document_does(service: Service) -> None:
    paths = ["".join(path) for path in product("aÉ9 $/.", repeat=5)] + ["a/b/Deep-Dive_2.md", "x.md.md", ".md", "md"]

    rows = await service.postgres.rows(
        "select text, slug_grams(text) as grams from unnest(%(paths)s::text[]) as path(text)",
        paths=paths,
    )

    last = {path: path.lower().rpartition("/")[2].removesuffix(".md") for path in paths}
    slugs = {path: " ".join(re.sub(r"[\W_]+", " ", text).split()) for path, text in last.items()}
    assert {row["text"]: set(row["grams"]) for row in rows} == {path: grams(slug) for path, slug in slugs.items()}
