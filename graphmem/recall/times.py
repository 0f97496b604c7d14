"""The time a question names: "last week", "in March 2026", "two days ago"."""

import asyncio
import importlib.util
import re
from datetime import datetime, timedelta

from graphmem.memory import Interval

MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
DAY = r"\d{1,2}(?:st|nd|rd|th)?"
WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
UNIT = "(?:day|week|month|year|decade)"
COUNT = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a )?(?:couple|few)(?: of)?)"
YEAR = r"(?:1[5-9]|2[01])\d\d(?![-/])"
SEASON = "(?:spring|summer|autumn|fall|winter)"
# A bare month or season may be a verb or a name: it needs a word before it, a day or a year.
BEFORE = "(?:in|during|since|until|till|by|around|about|of|before|after|last|this|next|past)"
EXPRESSION = re.compile(
    rf"""\b(?:
        (?P<stretch>(?:in\ |over\ |during\ |within\ )?(?:the\ |these\ )?(?:last|past)\ {COUNT}\ {UNIT}s?)
      | the\ day\ before\ yesterday | yesterday | today | tonight | last\ night | tomorrow
      | (?:last|past|previous|this|next|coming)\ (?:{UNIT}|weekend|{WEEKDAY}|{MONTH}|{SEASON})
      | {COUNT}\ {UNIT}s?\ (?:ago|back|earlier)
      | \d{{4}}-\d\d-\d\d | \d{{1,2}}/\d{{1,2}}/\d{{4}}
      | {DAY}\ (?:of\ )?{MONTH}(?:,?\ {YEAR})? | {MONTH}\ {DAY}\b(?:,?\ {YEAR})?
      | {MONTH},?\ (?:of\ )?{YEAR} | {SEASON}\ (?:of\ )?{YEAR}
      | (?<=\bon\ ){WEEKDAY}
      | {BEFORE}\ (?:early\ |late\ |mid-?\ ?)?
        (?:{MONTH}(?:\ {DAY}\b)?(?:,?\ (?:of\ )?{YEAR})? | {SEASON}(?:\ (?:of\ )?{YEAR})? | {YEAR})
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
LEADING = re.compile(rf"^(?:{BEFORE}(?<!last)(?<!this)(?<!next)(?<!past)\ )", re.IGNORECASE)
MOST_CHARACTERS = 1000


def expression(question: str) -> str | None:
    """The first expression of time in a question, if there is one.

    >>> [expression(text) for text in ("What did we do last week?", "who came in March 2026", "May I march?")]
    ['last week', 'March 2026', None]
    >>> expression("What did Ann say two days ago about the summer of 2023?"), expression("in the past few months")
    ('two days ago', 'the past few months')
    """
    found = EXPRESSION.search(" ".join(question[:MOST_CHARACTERS].split()))
    return LEADING.sub("", found[0]) if found else None


async def named_time(question: str, *, now: datetime) -> Interval | None:
    """The time that a question names, seen from now; None when it names none, or no reader of dates is installed."""
    words = expression(question)
    if words is None or importlib.util.find_spec("dateparser") is None:
        return None
    # The first date read takes long, for its library learns a language then.
    return await asyncio.to_thread(resolved, words, now)


def resolved(words: str, now: datetime) -> Interval | None:
    """The time an expression means, in whole days."""
    from graphmem.models.extraction.dates import duration_days, period

    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    lasting = re.sub(r"^(?:in|over|during|within) ", "", words.lower()).replace("these", "the")
    days = duration_days(lasting) if lasting.startswith(("last", "past", "the last", "the past")) else None
    if days:
        return Interval(today - timedelta(days=days), today + timedelta(days=1))
    found = period(words, today)
    return Interval(found.start, found.end) if found else None
