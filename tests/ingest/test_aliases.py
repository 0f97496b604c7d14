"""Names that mean one entity, on a real Postgres: what is said last holds for all that was said before, and back."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from graphmem.ingest.extract import Names, mentions_of, statements_of
from graphmem.ingest.meanings import meanings
from graphmem.ingest.record import Said
from graphmem.ledger import Link, named_uuid
from graphmem.memory import Episode, NewEpisode, NewFact, Query, StatedFact
from graphmem.models.extractor import Extraction
from graphmem.recall.profiles import Numbers, Profile
from graphmem.relations import table
from graphmem.service import Service
from graphmem.stores.namespaces import QUERIES
from graphmem.stores.postgres import Row

pytestmark = pytest.mark.anyio

START = datetime(2026, 1, 1, tzinfo=UTC)
LEDGER = """
    select 'mention' as kind, episode, entity::text, name, named::text, null as more
    from mention where namespace = %(namespace)s
    union all
    select 'entity', '', id::text, name, '', type from entity where namespace = %(namespace)s
    union all
    select 'fact', '', id::text, source::text, target::text, concat_ws('|', relation, fact, valid_at, invalid_at,
        stated_invalid_at, created_at, expired_at, confirmed_at, retired_by)
    from fact where namespace = %(namespace)s
    union all
    select 'meaning', '', named::text, entity::text, '', '' from meaning where namespace = %(namespace)s
    union all
    select 'statement', episode, id::text, source::text, target::text, fact::text
    from statement where namespace = %(namespace)s
    order by 1, 2, 3, 4, 5
"""
SAID = [
    ("Robert", "lives in", "Paris"),
    ("Bob", "lives in", "Berlin"),
    ("Bobby", "lives in", "Rome"),
    ("Bob", "likes", "tea"),
    ("Robert", "likes", "tea"),
    ("Ann", "friend of", "Bobby"),
    ("Robert", "also known as", "Bob"),
    ("Bob", "goes by", "Bobby"),
    ("Bert", "also known as", "Bob"),
    ("Bobby", "alias of", "Robert"),
]


def told(namespace: str, number: int, source: str, relation: str, target: str) -> Episode:
    """An episode in which somebody said that."""
    stated = StatedFact(source=source, relation=relation, target=target, fact=f"{source} {relation} {target}")
    day = START + timedelta(days=number)
    return Episode(namespace=namespace, id=f"e{number}", content="x", occurred_at=day, created_at=day, facts=(stated,))


def said_in(episode: Episode) -> Said:
    names = Names(episode.namespace)
    return Said(mentions_of(episode, Extraction(), names), statements_of(episode, Extraction(), names))


async def record(service: Service, episodes: Sequence[Episode], *, gone: Sequence[Episode] = ()) -> list[Row]:
    """An empty ledger, then these episodes, of which some go again; what is in it at the end."""
    namespace = episodes[0].namespace
    await service.postgres.rows("insert into namespace values (%(n)s) on conflict do nothing", n=namespace)
    await service.postgres.rows(QUERIES.delete_ledger, namespace=namespace)
    for episode in episodes:
        await service.recorder.record(namespace, said_in(episode), instead_of=[episode.id])
    for episode in gone:
        await service.recorder.record(namespace, Said(), instead_of=[episode.id])
    return await service.postgres.rows(LEDGER, namespace=namespace)


@pytest.mark.parametrize("seed", range(8))
async def test_the_order_in_which_things_are_said_never_matters(service: Service, namespace: str, seed: int) -> None:
    chance = random.Random(seed)
    chosen = chance.sample(SAID, 7)
    episodes = [told(namespace, number, *what) for number, what in enumerate(chosen)]
    shuffled = chance.sample(episodes, len(episodes))
    kept = episodes[:5]

    in_order = await record(service, episodes)

    assert await record(service, shuffled) == in_order
    assert await record(service, kept) == await record(service, shuffled, gone=episodes[5:])


async def test_an_alias_makes_two_entities_one_and_its_going_makes_them_two(service: Service, namespace: str) -> None:
    lives, moves, alias = (told(namespace, n, *SAID[place]) for n, place in enumerate((0, 1, 6)))

    apart = await record(service, [lives, moves])
    together = await record(service, [lives, moves, alias])

    assert names_of(apart) == {"Robert", "Paris", "Bob", "Berlin"}
    assert names_of(together) == {"Paris", "Berlin"} | names_of(together) & {"Robert", "Bob"}
    assert len(names_of(together)) == 3
    ended = [row["more"] for row in together if row["kind"] == "fact" and "Paris" in row["more"]]
    assert "2026-01-02" in ended[0], "as one, he moved from Paris to Berlin"
    assert await record(service, [alias, lives, moves], gone=[alias]) == apart


def names_of(rows: Sequence[Row]) -> set[str]:
    return {row["name"] for row in rows if row["kind"] == "entity"}


async def test_what_is_decided_to_be_one_is_one_until_that_is_undone(service: Service, namespace: str) -> None:
    episodes = [told(namespace, n, *SAID[place]) for n, place in enumerate((0, 1, 3))]
    before = await record(service, episodes)
    names, ledger = Names(namespace), service.recorder.ledger
    merged = Link(alias=names.entity("Bob"), entity=names.entity("Robert"), reason="merged", cause=named_uuid("x"))

    async def bring_up(links: Sequence[Link]) -> list[Row]:
        async with service.postgres.connection() as connection, connection.transaction():
            await ledger.keep_links(connection, namespace, links, reason="merged")
            touched = await service.recorder.repoint(connection, namespace)
            await service.recorder.bring_up(connection, namespace, touched)
        return await service.postgres.rows(LEDGER, namespace=namespace)

    assert len(names_of(await bring_up([merged]))) == len(names_of(before)) - 1
    assert await bring_up([]) == before


async def test_a_taken_back_alias_is_none(service: Service, namespace: str) -> None:
    state = service.stater.state
    await state(namespace, [a_fact("Bob", "likes", "tea"), a_fact("Robert", "likes", "jazz")], now=START)
    before = await ids_by_name(service, namespace)
    alias = await state(namespace, [a_fact("Robert", "a.k.a.", "Bob")], now=START + timedelta(days=1))
    one = await ids_by_name(service, namespace)

    end: dict[str, Any] = {"invalid_at": None, "reason": "no", "now": START + timedelta(days=2)}
    await service.stater.invalidate(namespace, alias.outcomes[0].id, **end)

    assert len(one) == len(before) - 1
    assert await ids_by_name(service, namespace) == before


def a_fact(source: str, relation: str, target: str) -> NewFact:
    return NewFact(source=source, relation=relation, target=target, fact=f"{source} {relation} {target}")


async def ids_by_name(service: Service, namespace: str) -> dict[str, str]:
    entities, _ = await service.knowledge.entities(namespace, limit=50, after=None)
    return {entity.name: entity.id for entity in entities}


async def test_an_entity_answers_to_all_its_names(service: Service, namespace: str) -> None:
    facts = [a_fact("Robert", "likes", "tea"), a_fact("Robert", "knows", "Ann"), a_fact("Robert", "a.k.a.", "Bob")]
    await service.stater.state(namespace, facts, now=START)
    names = Names(namespace)

    by_alias = await service.knowledge.entity(namespace, names.entity("bob"))
    found, _ = await service.knowledge.entities(namespace, limit=5, after=None, part="BOB")

    assert by_alias == await service.knowledge.entity(namespace, names.entity("Robert"))
    assert by_alias is not None
    assert {by_alias.name, *by_alias.aliases} == {"Robert", "Bob"}
    assert (by_alias.mentions, [one.id for one in found]) == (1, [by_alias.id])


async def test_a_question_by_another_name_finds_what_was_said_by_the_first(service: Service, namespace: str) -> None:
    spreading = Profile(name="x", about="", numbers=Numbers(rrf_k=8, propagate_weight=3))
    news = [
        NewEpisode(id="a", title="Robert Lindqvist", content="He studied law before he turned to baking."),
        NewEpisode(id="b", title="Green Fields", content="It was made in Spain and is about a farm."),
    ]
    await service.ingester.add_batch(namespace, news, now=START)
    await service.drainer.drain(namespace)
    await service.stater.state(namespace, [a_fact("Robert Lindqvist", "a.k.a.", "Zorro")], now=START)

    answer = await service.recaller.recall(
        Query(namespace=namespace, text="What did the famous Zorro make of it?"), spreading, now=START
    )

    assert answer.trace["propagation"]["names"] == ["zorro"]
    assert answer.trace["propagation"]["charges"][0]["id"] == "a"


links = st.lists(
    st.builds(
        Link,
        alias=st.sampled_from("abcde"),
        entity=st.sampled_from("abcde"),
        reason=st.sampled_from(["said", "said", "merged"]),
        cause=st.just(""),
    ),
    max_size=7,
)


@for_all(links, st.randoms())
def test_meanings_lead_to_an_end_whatever_the_order_of_the_links(given: list[Link], chance: random.Random) -> None:
    shuffled = list(given)
    chance.shuffle(shuffled)
    meant = meanings(given)

    assert meanings(shuffled) == meant
    assert not set(meant) & set(meant.values())


def test_the_index_of_what_is_said_about_names_knows_the_relations() -> None:
    assert {name for name, row in table().relation.items() if row.alias} == {"ALSO_KNOWN_AS", "ALIAS_OF"}
