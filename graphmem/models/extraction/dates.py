"""When something was so: expressions of time, resolved against the time of saying."""

import re
from datetime import datetime, timedelta
from functools import lru_cache

import dateparser
from msgspec import Struct

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
UNITS = {"day": 1, "week": 7, "month": 30, "year": 365, "decade": 3650}
COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBER_WORDS = {word: place for place, word in enumerate(COUNTED, start=1)} | {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
    "several": 5,
    "twenty": 20,
}
MOST_DIGITS = 3
RECURRING = re.compile(r"\b(every|each|daily|weekly|monthly|yearly|annual(ly)?|days|weekends|mornings|evenings|old)\b")
UNIT = r"(day|week|month|year|decade)s?"
DURATION = re.compile(
    rf"(?:for )?(?:the )?(?:(?:past|last|about|almost|over|nearly) )*(\w+(?: \w+ of)?) {UNIT}(?: now)?"
)
AGO = re.compile(rf"(?:(?:about|around|over|almost|just) )?(\w+(?: \w+ of)?) {UNIT} (ago|back|earlier|from now)")
YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d|21\d\d)\b")


class Period(Struct, frozen=True):
    """From when to when, the end being the first moment after it."""

    start: datetime
    end: datetime


@lru_cache(maxsize=4096)
def period(text: str, said_at: datetime, *, future: bool = False) -> Period | None:
    """The time that an expression names when said at that time; None when it names none that can be told.

    A month or day without its year is the latest one before, or the next one when `future`.

    >>> may = datetime(2023, 5, 8, 13, 56)
    >>> print(period("yesterday", may).start, period("2019", may).end, period("next month", may).start, sep=", ")
    2023-05-07 00:00:00, 2020-01-01 00:00:00, 2023-06-01 00:00:00
    >>> print(period("the summer of 2020", may).start, period("March", may).start, period("June", may).start, sep=", ")
    2020-06-01 00:00:00, 2023-03-01 00:00:00, 2022-06-01 00:00:00
    >>> print(period("two days ago", may).start, period("every week", may))
    2023-05-06 00:00:00 None
    """
    words = " ".join(re.sub(r"[^\w\s:/.-]", " ", text.lower()).split())
    words = re.sub(r"^(the|in|on|at|since|until|till|by|around|about|early|late|mid|of)\s+", "", words)
    if not words or (RECURRING.search(words) and not AGO.fullmatch(words)):
        return None
    today = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        return relative(words, today) or named(words, today, future=future) or parsed(words, today, future=future)
    except (ValueError, OverflowError):
        # Before the year 1, or after 9999.
        return None


def relative(words: str, today: datetime) -> Period | None:
    """A period counted from today: "last week", "3 months ago", "this weekend"."""
    if words in {"today", "tonight", "now", "this morning", "this afternoon", "this evening"}:
        return Period(today, today + timedelta(days=1))
    if matched := re.fullmatch(r"(last|past|previous|this|next|coming) (week|month|year|weekend)", words):
        steps = {"this": 0, "next": 1, "coming": 1}.get(matched[1], -1)
        return calendar_period(matched[2], steps, today)
    if matched := AGO.fullmatch(words):
        count = number(matched[1])
        return None if count is None else stretch(matched[2], count if matched[3] == "from now" else -count, today)
    return None


def calendar_period(unit: str, steps: int, today: datetime) -> Period:
    """The week, month, year or weekend that many after this one."""
    if unit == "year":
        return Period(year_start(today, today.year + steps), year_start(today, today.year + steps + 1))
    if unit == "month":
        return Period(month_start(today, steps), month_start(today, steps + 1))
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=steps)
    if unit == "weekend":
        return Period(monday + timedelta(days=5), monday + timedelta(days=7))
    return Period(monday, monday + timedelta(days=7))


def stretch(unit: str, count: int, today: datetime) -> Period:
    """The day, or the month or year, that many units from today."""
    if unit == "month":
        return Period(month_start(today, count), month_start(today, count + 1))
    if unit in {"year", "decade"}:
        return calendar_period("year", count * (10 if unit == "decade" else 1), today)
    day = today + timedelta(days=count * UNITS[unit])
    return Period(day, day + timedelta(days=UNITS[unit]))


def named(words: str, today: datetime, *, future: bool) -> Period | None:
    """A year, month or season by its name: "2019", "March 2020", "last summer"."""
    future = {"next", "coming"} & set(words.split()) != set() or (future and "last" not in words.split())
    years = YEAR.findall(words)
    year = int(years[0]) if len(years) == 1 else None
    rest = [word for word in words.split() if word not in {"of", "the", "last", "this", "next", "early", "late", "mid"}]
    rest = [word for word in rest if not YEAR.fullmatch(word)]
    if not rest and year:
        return Period(year_start(today, year), year_start(today, year + 1))
    month = MONTHS.index(rest[0]) + 1 if rest and rest[0] in MONTHS else SEASONS.get(rest[0]) if rest else None
    if month is None or len(rest) != 1:
        return None
    start = year_start(today, year or today.year).replace(month=month)
    if not year and future and month_start(start, 1) <= today:
        start = start.replace(year=start.year + 1)
    if not year and not future and start > today:
        start = start.replace(year=start.year - 1)
    return Period(start, month_start(start, 3 if rest[0] in SEASONS else 1))


def parsed(words: str, today: datetime, *, future: bool) -> Period | None:
    """A day, as dateparser reads it."""
    found = dateparser.parse(
        words,
        languages=["en"],
        settings={
            "RELATIVE_BASE": today.replace(tzinfo=None),
            "PREFER_DATES_FROM": "future" if future else "past",
            "PREFER_DAY_OF_MONTH": "first",
            "RETURN_AS_TIMEZONE_AWARE": False,
            "REQUIRE_PARTS": [],
        },
    )
    if found is None:
        return None
    start = today.replace(year=found.year, month=found.month, day=found.day)
    return Period(start, start + timedelta(days=1))


def duration_days(text: str) -> int | None:
    """How many days an expression lasts: "three years", "the past month"; None for what is no duration.

    >>> duration_days("three weeks"), duration_days("the past 2 years"), duration_days("May")
    (21, 730, None)
    """
    matched = DURATION.fullmatch(" ".join(text.lower().split()))
    count = number(matched[1]) if matched else None
    return count * UNITS[matched[2]] if matched and count else None


def number(word: str) -> int | None:
    """A count in digits or as a word.

    >>> number("12"), number("few"), number("a couple of"), number("many")
    (12, 3, 2, None)
    """
    parts = [part for part in word.split() if part != "of"]
    last = parts[-1] if parts else ""
    return int(last) if last.isascii() and last.isdigit() and len(last) <= MOST_DIGITS else NUMBER_WORDS.get(last)


def year_start(today: datetime, year: int) -> datetime:
    """New Year's day."""
    return today.replace(year=min(max(year, 1), 9998), month=1, day=1)


def month_start(today: datetime, months: int) -> datetime:
    """The first day of the month that many after today's.

    >>> print(month_start(datetime(2023, 1, 31), -1))
    2022-12-01 00:00:00
    """
    count = today.year * 12 + today.month - 1 + months
    return today.replace(year=count // 12, month=count % 12 + 1, day=1)
