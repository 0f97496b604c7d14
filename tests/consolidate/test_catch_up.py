"""What was left undone is found and done; what the graph shows otherwise is mended, both ways."""

import msgspec
import pytest

from graphmem.ingest.record import Said
from graphmem.service import Service, open_service
from graphmem.settings import Neo4j, Settings
from tests.consolidate.lives import changes, fact, night, state, tell

pytestmark = pytest.mark.anyio
STRAY = "CREATE (:Entity {uuid: '01890000-0000-7000-8000-000000000000', name: 'Nobody', group_id: $namespace})"
LOSE = "MATCH (e:Entity {group_id: $namespace, name: 'Ann'}) DETACH DELETE e"
EMPTY = Said()
BEND = "MATCH (e:Entity {group_id: $namespace, name: 'tea'}) SET e.name = 'coffee'"


async def life(service: Service, namespace: str) -> None:
    said = fact("Ann", "lives in", "Paris"), fact("Ann", "likes", "tea")
    await tell(service, namespace, ("s1", said[:1]), ("s1", said[1:]))


async def test_the_graph_is_brought_back_to_what_the_ledger_says(service: Service, namespace: str) -> None:
    await life(service, namespace)
    before = await state(service, namespace)
    assert service.graph is not None
    for query in (STRAY, LOSE, BEND):
        await service.graph.run(query, namespace=namespace)

    planned = await night(service, namespace, dry_run=True, steps=["catch_up"])
    bent = await state(service, namespace)
    run = await night(service, namespace, steps=["catch_up"])

    assert bent["graph"] != before["graph"]
    assert await state(service, namespace) == before
    kinds = [one.kind for one in await changes(service, namespace, run=run.id)]
    assert (kinds.count("show"), kinds.count("remove")) == (6, 1)
    assert len(await changes(service, namespace, run=planned.id)) == len(kinds)
    again = await night(service, namespace, days=2, steps=["catch_up"])
    assert await changes(service, namespace, run=again.id) == []


async def test_dead_and_forgotten_work_is_done(service: Service, namespace: str) -> None:
    await life(service, namespace)
    before = await state(service, namespace)
    await service.recorder.record(namespace, EMPTY, instead_of=["e0", "e1"])
    await service.postgres.rows("update job set state = 'dead', error = 'x' where episode = 'e0'")
    await service.postgres.rows("delete from job where episode = 'e1'")

    run = await night(service, namespace, steps=["catch_up"])

    assert await state(service, namespace) == before
    assert [one.subjects for one in await changes(service, namespace, run=run.id)][:2] == [["e0"], ["e1"]]


async def test_missing_vectors_are_made(
    settings: Settings, neo4j_settings: Neo4j, service: Service, namespace: str
) -> None:
    await life(service, namespace)
    async with open_service(msgspec.structs.replace(settings, neo4j=neo4j_settings)) as embedding:
        await embedding.claim_vectors()

        run = await night(embedding, namespace, steps=["catch_up"])

        kinds = [one.kind for one in await changes(embedding, namespace, run=run.id, step="catch_up")]
        assert sorted(kinds) == ["embed", "embed", "vector", "vector"]
        lacking = "select id from fact where namespace = %(n)s and vector is null"
        assert await embedding.postgres.rows(lacking, n=namespace) == []
        assert len(await embedding.postgres.rows("select doc from embedding where namespace = %(n)s", n=namespace)) == 2
        again = await night(embedding, namespace, days=2, steps=["catch_up"])
        assert await changes(embedding, namespace, run=again.id) == []
