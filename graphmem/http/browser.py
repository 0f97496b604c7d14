"""Queries written out for the editor of Neo4j Browser, and links that open it with one (pure)."""

import re
from urllib.parse import quote

from graphmem.queries import cypher

PARAMETER = re.compile(r"\$(\w+)")
ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"})


def literal(value: str | int) -> str:
    """A value as Cypher writes it; nothing in a text becomes syntax.

    >>> print(literal("O'Neil\\\\"), literal(3))
    'O\\'Neil\\\\' 3
    """
    return str(value) if isinstance(value, int) else f"'{value.translate(ESCAPES)}'"


def written_out(query: str, **values: str | int) -> str:
    """The query of that path under `cypher/` with the values in place of its parameters.

    >>> written_out("browser/around_entity", uuid="u", group_id="n", hops=1, limit=9).splitlines()[0]
    "MATCH path = (entity:Entity {uuid: 'u', group_id: 'n'})-[:RELATES_TO*1..3]-(:Entity)"
    """
    return PARAMETER.sub(lambda match: literal(values[match[1]]), cypher(query))


def browser_link(browser: str, query: str) -> str | None:
    """Where Neo4j Browser opens with that query in its editor; none where its address is not known.

    >>> browser_link("http://127.0.0.1:7474/browser/", "RETURN 1")
    'http://127.0.0.1:7474/browser/?cmd=edit&arg=RETURN%201'
    """
    return f"{browser}?cmd=edit&arg={quote(query, safe='')}" if browser else None
