"""Words that mean the same in a namespace (pure): what a question also asks for."""

from collections.abc import Mapping, Sequence

from graphmem.recall.legs.ladder import sanitised

Aliases = Mapping[str, Sequence[str]]


def equivalents(question: str, aliases: Aliases) -> list[str]:
    """What else the words of a question mean; a word and its equivalents stand for each other.

    >>> equivalents("Where does K8s run?", {"k8s": ["kubernetes", "container platform"], "db": ["database"]})
    ['kubernetes', 'container platform']
    >>> equivalents("Which databases?", {"db": ["database"]}), equivalents("The database", {"db": ["database"]})
    ([], ['db'])
    """
    asked = f" {sanitised(question).lower()} "
    groups = [[word, *others] for word, others in aliases.items()]
    named = [[one for one in group if f" {sanitised(one).lower()} " in asked] for group in groups]
    meant = [one for group, here in zip(groups, named, strict=True) if here for one in group if one not in here]
    return list(dict.fromkeys(meant))


def expanded(question: str, aliases: Aliases) -> str:
    """The question followed by its equivalents; one of several words counts as a phrase too.

    >>> expanded("K8s?", {"k8s": ["kubernetes", "container platform"]})
    'K8s? kubernetes "container platform"'
    """
    meant = (sanitised(one) for one in equivalents(question, aliases))
    return " ".join([question, *(f'"{one}"' if " " in one else one for one in meant)])
