"""Which entity each name means (pure): the names of one entity lead to one, whatever was said first.

A name that is said to be another name of one entity means that entity, and chains of names lead to one end. A name
that two different entities are said to go by means neither of them: it stays an entity of its own. What was decided to
be one is one, whatever was said.
"""

from collections.abc import Iterable, Mapping

from graphmem.ledger import Fact, Link
from graphmem.relations import alias_end


def links_of(facts: Iterable[Fact]) -> list[Link]:
    """The links that facts about other names make; one that was taken back makes none."""
    return [
        Link(
            alias=fact.target if alias_end(fact.relation) == "target" else fact.source,
            entity=fact.source if alias_end(fact.relation) == "target" else fact.target,
            reason="said",
            cause=fact.id,
        )
        for fact in facts
        if fact.expired_at is None and fact.source != fact.target
    ]


def meanings(links: Iterable[Link]) -> dict[str, str]:
    """The entity that each linked one means, where that is another.

    A name becomes one with those who claim it as soon as these are one; that only ever makes more of them one, so the
    order of the links does not matter. Of those that are one, the smallest stands for all that is no other's alias, if
    there is such a one.

    >>> def said(*pairs): return [Link(alias=a, entity=e, reason="said", cause="") for e, a in pairs]
    >>> meanings(said(("robert", "bob"), ("bob", "bobby")))
    {'bob': 'robert', 'bobby': 'robert'}
    >>> meanings(said(("robert", "bob"), ("roberto", "bob")))
    {}
    >>> meanings(said(("robert", "bob"), ("roberto", "bob"), ("robert", "roberto")))
    {'bob': 'robert', 'roberto': 'robert'}
    >>> meanings(said(("bob", "robert"), ("robert", "bob")))
    {'robert': 'bob'}
    """
    given = list(links)
    one = Groups()
    for link in given:
        if link.reason == "merged":
            one.join(link.alias, link.entity)
    claims = claimed(given)
    while any(one.join_all(alias, owners) for alias, owners in claims.items()):
        pass
    aliases = {link.alias for link in given if one.first(link.alias) == one.first(link.entity)}
    return {
        member: root
        for members in one.groups()
        for root in [min(members, key=lambda member: (member in aliases, member))]
        for member in sorted(members)
        if member != root
    }


def claimed(links: Iterable[Link]) -> Mapping[str, set[str]]:
    """Who is said to go by each name."""
    owners: dict[str, set[str]] = {}
    for link in links:
        if link.reason == "said":
            owners.setdefault(link.alias, set()).add(link.entity)
    return owners


class Groups:
    """What is one, by a member that stands for the others meanwhile."""

    def __init__(self) -> None:
        self._before: dict[str, str] = {}

    def first(self, member: str) -> str:
        """Who stands for it."""
        while (before := self._before.setdefault(member, member)) != member:
            member = before
        return member

    def join(self, left: str, right: str) -> bool:
        """Make the two one; whether they were not yet."""
        low, high = sorted((self.first(left), self.first(right)))
        self._before[high] = low
        return low != high

    def join_all(self, alias: str, owners: Iterable[str]) -> bool:
        """Make a name and those who go by it one, if these are one; whether they were not yet."""
        firsts = {self.first(owner) for owner in owners}
        return len(firsts) == 1 and self.join(alias, firsts.pop())

    def groups(self) -> list[list[str]]:
        """The members of each group."""
        found: dict[str, list[str]] = {}
        for member in list(self._before):
            found.setdefault(self.first(member), []).append(member)
        return list(found.values())
