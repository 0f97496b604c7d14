"""How long to wait before a server that failed is asked again."""

import math
import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


@dataclass(frozen=True)
class Retries:
    """Full jitter: a random wait up to a bound that doubles with each try, so that callers do not return together."""

    attempts: int = 4
    first_seconds: float = 0.5
    longest_seconds: float = 10.0

    def pause_seconds(self, failed: int, asked: str | None = None) -> float | None:
        """The wait after so many failures, not below what the server asked for; None when it is time to give up."""
        at_least = retry_after_seconds(asked)
        if failed >= self.attempts or at_least > self.longest_seconds:
            return None
        bound = min(self.longest_seconds, self.first_seconds * 2 ** (failed - 1))
        return max(at_least, random.uniform(0, bound))  # noqa: S311 (spreads load, hides nothing)


def retry_after_seconds(header: str | None) -> float:
    """What a Retry-After asks for, in seconds or as a date; 0 when it asks for nothing that can be read.

    >>> retry_after_seconds("3"), retry_after_seconds("soon"), retry_after_seconds(None)
    (3.0, 0.0, 0.0)
    """
    try:
        seconds = float(header or 0)
    except ValueError:
        return seconds_until(header or "")
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def seconds_until(date: str) -> float:
    """The seconds until a date as HTTP writes it; 0 when it is past or no date."""
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return 0.0
    now = datetime.now(UTC)
    return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now.timestamp())
