"""When two names are one name: the identity of entities, everywhere."""

import re
import unicodedata

ARTICLES = frozenset({"the", "a", "an"})
HONORIFICS = frozenset(
    {"mr", "mrs", "ms", "miss", "mx", "dr", "doctor", "prof", "professor", "sir", "madam", "madame", "rev", "reverend"}
)
POSSESSIVE = re.compile(r"['\u2019`](?:s)?$")
EDGES = " \"'`\u2018\u2019\u201c\u201d.,;:!?*"


def normalised(name: str) -> str:
    """The name by which an entity is known: two names that give the same are the same entity.

    Lower case, white space folded, without a leading article or honorific, a possessive ending, and the quotes and
    stops around it. What would leave nothing stays; empty only for a name of blanks.

    >>> normalised("  Dr. Anna   Kovács "), normalised("the Beatles'"), normalised("Anna\u2019s")
    ('anna kovács', 'beatles', 'anna')
    >>> normalised("The The"), normalised("Mr."), normalised("A"), normalised("!!!")
    ('the', 'mr', 'a', '!!!')
    """
    folded = " ".join(folded_case(name).split())
    while (shorter := peeled(folded)) != folded:
        folded = shorter
    return folded


def folded_case(name: str) -> str:
    """The name in one case and one way of writing its characters.

    >>> folded_case("STRASSE") == folded_case("straße"), folded_case("\ufb01n")
    (True, 'fin')
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def peeled(name: str) -> str:
    """The name without one layer around it, or as it is when nothing would be left.

    >>> peeled("mr. jones"), peeled("jones's"), peeled("jones")
    ('jones', 'jones', 'jones')
    """
    bare = POSSESSIVE.sub("", name.strip(EDGES)).strip(EDGES)
    first, _, rest = bare.partition(" ")
    if first.rstrip(".") in ARTICLES | HONORIFICS and rest.strip(EDGES):
        bare = rest.strip(EDGES)
    return bare or name
