"""Let what was said long ago fade, but for what stays true."""

from datetime import timedelta


def decay(age: timedelta, *, half_life: timedelta, floor: float) -> float:
    """What is left of a score: max(floor, 2^(-age / half life)). What lies ahead is as fresh as what is new.

    >>> [round(decay(timedelta(days=days), half_life=timedelta(days=30), floor=0), 4) for days in (0, 30, 60, 120)]
    [1.0, 0.5, 0.25, 0.0625]
    >>> [decay(timedelta(days=days), half_life=timedelta(days=30), floor=0.3) for days in (0, 30, 60, 120)]
    [1.0, 0.5, 0.3, 0.3]
    """
    return max(floor, 2.0 ** -max(0.0, age / half_life))
