"""What of an episode is indexed: the words for keyword search, the text for its vector (pure)."""

from datetime import datetime

from graphmem.memory import Episode

# A tsvector keeps positions up to 16,383 and 256 of a lexeme: pieces this long lose none of an ordinary text.
PART_LENGTH = 20_000
NOON = 12


def spoken_date(moment: datetime) -> str:
    """The day as people write it.

    >>> spoken_date(datetime(2023, 5, 8))
    '8 May 2023'
    """
    return f"{moment.day} {moment:%B} {moment.year}"


def spoken_moment(moment: datetime) -> str:
    """The moment as people write it; with the time of day a vector tells turns of one day apart.

    >>> spoken_moment(datetime(2023, 5, 8, 13, 56)), spoken_moment(datetime(2023, 5, 8))
    ('1:56 pm on 8 May, 2023', '12:00 am on 8 May, 2023')
    """
    half = "am" if moment.hour < NOON else "pm"
    return f"{moment.hour % NOON or NOON}:{moment:%M} {half} on {moment.day} {moment:%B}, {moment.year}"


def keyword_parts(episode: Episode) -> list[str]:
    """The text keyword search covers, in pieces a tsvector can hold: date, title, summary, speaker, content."""
    heading = [spoken_date(episode.occurred_at), episode.title, episode.summary, episode.speaker]
    return parts_of("\n".join([*(text for text in heading if text), episode.content]))


def parts_of(text: str) -> list[str]:
    """Pieces of at most PART_LENGTH characters, cut at white space where there is any.

    >>> [len(part) for part in parts_of("word " * 5000)]
    [19999, 5001]
    """
    parts: list[str] = []
    start = 0
    while len(text) - start > PART_LENGTH:
        space = max(text.rfind(" ", start, start + PART_LENGTH), text.rfind("\n", start, start + PART_LENGTH))
        end = space if space > start else start + PART_LENGTH
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]]


def vector_text(episode: Episode) -> str:
    """The text a vector is made of: without its date and speaker a short turn says too little."""
    speaker = f"{episode.speaker}: " if episode.speaker else ""
    title = f"{episode.title}. " if episode.title else ""
    return f"{spoken_moment(episode.occurred_at)} {speaker}{title}{episode.content}"
