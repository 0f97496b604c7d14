"""When a namespace's night is due: at an hour of its own time zone, once, also when the service was down then."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from graphmem.consolidate.consolidator import Consolidator
from graphmem.memory import utc
from graphmem.stores.namespaces import NamespaceStore

# A night that was missed for longer than this is left to the next one: nobody wants it at noon.
LATE = timedelta(hours=4)


@dataclass(frozen=True)
class Schedule:
    """Asks for the runs that are due."""

    consolidator: Consolidator
    namespaces: NamespaceStore
    at: time
    time_zone: str

    async def ask_for_due(self, now: datetime) -> int:
        """Ask for the run of every namespace whose night has come; once a night, whoever asks; how many."""
        asked = 0
        for one in await self.namespaces.nights():
            night = last_night(now, ZoneInfo(one.time_zone or self.time_zone), self.at)
            if now - night <= LATE and one.created_at < night and (one.last is None or one.last < night):
                asked += await self.consolidator.ask_for_night(one.namespace, night, now=now)
        return asked


def last_night(now: datetime, zone: ZoneInfo, at: time) -> datetime:
    """The last time the clocks of a zone showed that hour.

    >>> last_night(datetime.fromisoformat("2026-07-01T00:30:00+00:00"), ZoneInfo("Europe/Paris"), time(3)).isoformat()
    '2026-06-30T01:00:00+00:00'
    """
    today = now.astimezone(zone).date()
    nights = [utc(datetime.combine(today - timedelta(days=days), at, tzinfo=zone)) for days in (0, 1)]
    return next(night for night in nights if night <= now)
