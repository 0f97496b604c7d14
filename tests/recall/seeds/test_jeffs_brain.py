"""What `000` fixes: fusion, the intents with their patterns and tables, unanimity, the judge's head and its text."""

import re
from datetime import UTC, datetime

import pytest

from graphmem.memory import Episode, Hit, Query
from graphmem.recall.profiles import JEFFS_BRAIN, Numbers
from graphmem.recall.ranking import intent as asked
from graphmem.recall.ranking.fuse import fuse
from graphmem.recall.ranking.intent import Intents, intents, multiplier
from graphmem.recall.ranking.prior import weigh
from graphmem.recall.ranking.rerank import judged_text, rerank, unanimity
from graphmem.recall.understand import understand
from graphmem.stores.traits import PATTERNS, traits
from tests.recall.seeds.recipes import additions, natures_of, stages_over

DAY = datetime(2026, 5, 1, tzinfo=UTC)
BOTH = Intents(preference=True, concrete_fact=True)
PREFERENCE = Intents(preference=True)
CONCRETE = Intents(concrete_fact=True)


def note(content: str, path: str | None = None, **more: str) -> Episode:
    return Episode(namespace="n", id="1", content=content, path=path, occurred_at=DAY, created_at=DAY, **more)


def test_the_profile_is_the_document_s_and_has_no_other_stage() -> None:
    assert JEFFS_BRAIN.limit == 10
    assert additions(JEFFS_BRAIN) == {"candidate_k": 60, "intent_weight": 1, "rerank_top_n": 20, "ties": ("path",)}
    assert (JEFFS_BRAIN.numbers.rrf_k, JEFFS_BRAIN.rules.retry) == (60, "ladder")


def test_a_candidate_gets_one_part_in_k_and_its_rank_from_each_list() -> None:
    scores = fuse({"keyword": ["a", "b", "c"], "vector": ["c", "a"]}, k=60, weights={})

    assert scores == {"a": 1 / 61 + 1 / 62, "c": 1 / 63 + 1 / 61, "b": 1 / 62}


def test_equal_scores_go_by_path() -> None:
    natures = natures_of("1", path="b.md") | natures_of("2", path="a.md") | natures_of("0")
    stages = stages_over(JEFFS_BRAIN)

    assert list(stages.fuse({"keyword": [Hit("1", 9.0)], "vector": [Hit("2", 0.1)]}, natures)) == ["2", "1"]
    assert list(stages.fuse({"keyword": [Hit("0", 9.0)], "vector": [Hit("1", 0.1)]}, natures)) == ["1", "0"]


@pytest.mark.parametrize(
    ("mode", "available", "legs", "missing"),
    [
        ("auto", {"keyword", "vector"}, ("keyword", "vector"), []),
        ("auto", {"keyword"}, ("keyword",), ["vector"]),
        ("hybrid", {"keyword"}, ("keyword",), ["vector"]),
        ("semantic", {"keyword", "vector"}, ("vector",), []),
        ("semantic", {"keyword"}, ("keyword",), ["vector"]),
        ("keyword", {"keyword", "vector"}, ("keyword",), []),
    ],
)
def test_a_mode_falls_back_to_keywords_without_an_embedder(
    mode: str, available: set[str], legs: tuple[str, ...], missing: list[str]
) -> None:
    plan = understand(Query(namespace="n", text="x", mode=mode), Numbers(), available)  # pyright: ignore[reportArgumentType]

    assert (plan.legs, [one.leg for one in plan.missing]) == (legs, missing)


@pytest.mark.parametrize(
    ("keyword", "vector", "agreements"),
    [
        ("abc", "abc", 3),
        ("abcd", "abxd", 2),
        ("abc", "xbc", 2),
        ("abc", "axc", 2),
        ("abcd", "axyd", None),
        ("abc", "cab", None),
        ("ab", "abc", None),
        ("abc", "ab", None),
        ("", "", None),
    ],
)
def test_legs_are_unanimous_when_two_of_their_first_three_agree(
    keyword: str, vector: str, agreements: int | None
) -> None:
    agreed = unanimity([*keyword], [*vector])

    assert (agreed and agreed.agreements) == agreements
    assert agreed is None or agreed.ids == [*keyword[:3]]


def test_only_the_first_twenty_are_judged_and_the_tail_stays_as_it_is() -> None:
    scores = {f"{place:02}": 1 / (61 + place) for place in range(30)}

    judged = rerank(scores, {one: float(one) for one in scores}, top_n=20)

    assert list(judged) == [f"{place:02}" for place in [*range(19, -1, -1), *range(20, 30)]]
    assert {one: judged[one] for one in list(judged)[20:]} == {one: scores[one] for one in list(scores)[20:]}


@pytest.mark.parametrize(
    ("title", "summary", "content", "text"),
    [
        ("Tea", "What we drink", "x", "Tea\nWhat we drink"),
        ("Tea", None, "x", "Tea"),
        ("", "What we drink", "x", "What we drink"),
        (None, " ", "  x  ", "x"),
        (None, None, "y" * 281, "y" * 280),
    ],
)
def test_a_judge_reads_title_and_summary_or_280_characters(
    title: str | None, summary: str | None, content: str, text: str
) -> None:
    assert judged_text(title, summary, content) == text


SOURCES = {
    asked.PREFERENCE_QUERY: (
        r"\b(?:recommend|suggest|recommendation|suggestion|tips?|advice|ideas?|what should i|which should i)\b"
    ),
    asked.ENUMERATION_OR_TOTAL_QUERY: r"\b(?:how many|count|total|in total|sum|add up|list|what are all)\b",
    asked.FIRST_PERSON_FACT_LOOKUP: r"\b(?:did i|have i|was i|were i)\b",
    asked.FACT_LOOKUP_VERB: (
        r"\b(?:pick(?:ed)? up|bought|ordered|spent|earned|sold|drove|travelled|traveled|watched|visited"
        r"|completed|finished|submitted|booked)\b"
    ),
    PATTERNS["preference"]: (
        r"\b(?:prefer(?:s|red)?|like(?:s|d)?|love(?:s|d)?|want(?:s|ed)?|need(?:s|ed)?|avoid(?:s|ed)?|dislike(?:s|d)?"
        r"|hate(?:s|d)?|enjoy(?:s|ed)?|interested in|looking for)\b"
    ),
    PATTERNS["generic"]: (
        r"\b(?:tips?|advice|suggest(?:ion|ed)?s?|recommend(?:ation|ed)?s?|ideas?|options?|guide|tracking"
        r"|tracker|checklist)\b"
    ),
    PATTERNS["rollup"]: (
        r"\b(?:roll-?up|summary|recap|overview|aggregate|combined|overall|in total|totalled?|totalling)\b"
    ),
    PATTERNS["event"]: (
        r"\b(?:i|we)\s+(?:picked up|bought|ordered|spent|earned|sold|drove|travelled|traveled|went|watched|visited"
        r"|completed|finished|started|booked|got|took|submitted)\b"
    ),
    PATTERNS["dated"]: r"\[(?:date|observed on):",
}


@pytest.mark.parametrize(("pattern", "source"), SOURCES.items(), ids=range(len(SOURCES)))
def test_a_pattern_is_the_document_s_to_the_letter_and_ignores_case_alone(pattern: re.Pattern, source: str) -> None:
    assert (pattern.pattern, pattern.flags) == (source, re.IGNORECASE | re.ASCII)


@pytest.mark.parametrize(
    "question",
    [
        "Recommend a book",
        "can you SUGGEST something",
        "any recommendation?",
        "a suggestion, please",
        "a tip",
        "Tips for Goa",
        "some advice",
        "an idea",
        "ideas!",
        "What should I cook?",
        "which should i take",
    ],
)
def test_a_question_after_advice(question: str) -> None:
    assert intents(question) == PREFERENCE


@pytest.mark.parametrize(
    "question",
    [
        "How many boats?",
        "count them",
        "the TOTAL",
        "how much in total",
        "the sum of it",
        "what does it add up to",
        "list my trips",
        "what are all my books",
        "What did I buy, and which was bought first?",
        "have I ordered it",
        "was I booked on it",
        "were I spent",
        "Did I pick up the parcel?",
        "did I, hm, picked up",
        "When did I say I earned it",
        "have i sold it",
        "was it I who drove? was I",
        "have I travelled",
        "have I traveled",
        "have I watched it",
        "have I visited Goa",
        "have I completed it",
        "have I finished it",
        "have I submitted it",
    ],
)
def test_a_question_after_a_concrete_fact(question: str) -> None:
    assert intents(question) == CONCRETE


@pytest.mark.parametrize(
    "question",
    [
        "What did I tell Priya?",
        "who bought it",
        "recommended reading",
        "suggestions",
        "tipsy",
        "an ideal day",
        "counting",
        "totally",
        "summer",
        "listen",
        "candid is he, who booked",
        "Quelle est ton idée ?",
        "¿Cuántos libros compré?",
        "Wie viele Bücher habe ich gekauft?",
        "मैंने कितनी किताबें खरीदीं?",
        "我买了多少本书?",
        "",
    ],
)
def test_a_question_after_neither(question: str) -> None:
    assert intents(question) == Intents()


def test_a_question_may_be_after_both() -> None:
    assert intents("How many tips did I get?") == BOTH


def test_letters_beyond_ascii_end_a_word_as_the_document_s_boundaries_have_it() -> None:
    assert intents("étips") == PREFERENCE
    assert intents("tips_") == Intents()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("she prefers tea", ["preference"]),
        ("liked, loved, wanted", ["preference"]),
        ("needs it", ["preference"]),
        ("avoided", ["preference"]),
        ("dislikes", ["preference"]),
        ("hated", ["preference"]),
        ("enjoyed", ["preference"]),
        ("interested in boats", ["preference"]),
        ("looking for a boat", ["preference"]),
        ("unlike a preference", []),
        ("a checklist", ["generic"]),
        ("suggestions", ["generic"]),
        ("suggested", ["generic"]),
        ("recommendations", ["generic"]),
        ("options", ["generic"]),
        ("the guide", ["generic"]),
        ("a tracker for tracking", ["generic"]),
        ("guided", []),
        ("roll-up", ["rollup"]),
        ("a ROLLUP", ["rollup"]),
        ("recap and overview", ["rollup"]),
        ("aggregate, combined, overall", ["rollup"]),
        ("in total", ["rollup"]),
        ("totalled", ["rollup"]),
        ("totalle", ["rollup"]),
        ("totalling", ["rollup"]),
        ("the total", []),
        ("we   picked up", ["event"]),
        ("I\nwent", ["event"]),
        ("we started, I got, we took", ["event"]),
        ("they bought", []),
        ("[date: May]", ["dated"]),
        ("[Observed On: May]", ["dated"]),
        ("date: May", []),
    ],
)
def test_the_kind_of_a_note_follows_from_its_text(text: str, found: list[str]) -> None:
    assert traits(note(text)) == found
    assert traits(note("-", title=text)) == found
    assert traits(note("-", summary=text)) == found


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("memory/global/user-preference-tea.md", ["global", "user_preference"]),
        ("memory/global/tea.md", ["global"]),
        ("memory/project/user-fact-tea.md", ["user_fact"]),
        ("milestone-1.md", ["user_fact"]),
        ("memory/project/tips.md", ["generic"]),
        ("memory/globally/tea.md", []),
    ],
)
def test_the_kind_of_a_note_follows_from_its_path(path: str, found: list[str]) -> None:
    assert traits(note("-", path)) == found


@pytest.mark.parametrize(
    ("path", "text", "after_advice", "after_a_fact"),
    [
        ("memory/global/user-preference-tea.md", "she prefers tea", 2.35, 1),
        ("memory/global/user-preference-tea.md", "a recap", 2.35 * 0.9, 0.45),
        ("memory/global/tea.md", "she prefers tea", 2.1, 1),
        ("memory/global/tea.md", "she prefers tea, overall", 2.1 * 0.9, 0.45),
        ("memory/global/tea.md", "tea tips", 1, 1),
        ("memory/global/tea.md", "nothing", 1, 1),
        ("memory/project/user-preference-tea.md", "she prefers tea", 1, 1),
        ("memory/project/tea.md", "tea tips", 0.82, 0.75),
        ("memory/project/tea.md", "an overview", 0.9, 0.45),
        ("memory/project/tea.md", "an overview of tips", 0.82 * 0.9, 0.45 * 0.75),
        ("memory/project/tea.md", "we bought tea", 1, 2.2),
        ("memory/project/tea.md", "tea [date: May]", 1, 2.2),
        ("memory/project/tea.md", "we bought tea tips", 0.82, 2.2),
        ("memory/project/tea.md", "in total we bought tea", 0.9, 0.45),
        ("memory/project/tea.md", "[observed on: May] a summary of tips", 0.82 * 0.9, 0.45 * 0.75),
        ("memory/project/user-fact-tea.md", "nothing", 1, 2.2),
        ("memory/project/milestone-tea.md", "tea tips", 0.82, 2.2),
        ("memory/project/user-fact-tea.md", "an overview", 0.9, 2.2 * 0.45),
        ("memory/project/user-fact-tea.md", "an overview of tips", 0.82 * 0.9, 2.2 * 0.45),
        (None, "tips", 0.82, 0.75),
        (None, "nothing", 1, 1),
    ],
)
def test_a_note_is_multiplied_as_the_tables_say(
    path: str | None, text: str, after_advice: float, after_a_fact: float
) -> None:
    kinds = traits(note(text, path))

    assert multiplier(kinds, PREFERENCE) == pytest.approx(after_advice)
    assert multiplier(kinds, CONCRETE) == pytest.approx(after_a_fact)
    assert multiplier(kinds, BOTH) == pytest.approx(after_advice * after_a_fact)
    assert multiplier(kinds, Intents()) == 1


def test_the_document_s_two_compositions() -> None:
    assert multiplier({"rollup", "generic"}, CONCRETE) == pytest.approx(0.3375)
    assert multiplier({"rollup", "user_fact"}, CONCRETE) == pytest.approx(0.99)


def test_equal_scores_keep_the_order_of_the_fusion() -> None:
    assert list(weigh({"b": 0.4, "c": 0.4, "a": 0.2}, {"b": 0.5, "c": 0.5, "a": 1.0})) == ["b", "c", "a"]
