"""How much an episode still matters, before anybody asks (pure)."""

import math
from datetime import datetime, timedelta

from msgspec import Struct

from graphmem.memory import EVERGREEN_TYPES, Importance

THRESHOLD = 1 / 16
HALF_LIFE = timedelta(days=90)
WORTH: dict[Importance, float] = {"low": 0.5, "normal": 1.0, "high": math.inf}


class Life(Struct, frozen=True, kw_only=True):
    """What an episode has seen: when it came, how often and when last it was given, how many facts it supports."""

    id: str
    doc: int
    type: str
    importance: Importance
    occurred_at: datetime
    created_at: datetime
    accesses: int = 0
    last_at: datetime | None = None
    facts: int = 0

    @property
    def quiet_since(self) -> datetime:
        """When it last had a part in anything: when it was given in an answer, or stored, or said if that was later.

        What came as unimportant counts from when it was said: it is no newer for having been stored late.
        """
        begun = self.occurred_at if self.importance == "low" else max(self.occurred_at, self.created_at)
        return max(begun, self.last_at or begun)


def salience(life: Life, *, now: datetime, half_life: timedelta = HALF_LIFE) -> float:
    """decay x use x support x importance; an evergreen type and high importance never fade.

    decay = 2^(-quiet / half life), as memory strength falls without rehearsal (Ebbinghaus 1885); use = 1 + log2(1 +
    accesses) and support = 1 + log2(1 + facts that hold and that it states), for each further one counts less than the
    one before (Anderson & Schooler 1991); importance = 1/2 where it is low. So an episode that was never given and
    states nothing reaches 1/16, where it fades, after four half lives: 360 days, or 270 of low importance.

    >>> day = datetime(2026, 1, 1)
    >>> def after(days, **more):
    ...     plain = {"id": "e", "doc": 1, "type": "note", "importance": "normal", "occurred_at": day, "created_at": day}
    ...     life = Life(**plain | more)
    ...     return salience(life, now=day + timedelta(days=days))
    >>> after(0), after(360), after(270, importance="low"), after(360, facts=1)
    (1.0, 0.0625, 0.0625, 0.125)
    >>> after(360, accesses=3), after(360, accesses=3, last_at=day + timedelta(days=90))
    (0.1875, 0.375)
    >>> after(9999, importance="high"), after(9999, type="person")
    (inf, inf)
    """
    if life.type in EVERGREEN_TYPES:
        return math.inf
    decay = 2.0 ** -max(0.0, (now - life.quiet_since) / half_life)
    return decay * (1 + math.log2(1 + life.accesses)) * (1 + math.log2(1 + life.facts)) * WORTH[life.importance]


def soonest(importance: Importance, *, half_life: timedelta = HALF_LIFE) -> timedelta:
    """How long an episode of that importance must have been quiet at least before it can fade.

    >>> soonest("normal").days, soonest("low").days
    (360, 270)
    """
    return half_life * math.log2(WORTH[importance] / THRESHOLD)
