"""Every query in every file is understood by the real databases, declares what it takes, and is used."""

import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import neo4j
import psycopg
import pytest
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql as composed

from graphmem.queries import PACKAGE, cypher, project_file, split_sql
from graphmem.settings import Neo4j

SQL_FILES = sorted((PACKAGE / "stores").glob("*.sql"))
CYPHER_FILES = sorted(project_file("cypher").rglob("*.cypher"))
SQL_QUERIES = [(file, name) for file in SQL_FILES for name in split_sql(file.read_text())]
NOT_EXPLAINED = ("set ", "lock ", "alter ", "drop ", "create ", "delete from vector_space where active;")
PARAMETER = re.compile(r"%\((\w+)\)s")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
VALUES: dict[str, Any] = {
    **dict.fromkeys(("b", "k1", "retry_seconds"), 0.5),
    **dict.fromkeys(("after_doc", "calls", "tokens", "space", "version", "dimensions", "max_attempts"), 1),
    **dict.fromkeys(("limit", "fan_out", "budget", "most_lexemes", "exact_below", "most"), 10),
    **dict.fromkeys(("most_episodes", "most_links", "most_postings"), 10),
    **dict.fromkeys(("most_walked", "most_characters", "reach_turns", "window"), 10),
    **dict.fromkeys(("narrow", "bound", "shown", "wants_vectors", "every_initial"), True),
    **dict.fromkeys(("job", "embed_job"), "01890000-0000-7000-8000-000000000000"),
    **{
        name: ["x"]
        for name in (
            "exclude",
            "evergreen",
            "ids",
            "mentioned",
            "phrases",
            "vector_ids",
            "namespaces",
            "reach",
            "kinds",
            "relations",
        )
    },
    **{name: ["x"] for name in ("episodes", "unset", "words", "useful", "useless")},
    **{name: [NOW] for name in ("created", "times")},
    **dict.fromkeys(("mark", "after_number", "half_life", "least"), 1),
    **{name: ["x"] for name in ("ones", "others", "nodes")},
    "low_before": NOW,
    **dict.fromkeys(("scheduled_for", "created_at", "now"), NOW),
    **dict.fromkeys(("progress", "counts", "place"), "{}"),
    **dict.fromkeys(("dry_run", "embeds"), False),
    **{name: ["x"] for name in ("overtaking", "overtaken", "single", "partners")},
    "steps": ["x"],
    **dict.fromkeys(("before", "after_time", "due_at", "given_at", "known", "valid", "stale"), NOW),
    **dict.fromkeys(("filters", "set"), "{}"),
    **dict.fromkeys(("rows",), "[]"),
    **dict.fromkeys(("asked", "of", "seconds"), 1),
    **dict.fromkeys(("way", "cases", "report"), "{}"),
    "texts": ["x"],
    "uuids": [],
    "docs": [1],
    "marks": [1],
    "lines": [1],
    "hours": 24,
    "days": 1,
    "names": ["x"],
    "seeds": ["x"],
    "groups": "[]",
    "truncated": [False],
    "hash": b"x",
    "text_search": "english",
    "vector": HalfVector([0.0] * 384),
    "vectors": [HalfVector([0.0] * 384)],
}
CYPHER_VALUES: dict[str, Any] = {
    **dict.fromkeys(("group_id", "lucene", "uuid", "namespace", "name", "words"), "x"),
    "rows": [],
    "uuids": [],
    **dict.fromkeys(("limit", "depth", "end_after", "hops", "most", "fan_out", "hop", "touched", "walked"), 1),
    **{name: [] for name in ("entities", "facts", "episodes", "named")},
    "fan_outs": [1, 1, 1],
    "after": "x",
    **dict.fromkeys(("known", "valid"), NOW),
    "vector": [0.0],
}
UUIDS = {
    "upkeep": ("after",),
    "accesses": ("id", "answer"),
    "alikes": ("after",),
    "synapses": ("after_id",),
    "changes": ("id", "run"),
    "consolidations": ("id", "after"),
    "evaluations": ("id", "lease", "after"),
    "jobs": ("id", "after"),
    "knowledge": ("id", "entity", "after_id"),
}
LISTS_OF_UUIDS = {
    "alikes": ("ids", "lefts", "rights"),
    "communities": ("ids",),
    "summaries": ("ids",),
    "ties": ("ids",),
    "changes": ("ids", "decides"),
    "rivals": ("ids",),
    "support": ("ids",),
    "ledger": ("ids", "statements", "facts", "entities", "before", "after", "gone"),
    "upkeep": ("uuids",),
    "contents": ("ids",),
    "fact_search": ("ids",),
    "facts": ("ids",),
    "knowledge": ("ids",),
    "named_vectors": ("ids",),
    "names": ("ids", "names"),
}


def value_of(file: Path, parameter: str) -> Any:
    if parameter in UUIDS.get(file.stem, ()):
        return VALUES["job"]
    if parameter in LISTS_OF_UUIDS.get(file.stem, ()):
        return [VALUES["job"]]
    if file.stem in {"episodes", "fading"} and parameter == "after":
        return 0
    if file.stem == "readings" and parameter == "version":
        return NOW
    return VALUES.get(parameter, "x")


@pytest.mark.parametrize(("file", "name"), SQL_QUERIES, ids=[f"{file.stem}.{name}" for file, name in SQL_QUERIES])
def test_postgres_plans_the_query(dsn: str, file: Path, name: str) -> None:
    text = split_sql(file.read_text())[name]
    parameters = {parameter: value_of(file, parameter) for parameter in PARAMETER.findall(text)}
    runs_as_it_is = text.startswith(NOT_EXPLAINED)
    with psycopg.connect(dsn) as connection:
        register_vector(connection)
        if file.stem == "reembedding":
            create = split_sql(file.read_text())["create_next"].replace("{dimensions}", "384")
            connection.execute(create)
            connection.execute(split_sql(file.read_text())["index_next"])
            text = text.replace("create table embedding_next", "create table embedding_after")
        statement = composed.SQL(text).format(dimensions=composed.Literal(384)) if "{dimensions}" in text else text
        if runs_as_it_is:
            connection.execute(statement.encode() if isinstance(statement, str) else statement)
        else:
            plan = connection.execute("explain " + str(statement), parameters).fetchall()
            assert plan
        connection.rollback()


@pytest.mark.parametrize(("file", "name"), SQL_QUERIES, ids=[f"{file.stem}.{name}" for file, name in SQL_QUERIES])
def test_every_sql_query_has_a_line_of_purpose_and_is_used(file: Path, name: str) -> None:
    block = file.read_text().split(f"-- name: {name}\n")[1]

    assert block.startswith("-- ")
    assert f"QUERIES.{name}" in file.with_suffix(".py").read_text()


@pytest.mark.parametrize("file", CYPHER_FILES, ids=[file.stem for file in CYPHER_FILES])
def test_neo4j_plans_the_query(neo4j_settings: Neo4j, file: Path) -> None:
    make_schema(neo4j_settings)
    run_all(neo4j_settings, [] if file.stem == "schema" else [explained(one) for one in statements_of(name_of(file))])


@cache
def make_schema(server: Neo4j) -> None:
    """The schema that the queries need, once; some of it twice, which changes nothing."""
    run_all(server, [*statements_of("schema"), *statements_of("schema")[:-1]])


def run_all(server: Neo4j, statements: list[str]) -> None:
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=("neo4j", server.password)) as driver,
        driver.session(database="neo4j", notifications_min_severity="OFF") as session,
    ):
        for statement in statements:
            session.run(statement, CYPHER_VALUES).consume()  # pyright: ignore[reportArgumentType]


def statements_of(name: str) -> list[str]:
    return [text.strip() for text in cypher(name).split(";") if text.strip()]


def explained(query: str) -> str:
    version, _, rest = query.partition("\n") if query.startswith("CYPHER") else ("", "", query)
    return f"{version} EXPLAIN {rest}"


@pytest.mark.parametrize("file", CYPHER_FILES, ids=[file.stem for file in CYPHER_FILES])
def test_every_cypher_file_declares_its_parameters_and_is_used(file: Path) -> None:
    text = file.read_text()
    header = "\n".join(line for line in text.splitlines() if line.startswith("//"))
    body = cypher(name_of(file))
    sources = "".join(path.read_text() for kind in ("*.py", "*.html") for path in PACKAGE.rglob(kind))

    assert set(re.findall(r"\$(\w+)", header)) == set(re.findall(r"\$(\w+)", body))
    assert "Used by" in header
    assert f'"{name_of(file)}"' in sources


def name_of(file: Path) -> str:
    return file.relative_to(project_file("cypher")).with_suffix("").as_posix()
