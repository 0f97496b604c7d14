"""Who belongs together by the facts between them, what is said of them, and that it is never stale."""

from datetime import timedelta
from typing import Any

import pytest

from graphmem.memory import NewEpisode
from graphmem.service import Service
from tests.consolidate.lives import NOW, fact, night, tell

pytestmark = pytest.mark.anyio
FAMILY = [fact("Ann", "sister of", "Bob"), fact("Bob", "likes", "Cleo"), fact("Cleo", "knows", "Ann")]
CREW = [fact("Xeno", "sails with", "Yara"), fact("Yara", "knows", "Zoe"), fact("Zoe", "likes", "Xeno")]
BRIDGE = fact("Cleo", "met", "Xeno")
STEPS = ["communities", "summaries"]


async def remember(service: Service, namespace: str) -> None:
    """Two threes of friends and a link between them; all facts of the family are said twice."""
    said = [(f"s{n}", (one,)) for n, one in enumerate([*FAMILY, *FAMILY, *CREW, BRIDGE])]
    await tell(service, namespace, *said)


async def belonging(service: Service, namespace: str) -> list[list[str]]:
    query = """
        select array_agg(entity.name order by entity.name) as names
        from community_member as member join entity
            on entity.namespace = member.namespace and entity.id = member.entity
        where member.namespace = %(n)s
        group by community
        order by 1
    """
    return [row["names"] for row in await service.postgres.rows(query, n=namespace)]


async def in_the_graph(service: Service, namespace: str) -> list[dict[str, Any]]:
    assert service.graph is not None
    return await service.graph.run(
        """
        MATCH (community:Community {group_id: $group_id})
        OPTIONAL MATCH (community)-[:HAS_MEMBER {group_id: $group_id}]->(entity:Entity)
        RETURN community.name AS name, community.summary AS summary, count(entity) AS members
        ORDER BY name
        """,
        group_id=namespace,
    )


async def summary_of(service: Service, namespace: str, name: str) -> tuple[str, str]:
    """What the API says of an entity, and what the graph does."""
    (listed,), _ = await service.knowledge.entities(namespace, limit=1, after=None, part=name)
    assert service.graph is not None
    rows = await service.graph.run(
        "MATCH (entity:Entity {uuid: $uuid}) RETURN entity.summary AS summary", uuid=listed.id
    )
    return listed.summary, rows[0]["summary"]


async def test_those_whom_facts_tie_most_belong_together(service: Service, namespace: str) -> None:
    other = f"{namespace}_other"
    await remember(service, namespace)
    await tell(service, other, ("s", tuple(FAMILY)))

    await night(service, namespace, steps=STEPS)

    assert await belonging(service, namespace) == [["Ann", "Bob", "Cleo"], ["Xeno", "Yara", "Zoe"]]
    shown = await in_the_graph(service, namespace)
    assert [row["members"] for row in shown] == [3, 3]
    assert [sorted(row["name"].split(", ")) for row in shown] == [["Ann", "Bob", "Cleo"], ["Xeno", "Yara", "Zoe"]]
    assert all("knows" in row["summary"] for row in shown)
    assert await in_the_graph(service, other) == []


async def test_a_community_stays_itself_when_somebody_joins(service: Service, namespace: str) -> None:
    await remember(service, namespace)
    await night(service, namespace, steps=STEPS)
    ids = {row["id"] for row in await service.postgres.rows("select id::text from community")}

    await tell(service, namespace, ("s", (fact("Dan", "likes", "Ann"), fact("Dan", "knows", "Bob"))), start=20)
    await night(service, namespace, days=2, steps=STEPS)

    assert await belonging(service, namespace) == [["Ann", "Bob", "Cleo", "Dan"], ["Xeno", "Yara", "Zoe"]]
    assert {row["id"] for row in await service.postgres.rows("select id::text from community")} == ids
    again = await night(service, namespace, days=3, steps=STEPS)
    assert again.counts == {"communities": {"looked": 0}, "summaries": {"looked": 0}}


async def test_a_summary_goes_at_once_when_a_fact_it_rests_on_does(service: Service, namespace: str) -> None:
    home = fact("Ann", "lives in", "Paris")
    said = [(f"s{n}", (home, fact("Ann", "likes", "tea"))) for n in range(5)]
    await tell(service, namespace, *said)
    await night(service, namespace, steps=STEPS)
    before = await summary_of(service, namespace, "Ann")

    await tell(service, namespace, ("s9", (fact("Ann", "lives in", "Rome", valid_at=NOW.replace(year=2027)),)), start=9)
    retired = await summary_of(service, namespace, "Ann")
    await service.ingester.forget(namespace, ["e9"])
    await service.drainer.drain(namespace)
    back = await summary_of(service, namespace, "Ann")

    assert sorted(before[0].rstrip(".").split(". ")) == ["Ann likes tea", "Ann lives in Paris"]
    assert before[0] == before[1]
    assert retired == ("", "")
    assert back == before


async def test_a_summary_is_written_anew_from_what_holds(service: Service, namespace: str) -> None:
    facts = [fact("Ann", "likes", thing) for thing in ("tea", "cake")]
    await tell(service, namespace, *[(f"s{n}", tuple(facts)) for n in range(5)])
    await night(service, namespace, steps=STEPS)

    for n in range(5):
        new = NewEpisode(content=f"{n}: changed", facts=(facts[0],))
        await service.ingester.replace(namespace, f"e{n}", new, now=NOW + timedelta(hours=9))
    await service.drainer.drain(namespace)
    await night(service, namespace, days=2, steps=STEPS)
    gone = await summary_of(service, namespace, "Ann")
    await tell(service, namespace, ("s7", (fact("Ann", "likes", "walks"),)), start=7)
    await night(service, namespace, days=3, steps=STEPS)

    assert gone == ("", "")
    assert await summary_of(service, namespace, "Ann") == ("Ann likes tea. Ann likes walks.",) * 2
