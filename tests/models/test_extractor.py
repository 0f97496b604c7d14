"""The local extractor on short turns as people write them, and on what nobody should write."""

import math
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem import relations
from graphmem import settings as settings_module
from graphmem.errors import ModelUnavailableError
from graphmem.models import local_extractor
from graphmem.models.extraction import installed, language
from graphmem.models.extractor import Extraction, FoundFact, Source, build_extractor
from graphmem.models.local_extractor import LocalExtractor, extracted
from graphmem.names import normalised

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def turn(content: str, speaker: str | None = "Ravi", title: str | None = None) -> Source:
    return Source(content=content, speaker=speaker, title=title, occurred_at=MONDAY)


def found(content: str, speaker: str | None = "Ravi", title: str | None = None) -> Extraction:
    return extracted([turn(content, speaker, title)])[0]


def triples(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(fact.source, fact.relation, fact.target) for fact in extraction.facts}


def only(content: str) -> FoundFact:
    (fact,) = found(content).facts
    return fact


@pytest.fixture
async def extractor() -> AsyncIterator[LocalExtractor]:
    opened = LocalExtractor()
    yield opened
    await opened.close()


SAID = {
    "I live in Lisbon.": [("Ravi", "LIVES_IN", "Lisbon")],
    "I moved to Berlin last month and I work at Siemens.": [
        ("Ravi", "LIVES_IN", "Berlin"),
        ("Ravi", "WORKS_AT", "Siemens"),
    ],
    "My sister Anna lives in Paris.": [("Anna", "SISTER_OF", "Ravi"), ("Anna", "LIVES_IN", "Paris")],
    "Anna is my sister.": [("Anna", "SISTER_OF", "Ravi")],
    "My wife's name is Priya.": [("Priya", "MARRIED_TO", "Ravi")],
    "Anna's husband Tom bought a red bike yesterday.": [("Tom", "MARRIED_TO", "Anna"), ("Tom", "BOUGHT", "red bike")],
    "Anna, my boss, is a doctor.": [("Anna", "BOSS_OF", "Ravi"), ("Anna", "IS", "doctor")],
    "Tom and his wife Clara moved to Oslo in 2019.": [
        ("Clara", "MARRIED_TO", "Tom"),
        ("Tom", "LIVES_IN", "Oslo"),
        ("Clara", "LIVES_IN", "Oslo"),
    ],
    "I live with my sister Lena and her husband Paul.": [
        ("Lena", "SISTER_OF", "Ravi"),
        ("Paul", "MARRIED_TO", "Lena"),
        ("Ravi", "LIVES_WITH", "Lena"),
        ("Ravi", "LIVES_WITH", "Paul"),
    ],
    "My mother was born in Lagos.": [("Ravi's mother", "BORN_IN", "Lagos")],
    "My brother Leo is a chef at Noma.": [
        ("Leo", "BROTHER_OF", "Ravi"),
        ("Leo", "WORKS_AT", "Noma"),
        ("Leo", "IS", "chef"),
    ],
    "My dog Bruno loves carrots.": [("Bruno", "PET_OF", "Ravi"), ("Bruno", "LIKES", "carrots")],
    "We adopted a puppy named Max last week.": [("Ravi", "ADOPTED", "Max")],
    "I'm allergic to peanuts.": [("Ravi", "ALLERGIC_TO", "peanuts")],
    "I love playing guitar.": [("Ravi", "LIKES_TO_PLAY", "guitar")],
    "I have two dogs and a cat.": [("Ravi", "HAS", "two dogs"), ("Ravi", "HAS", "cat")],
    "I bought a camera from Tom.": [("Ravi", "BOUGHT", "camera"), ("Ravi", "BUY_CAMERA_FROM", "Tom")],
    "I got a new job at Microsoft!": [("Ravi", "WORKS_AT", "Microsoft")],
    "Omar was hired by Siemens in 2021.": [("Omar", "WORKS_AT", "Siemens")],
    "I got married to Priya on June 5, 2021.": [("Ravi", "MARRIED_TO", "Priya")],
    "I started learning Spanish.": [("Ravi", "LEARNS", "Spanish")],
    "I'm planning to visit Goa in March.": [("Ravi", "PLANS_TO_VISIT", "Goa")],
    "I want to buy a house.": [("Ravi", "WANTS_TO_BUY", "house")],
    "I'm from Chennai.": [("Ravi", "COMES_FROM", "Chennai")],
    "My favorite city is Lisbon.": [("Ravi", "FAVOURITE_CITY", "Lisbon")],
    "Emma said that Tom moved to Rome.": [("Tom", "LIVES_IN", "Rome")],
    "I'm 34 years old.": [("Ravi", "AGE", "34 years old")],
    "Paris is the capital of France.": [("Paris", "CAPITAL_OF", "France")],
    "Thanks, Mel! I went to a pottery class.": [("Ravi", "VISITED", "pottery class")],
}
NOT_SAID = [
    "Do you live in Paris?",
    "Are you and Tom married",
    "If I move to Berlin, I will buy a car.",
    "I will move to Berlin if I get the visa.",
    "I would love to live in Tokyo.",
    "I might visit Rome.",
    "Maybe I'll move to Bonn.",
    "I almost bought a boat.",
    "I don't like mushrooms.",
    "I never visited Rome.",
    "Nobody at the office likes Tom.",
    "I think Anna lives in Rome.",
    "I wish I lived in Rome.",
    'He said "I live in Paris" and laughed.',
    "She lives in Oslo with him.",
    "It was a lot of fun.",
    "I had a great time.",
    "Move to Berlin!",
    "Your dog bit this man.",
]
OVER = {
    "I no longer work at Acme.": ("WORKS_AT", "Acme", MONDAY),
    "I quit Acme in 2020.": ("WORKS_AT", "Acme", day("2020-01-01")),
    "I left Google two years ago.": ("WORKS_AT", "Google", day("2021-01-01")),
    "I stopped working at Nokia in March.": ("WORKS_AT", "Nokia", day("2023-03-01")),
    "I used to live in Rome.": ("LIVES_IN", "Rome", MONDAY),
    "I lived in Rome until 2020.": ("LIVES_IN", "Rome", day("2020-01-01")),
    "I worked at Nokia.": ("WORKS_AT", "Nokia", MONDAY),
    "I broke up with Clara last month.": ("PARTNER_OF", "Clara", day("2023-04-01")),
    "I don't work at Acme anymore.": ("WORKS_AT", "Acme", MONDAY),
}
SINCE = {
    "I moved to Berlin yesterday.": day("2023-05-07"),
    "I moved to Berlin last month.": day("2023-04-01"),
    "I've lived in Madrid for three years.": datetime(2020, 5, 8, 13, 56, tzinfo=UTC),
    "I've been working at Siemens since March 2019.": day("2019-03-01"),
    "I'm moving to Lisbon next month.": day("2023-06-01"),
    "I joined Spotify three months ago.": day("2023-02-01"),
    "I was born in Mumbai in 1985.": day("1985-01-01"),
    "I live in Berlin.": MONDAY,
}


@pytest.mark.parametrize(("content", "facts"), SAID.items())
def test_what_a_turn_says_is_found(content: str, facts: list[tuple[str, str, str]]) -> None:
    assert triples(found(content)) == set(facts)


@pytest.mark.parametrize("content", NOT_SAID)
def test_what_is_asked_supposed_denied_or_unclear_is_no_fact(content: str) -> None:
    assert found(content).facts == ()


@pytest.mark.parametrize(("content", "end"), OVER.items())
def test_what_is_over_has_an_end_and_no_beginning(content: str, end: tuple[str, str, datetime]) -> None:
    fact = only(content)

    assert (fact.relation, fact.target, fact.invalid_at) == end
    assert fact.valid_at is None


@pytest.mark.parametrize(("content", "start"), SINCE.items())
def test_a_date_is_reckoned_from_the_time_of_saying(content: str, start: datetime) -> None:
    fact = only(content)

    assert (fact.valid_at, fact.invalid_at) == (start, None)


def test_a_state_in_the_past_ends_with_the_time_it_was_in() -> None:
    fact = only("I lived in Rome in 2019.")

    assert (fact.valid_at, fact.invalid_at) == (day("2019-01-01"), day("2020-01-01"))


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("Hey John! Emma Stone came to Paris with Siemens.", {"Ravi", "John", "Emma Stone", "Paris", "Siemens"}),
        ("We saw the Eiffel Tower on Monday at 5 pm for 20 dollars.", {"Ravi", "Eiffel Tower"}),
        ("Wow! Haha, LOL. Thanks!", {"Ravi"}),
    ],
)
def test_names_are_entities_and_dates_amounts_and_talk_are_not(content: str, names: set[str]) -> None:
    assert {entity.name for entity in found(content).entities} == names


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [
        ("Hey John!", "John", "person"),
        ("My cousin Berlin lives in Chennai.", "Chennai", "place"),
        ("My wife's name is Priya.", "Priya", "person"),
        ("I quit Acme.", "Acme", "organisation"),
        ("I bought a red bike.", "red bike", "thing"),
    ],
)
def test_an_entity_has_the_type_that_the_sentence_gives_it(content: str, name: str, kind: str) -> None:
    assert {entity.name: entity.type for entity in found(content).entities}[name] == kind


def test_the_title_is_an_entity_with_and_without_its_brackets() -> None:
    extraction = found("A film.", speaker=None, title="Alien (1979 film)")

    assert [entity.name for entity in extraction.entities] == ["Alien (1979 film)", "Alien"]


def test_without_a_speaker_nobody_is_meant_by_i() -> None:
    assert found("I live in Lisbon.", speaker=None).facts == ()


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        ("I live in Lisbon.", "Ravi lives in Lisbon."),
        ("My sister Anna likes my old car.", "Ravi's sister Anna likes Ravi's old car."),
        ("I'm allergic to nuts.", "Ravi is allergic to nuts."),
        ("I've visited Rome.", "Ravi has visited Rome."),
        ("We visited Rome.", "Ravi: We visited Rome."),
        ("I do have a boat.", "Ravi does have a boat."),
        ("Tom visited Rome.", "Tom visited Rome."),
    ],
)
def test_a_fact_is_worded_in_the_third_person(content: str, fact: str) -> None:
    assert found(content).facts[0].fact == fact


def test_a_text_says_the_same_whatever_its_company() -> None:
    texts = [turn(content) for content in (*SAID, *NOT_SAID, *OVER, *SINCE)]

    assert extracted(texts) == [extracted([text])[0] for text in texts]


@pytest.mark.anyio
async def test_texts_are_answered_in_their_order(extractor: LocalExtractor) -> None:
    texts = [turn(f"I live in Lisbon. {'I like tea. ' * (number % 3)}") for number in range(150)]

    extractions = await extractor.extract(texts)

    assert [len(extraction.facts) for extraction in extractions] == [1 + (number % 3 > 0) for number in range(150)]


def test_a_very_long_text_is_read_at_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "MAX_CHARACTERS", 10_000)

    extraction = found(f"I live in Lisbon. {'Good day to all. ' * 1000} I work at Siemens.")

    assert triples(extraction) == {("Ravi", "LIVES_IN", "Lisbon")}
    assert extraction.truncated


def test_a_word_without_end_is_no_entity() -> None:
    assert all(len(entity.name) <= 100 for entity in found("I live in " + "x" * 50_000).entities)


@pytest.mark.parametrize(
    "content",
    [
        "我住在北京 在华为工作。",
        "Ich wohne in Berlin und arbeite bei Siemens.",
        "🎉" * 500,
        "\ud800 half a surrogate",
        "\u202e\u0000\u200b",
        "((((((" * 200,
        "I live in the year 99999 years ago since 0000-00-00 until 31 February 10000.",
        " \n\t ",
    ],
)
def test_no_text_is_too_strange(content: str) -> None:
    assert len(found(content).facts) <= 1


@pytest.mark.parametrize(
    ("content", "source", "alias"),
    [
        ('Robert "Bob" Smith came by.', "Robert Smith", "Bob"),
        ("I met Robert, also known as Bob, in Paris.", "Robert", "Bob"),
        ("New York City (aka NYC) is big.", "New York City", "NYC"),
        ("My name is Ravindra and I live in Goa.", "Ravi", "Ravindra"),
        ("Everyone calls me Vindy. It stuck.", "Ravi", "Vindy"),
    ],
)
def test_another_name_is_found_where_the_text_says_so(content: str, source: str, alias: str) -> None:
    assert (source, "ALSO_KNOWN_AS", alias) in triples(found(content))


@pytest.mark.parametrize(
    "content",
    [
        "Please call me Monday!",
        "Don't just call me Bob.",
        "Bob is known as a great cook.",
        "Call me when Anna is there.",
    ],
)
def test_what_only_sounds_like_another_name_is_none(content: str) -> None:
    assert "ALSO_KNOWN_AS" not in {fact.relation for fact in found(content).facts}


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.none() | st.text(max_size=20), st.none() | st.text(max_size=40))
def test_what_is_found_holds_together(content: str, speaker: str | None, title: str | None) -> None:
    assert_sound(found(content, speaker, title))


@pytest.mark.parametrize("content", [*SAID, *NOT_SAID, *OVER, *SINCE])
def test_what_is_found_in_real_turns_holds_together(content: str) -> None:
    assert_sound(found(content))


def assert_sound(extraction: Extraction) -> None:
    names = [entity.name for entity in extraction.entities]
    keys = [normalised(name) for name in names]
    assert len(set(keys)) == len(keys)
    assert all(keys)
    assert {end for fact in extraction.facts for end in (fact.source, fact.target)} <= set(names)
    assert all(is_sound(fact) for fact in extraction.facts)


def is_sound(fact: FoundFact) -> bool:
    start = fact.valid_at.timestamp() if fact.valid_at else -math.inf
    end = fact.invalid_at.timestamp() if fact.invalid_at else math.inf
    return start < end and 0 < len(fact.fact) <= 4000 and fact.relation == relations.canonical(fact.relation)


def test_the_settings_choose_the_extractor() -> None:
    assert isinstance(build_extractor(settings_module.load({})), LocalExtractor)
    assert build_extractor(settings_module.load({"GRAPHMEM_EXTRACTOR__KIND": "none"})) is None


def test_a_missing_package_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "LIBRARIES", ("no_such_package",))

    assert "no_such_package: install graphmem[local]" in (LocalExtractor().ready() or "")
    with pytest.raises(ModelUnavailableError, match=r"graphmem\[local\]"):
        local_extractor.extracted([turn("Hello.")])
