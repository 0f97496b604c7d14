"""Named queries from .sql and .cypher files.

A `.sql` file holds blocks headed `-- name: x`; a `.cypher` file is one query, named by its path under `cypher/`.
Comments are taken out when loading: psycopg reads a `%` in one as a parameter.
"""

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import LiteralString, cast

PACKAGE = Path(__file__).parent
NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
SQL_COMMENT = re.compile(r"^\s*--.*$|\s--\s.*$", re.MULTILINE)
CYPHER_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)


def project_file(name: str) -> Path:
    """A file or folder that stands beside the package in a checkout and inside it in a wheel."""
    packed = PACKAGE / "_files" / name
    return packed if packed.exists() else PACKAGE.parent / name


def split_sql(text: str) -> dict[str, str]:
    """Each named block of a .sql file, without comments.

    >>> split_sql("-- name: one\\n-- says one\\nselect 1;\\n-- name: two\\nselect 2 -- two\\n;")
    {'one': 'select 1', 'two': 'select 2'}
    """
    pieces = NAME.split(text)[1:]
    return {
        name: "\n".join(line for line in SQL_COMMENT.sub("", body).splitlines() if line.strip())
        .strip()
        .rstrip(";")
        .rstrip()
        for name, body in zip(pieces[::2], pieces[1::2], strict=True)
    }


class Sql(SimpleNamespace):
    """The queries of one file, as attributes."""

    def __getattr__(self, name: str) -> LiteralString:
        raise AttributeError(f"no query named {name}")


@cache
def sql(module_file: str) -> Sql:
    """The queries in the .sql file beside that module: `QUERIES = sql(__file__)`."""
    return Sql(**split_sql(Path(module_file).with_suffix(".sql").read_text(encoding="utf-8")))


@cache
def cypher(name: str) -> LiteralString:
    """The query of that path under `cypher/`, for example `ingest/save_episodes`."""
    text = (project_file("cypher") / f"{name}.cypher").read_text(encoding="utf-8")
    return cast("LiteralString", CYPHER_COMMENT.sub("", text).strip())
