"""What kind of note an episode is (pure): decided once, when it is stored, for questions that ask for a kind."""

import re

from graphmem.memory import Episode, Trait

FLAGS = re.IGNORECASE | re.ASCII

PATTERNS: dict[Trait, re.Pattern[str]] = {
    "preference": re.compile(
        r"\b(?:prefer(?:s|red)?|like(?:s|d)?|love(?:s|d)?|want(?:s|ed)?|need(?:s|ed)?|avoid(?:s|ed)?|dislike(?:s|d)?"
        r"|hate(?:s|d)?|enjoy(?:s|ed)?|interested in|looking for)\b",
        FLAGS,
    ),
    "generic": re.compile(
        r"\b(?:tips?|advice|suggest(?:ion|ed)?s?|recommend(?:ation|ed)?s?|ideas?|options?|guide|tracking|tracker"
        r"|checklist)\b",
        FLAGS,
    ),
    "rollup": re.compile(
        r"\b(?:roll-?up|summary|recap|overview|aggregate|combined|overall|in total|totalled?|totalling)\b", FLAGS
    ),
    "event": re.compile(
        r"\b(?:i|we)\s+(?:picked up|bought|ordered|spent|earned|sold|drove|travelled|traveled|went|watched|visited"
        r"|completed|finished|started|booked|got|took|submitted)\b",
        FLAGS,
    ),
    "dated": re.compile(r"\[(?:date|observed on):", FLAGS),
}
# Parts of a path, in the lower case of the text they are looked for in.
PATHS: dict[Trait, tuple[str, ...]] = {
    "global": ("memory/global/",),
    "user_preference": ("user-preference-",),
    "user_fact": ("user-fact-", "milestone-"),
}


def traits(episode: Episode) -> list[Trait]:
    """The traits of a note, from its path, title, summary and content.

    >>> from datetime import UTC, datetime
    >>> day = datetime(2026, 5, 1, tzinfo=UTC)
    >>> tea = {"content": "We bought tea. [date: May]", "path": "memory/global/user-fact-tea.md"}
    >>> traits(Episode(namespace="n", id="1", occurred_at=day, created_at=day, **tea))
    ['event', 'dated', 'global', 'user_fact']
    """
    path = (episode.path or "").lower()
    text = "\n".join(part for part in (path, episode.title, episode.summary, episode.content) if part).lower()
    by_text: list[Trait] = [trait for trait, pattern in PATTERNS.items() if pattern.search(text)]
    return by_text + [trait for trait, parts in PATHS.items() if any(part in path for part in parts)]
