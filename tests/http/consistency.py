"""Whether the tables of a database agree with each other; used at the end of tests that write at the same time."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import psycopg
from psycopg.rows import dict_row

from graphmem.memory import Episode
from graphmem.stores.index_text import keyword_parts

WORDS = """
    select lexeme, least(sum(cardinality(positions)), 32767)::int as tf
    from unnest(%s::text[]) as part(text), unnest(to_tsvector(text_search_of(%s), part.text))
    group by lexeme
"""
EPISODES = "(select namespace, id from episode)"
DOCS = "(select namespace, doc from episode)"
EXTRACTIONS = "(select namespace, episode from job where kind = 'extract')"
ORPHANS = {
    "episodes without a namespace": "select id from episode where namespace not in (select namespace from namespace)",
    "episodes without a job": f"select id from episode where (namespace, id) not in {EXTRACTIONS}",
    "postings without an episode": f"select distinct doc from posting where (namespace, doc) not in {DOCS}",
    "vectors without an episode": f"select doc from embedding where (namespace, doc) not in {DOCS}",
    "jobs for vectors of no episode": f"""
        select episode from job where kind = 'embed' and episode <> '' and (namespace, episode) not in {EPISODES}""",
    "jobs for vectors that are there": """
        select episode.id from episode join embedding using (namespace, doc)
            join job on job.namespace = episode.namespace and job.episode = episode.id and job.kind = 'embed'
        where job.state in ('waiting', 'failed')""",
}


def check_consistency(dsn: str) -> None:
    """Fail with what is wrong, if anything is: each table against the episodes it was made from."""
    with psycopg.connect(dsn, row_factory=dict_row) as connection:
        assert list(disagreements(connection)) == []


def disagreements(connection: psycopg.Connection[dict[str, Any]]) -> Iterator[str]:
    """Everything on which the tables disagree, in one snapshot."""
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    for name, query in ORPHANS.items():
        if rows := connection.execute(query).fetchall():  # pyright: ignore[reportArgumentType, reportCallIssue]
            yield f"{name}: {rows[:3]}"
    real: Counter[tuple[str, str]] = Counter()
    for row in connection.execute("select * from episode").fetchall():
        words = words_of(connection, row)
        real[row["namespace"], "episodes"] += 1
        real[row["namespace"], "lexemes"] += sum(words.values())
        if words != posted(connection, row):
            yield f"postings of {row['namespace']}/{row['id']} are not those of its text"
    counted = connection.execute("select namespace, sum(episodes) as e, sum(lexemes) as l from statistic group by 1")
    noted = Counter[tuple[str, str]]()
    for row in counted.fetchall():
        noted[row["namespace"], "episodes"], noted[row["namespace"], "lexemes"] = int(row["e"]), int(row["l"])
    if wrong := {key: (noted[key], real[key]) for key in noted | real if noted[key] != real[key]}:
        yield f"statistics (noted, real): {wrong}"


def words_of(connection: psycopg.Connection[dict[str, Any]], row: dict[str, Any]) -> dict[str, int]:
    """The words an episode's text gives, with their numbers."""
    episode = msgspec.convert({name: row[name] for name in Episode.__struct_fields__}, Episode)
    found = connection.execute(WORDS, [keyword_parts(episode), row["namespace"]])
    return {word["lexeme"]: word["tf"] for word in found.fetchall()}


def posted(connection: psycopg.Connection[dict[str, Any]], row: dict[str, Any]) -> dict[str, int]:
    """The words that are in the keyword index for an episode."""
    found = connection.execute("select lexeme, tf from posting where namespace = %(namespace)s and doc = %(doc)s", row)
    return {word["lexeme"]: word["tf"] for word in found.fetchall()}
