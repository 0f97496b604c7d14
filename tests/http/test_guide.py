"""The guide and the style that Neo4j Browser loads: open to any page, and every query in them draws."""

import html
import re
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from neo4j.graph import Path

from graphmem.http.guide import guide
from graphmem.queries import cypher, project_file
from graphmem.settings import Embedder, Extractor, Http, Neo4j
from graphmem.stores.graph import ENTITY_LABELS
from tests.http.answers import imported
from tests.http.serving import Running, a_database, serving, settings_for

pytestmark = pytest.mark.anyio

PAGES = {"/browser/guide.html": "text/html; charset=utf-8", "/browser/style.grass": "text/plain; charset=utf-8"}
PREFLIGHT = {
    "Origin": "http://127.0.0.1:7474",
    "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "cache-control,pragma",
}
BOX = re.compile(r'<pre class="runnable">(.*?)</pre>', re.DOTALL)
BOXES = [html.unescape(box) for box in BOX.findall(guide())]
QUERIES = [box for box in BOXES if not box.startswith(":")]
SAMPLE = (project_file("docs") / "sample.jsonl").read_bytes().splitlines()
COMMUNITY = """
MATCH (member:Entity {group_id: $namespace})
WITH collect(member) AS members
CREATE (community:Community {group_id: $namespace, name: 'friends'})
FOREACH (member IN members | CREATE (community)-[:HAS_MEMBER]->(member))
"""
CITIES_OF_IDA = """
MATCH (:Entity {group_id: $namespace, name: 'Ida'})-[fact:RELATES_TO {name: 'LIVES_IN'}]->(city)
RETURN city.name AS city, fact.gm_until AS until
"""
SHOWN = {
    "hubs": {"Alfama", "Ida", "Lantern Night", "Lisbon", "Nora", "Paper Lantern", "Tomás Brandão"},
    "about": {"Ida", "Lantern Night", "Lisbon", "Madeira", "Nora", "accordion", "lantern:sailing"},
    "this_week": {"Bergen", "Lisbon", "Nora", "Tomás Brandão"},
    "contradictions": {"Bergen", "Harbour Bakery", "Ida", "Lisbon", "Paper Lantern", "Tomás Brandão"},
    "duplicates": {"Alfama", "Harbor Bakery", "Harbour Bakery"},
    "memory_path": {"Ida", "Madeira", "Nora", "lantern:night", "lantern:sailing"},
    "communities": {"friends", "Ida", "Nora"},
}
EXACT = ("contradictions", "duplicates", "memory_path")


@pytest.fixture(scope="module")
async def sample(server_dsn: str, neo4j_settings: Neo4j, anyio_backend: str) -> AsyncIterator[tuple[Running, str]]:
    """The sample of the documentation in the graph, in a namespace of its own beside another, and a community."""
    namespace = "guide_sample"
    models: dict[str, Any] = {"embedder": Embedder(kind="none"), "extractor": Extractor(kind="none")}
    with a_database(server_dsn) as dsn:
        async with serving(settings_for(dsn, neo4j=neo4j_settings, **models)) as running:
            graph = running.service.graph
            assert graph is not None
            for one in (namespace, "guide_other"):
                async with running.caller("admin", one) as client:
                    assert (await imported(client, *SAMPLE))[-1]["failed"] == 0
                await running.service.drainer.drain(one)
            await graph.run(COMMUNITY, namespace=namespace)
            yield running, namespace


@pytest.mark.parametrize("name", SHOWN)
async def test_a_query_of_the_guide_draws_what_it_promises(sample: tuple[Running, str], name: str) -> None:
    running, namespace = sample
    parameters = {"namespace": namespace, "name": "ida", "words": "SAIL TO"}
    assert running.service.graph is not None

    result = await running.service.graph.driver.execute_query(cypher(f"browser/{name}"), parameters)

    paths: list[Path] = [path for record in result.records for path in record.values()]
    nodes = [node for path in paths for node in path.nodes]
    shown = {node["name"] for node in nodes}
    assert {node["group_id"] for node in nodes} == {namespace}
    assert shown == SHOWN[name] if name in EXACT else shown >= SHOWN[name]


async def test_the_guide_lists_the_namespaces(sample: tuple[Running, str]) -> None:
    assert sample[0].service.graph is not None

    rows = await sample[0].service.graph.run(cypher("browser/namespaces"))

    assert {"namespace": sample[1], "entities": 19, "episodes": 16} in rows


async def test_a_fact_that_is_over_says_until_when(sample: tuple[Running, str]) -> None:
    assert sample[0].service.graph is not None

    rows = await sample[0].service.graph.run(CITIES_OF_IDA, namespace=sample[1])

    assert {row["city"]: row["until"] for row in rows} == {"Bergen": "to 2026-05", "Lisbon": None}


@pytest.mark.parametrize("page", PAGES)
async def test_any_page_may_load_it_without_a_key(plain_server: Running, page: str) -> None:
    async with plain_server.client() as nobody:
        answer = await nobody.get(page, headers={"Origin": PREFLIGHT["Origin"]})
        allowed = await nobody.options(page, headers=PREFLIGHT)

    assert (answer.status_code, answer.headers["content-type"]) == (200, PAGES[page])
    assert answer.headers["access-control-allow-origin"] == "*"
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == "*"
    assert set(allowed.headers["access-control-allow-headers"].split(", ")) == {"pragma", "cache-control"}


async def test_it_is_open_where_the_api_lets_in_some_origins_only(plain_server: Running) -> None:
    choosy = msgspec.structs.replace(plain_server.settings, http=Http(cors_origins=("https://chat.example",)))

    async with serving(choosy) as running, running.client() as nobody:
        allowed = await nobody.options("/browser/guide.html", headers=PREFLIGHT)
        refused = await nobody.options("/v1/search", headers=PREFLIGHT)

    assert (allowed.status_code, refused.status_code) == (204, 400)


def test_the_guide_has_every_query_but_the_one_that_the_api_writes_out() -> None:
    files = {file.stem for file in project_file("cypher").glob("browser/*.cypher")}

    assert len(QUERIES) == len(files - {"around_entity"})
    assert "<query" not in guide()


def test_the_style_knows_every_kind_of_node() -> None:
    style = (project_file("graphmem") / "http" / "style.grass").read_text()

    styled = set(re.findall(r"^node\.(\w+) ", style, re.MULTILINE))

    assert styled == ENTITY_LABELS | {"Entity", "Episodic", "Community"}
