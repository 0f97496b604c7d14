"""Words that mean the same in a namespace."""

from typing import Annotated

from litestar import get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody
from msgspec import Meta, Struct

from graphmem.errors import InvalidError
from graphmem.http.access import Access
from graphmem.http.problems import problem_specs
from graphmem.memory import QUERY_PATTERN, Namespace
from graphmem.recall.legs.ladder import sanitised
from graphmem.service import Service

AliasWord = Annotated[str, Meta(min_length=1, max_length=100, pattern=QUERY_PATTERN)]
Equivalents = Annotated[tuple[AliasWord, ...], Meta(min_length=1, max_length=20)]
MOST_WORDS = 1000


class AliasesRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All aliases: each word with its equivalents."""

    aliases: Annotated[dict[AliasWord, Equivalents], Meta(max_length=MOST_WORDS)]
    namespace: Namespace | None = None


class AliasesAnswer(Struct, frozen=True, kw_only=True):
    """The aliases of a namespace."""

    namespace: str
    aliases: dict[str, list[str]]


@get("/v1/aliases", opt={"role": "reader"}, responses=problem_specs())
async def show_aliases(access: NamedDependency[Access], service: NamedDependency[Service]) -> AliasesAnswer:
    """The words that have equivalents."""
    settings = await service.namespaces.settings(access.namespace)
    return AliasesAnswer(namespace=access.namespace, aliases=settings.aliases)


@put("/v1/aliases", opt={"role": "writer"}, responses=problem_specs())
async def replace_aliases(
    data: JSONBody[AliasesRequest], access: NamedDependency[Access], service: NamedDependency[Service]
) -> AliasesAnswer:
    """Make these the aliases, in place of those there were; they are in force at the next search."""
    aliases: dict[str, list[str]] = {}
    for word, equivalents in data.aliases.items():
        for one in (word, *equivalents):
            if not sanitised(one):
                raise InvalidError.of("aliases", "must be words: one has neither a letter nor a digit")
        aliases.setdefault(tidy(word), []).extend(tidy(one) for one in equivalents)
    kept = await service.preferences.replace_aliases(access.namespace, aliases)
    return AliasesAnswer(namespace=access.namespace, aliases=kept)


def tidy(word: str) -> str:
    """A word as it is kept: in lower case, its spaces single.

    >>> tidy(" New  York ")
    'new york'
    """
    return " ".join(word.lower().split())


HANDLERS = [show_aliases, replace_aliases]
