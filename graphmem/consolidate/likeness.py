"""Which names may be one entity's (pure): written alike, misspelt, shortened, or made of initials.

Numbers must agree whatever else does: "Flat 12" is never "Flat 13".
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graphmem.names import normalised
from graphmem.stores.alikes import Named

Likeness: TypeAlias = Literal["written", "misspelt", "shortened", "initials", "meant"]
# Of a short word one letter is too much of it.
SHORTEST_MISSPELT = 5
LONGEST_MISSPELT = 40
SHORTEST_INITIALS = 3
SHORTEST_WRITTEN = 3
# A name that so many have is nobody's.
MOST_NAMESAKES = 50


def letters(name: str) -> str:
    """The letters and digits of a name, without accents.

    >>> letters("Café-Luna"), letters("cafe luna"), letters("Dr. Zoë")
    ('cafeluna', 'cafeluna', 'zoe')
    """
    bare = unicodedata.normalize("NFKD", normalised(name))
    return "".join(letter for letter in bare if letter.isalnum())


def words(name: str) -> list[str]:
    """The words of a name, without accents."""
    return [found for part in re.split(r"[\s\-_/]+", normalised(name)) if (found := letters(part))]


def numbers(name: str) -> list[str]:
    """The numbers in a name, in order."""
    return re.findall(r"\d+", name)


def without_one(word: str) -> set[str]:
    """The word, and the word with any one letter left out: two that are one slip apart have one in common.

    >>> sorted(without_one("abc"))
    ['ab', 'abc', 'ac', 'bc']
    """
    return {word} | {word[:place] + word[place + 1 :] for place in range(len(word))}


def one_slip(left: str, right: str) -> bool:
    """Whether one letter more, less, other, or two that changed places make one of the other.

    >>> one_slip("katherine", "catherine"), one_slip("micheal", "michael"), one_slip("anna", "hanna")
    (True, True, True)
    >>> one_slip("marion", "martin"), one_slip("same", "same")
    (False, False)
    """
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    start = next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), len(min(left, right))
    )
    a, b = left[start:], right[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


@dataclass
class NameIndex:
    """All names of a namespace, found by what another writing of them would have in common."""

    by_slip: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    by_word: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    by_initials: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    spelt: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def add(self, named: Iterable[Named]) -> None:
        """Take some entities in."""
        for one in named:
            for name in one.names:
                self.add_name(one.id, name)

    def add_name(self, entity: str, name: str) -> None:
        """Take one name in."""
        bare, parts = letters(name), words(name)
        self.spelt.setdefault(bare, set()).add(entity)
        if SHORTEST_MISSPELT <= len(bare) <= LONGEST_MISSPELT:
            for slip in without_one(bare):
                self.by_slip.setdefault(slip, set()).add(bare)
        if len(parts) > 1:
            for word in {parts[0], parts[-1]}:
                self.by_word.setdefault(word, set()).add(entity)
        if len(parts) >= SHORTEST_INITIALS:
            self.by_initials.setdefault("".join(word[0] for word in parts), set()).add(entity)

    def alike(self, one: Named) -> dict[str, Likeness]:
        """Entities that may be the same as one, each by the best of its names, with how they are alike."""
        found: dict[str, Likeness] = {}
        for name in one.names:
            for other, how in self.alike_name(name):
                found.setdefault(other, how)
        found.pop(one.id, None)
        return found

    def alike_name(self, name: str) -> Iterator[tuple[str, Likeness]]:
        """Entities with a name like this, those written alike first."""
        bare, parts = letters(name), words(name)
        initials = "".join(word[0] for word in parts) if len(parts) >= SHORTEST_INITIALS else ""
        if len(bare) >= SHORTEST_WRITTEN:
            yield from as_likeness(self.spelt.get(bare, set()), "written")
        for other in self.misspelt(bare):
            yield from as_likeness(self.spelt[other], "misspelt")
        if len(parts) == 1:
            yield from as_likeness(self.few(self.by_word, bare), "shortened")
            yield from as_likeness(self.few(self.by_initials, bare), "initials")
        for word in sorted({*parts[:1], *parts[-1:]}) if len(parts) > 1 else ():
            yield from as_likeness(self.few(self.spelt, word), "shortened")
        yield from as_likeness(self.few(self.spelt, initials) if initials else (), "initials")

    def misspelt(self, bare: str) -> list[str]:
        """Spellings that are one slip away."""
        if not SHORTEST_MISSPELT <= len(bare) <= LONGEST_MISSPELT:
            return []
        near = {other for slip in without_one(bare) for other in self.by_slip.get(slip, ())}
        return sorted(one for one in near if one_slip(bare, one) and numbers(bare) == numbers(one))

    def few(self, index: dict[str, set[str]], key: str) -> list[str]:
        """The entities under a key, unless there are so many that it tells nothing."""
        found = index.get(key, set())
        return sorted(found) if len(found) <= MOST_NAMESAKES else []


def as_likeness(entities: Iterable[str], how: Likeness) -> Iterator[tuple[str, Likeness]]:
    """Each of the entities with how it is alike, in order."""
    for one in sorted(entities):
        yield one, how
