"""What a memory is worth by itself for a question of a kind, whatever the legs say: its intent, decay and time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphmem.memory import EVERGREEN_TYPES, Interval, MemoryId, Nature, Scores
from graphmem.recall.ranking.decay import decay
from graphmem.recall.ranking.intent import Intents, multiplier
from graphmem.recall.ranking.order import reordered


@dataclass(frozen=True, kw_only=True)
class Prior:
    """The factors of a question; without an intent, with floors of 1, without a time named they are 1 for all."""

    intents: Intents
    intent_weight: float
    half_life: timedelta
    floor: float
    evergreen_floor: float
    now: datetime
    time: Interval | None = None
    time_weight: float = 0.0
    fresh_facts: bool = False
    timeless: bool = False

    @property
    def asks_for_a_kind(self) -> bool:
        """Whether the question's intent weighs at all."""
        return bool(self.intent_weight) and any(self.intents)

    @property
    def fades(self) -> bool:
        """Whether age weighs at all."""
        return not self.timeless and min(self.floor, self.evergreen_floor) < 1

    @property
    def prefers_a_time(self) -> bool:
        """Whether the question names a time, and that weighs."""
        return bool(self.time_weight) and self.time is not None

    def time_of(self, nature: Nature) -> float:
        """1 + the weight of time where it was said in the time that the question names; nothing is left out."""
        inside = self.time is not None and self.time.holds(nature.moment)
        return 1.0 + self.time_weight if inside else 1.0

    def intent(self, nature: Nature) -> float:
        """The multiplier of the question's intents, to the power of its weight; facts are no notes and stay."""
        if not self.asks_for_a_kind or nature.kind == "fact":
            return 1.0
        return multiplier(nature.traits, self.intents) ** self.intent_weight

    def decay(self, nature: Nature) -> float:
        """What its age leaves of it; evergreen types have a floor of their own, and what lasts does not fade."""
        if not self.fades or nature.lasting or (self.fresh_facts and nature.kind == "fact"):
            return 1.0
        floor = self.evergreen_floor if nature.type in EVERGREEN_TYPES else self.floor
        return decay(self.now - nature.moment, half_life=self.half_life, floor=floor)

    def of(self, nature: Nature) -> float:
        """All of them."""
        return self.intent(nature) * self.decay(nature) * self.time_of(nature)


def weigh(scores: Scores, factors: Mapping[MemoryId, float]) -> Scores:
    """Each score times its memory's factor; equal ones keep the order they had.

    >>> weigh({"a": 0.5, "b": 0.4}, {"a": 0.5, "b": 2.0})
    {'b': 0.8, 'a': 0.25}
    """
    return reordered({memory_id: score * factors[memory_id] for memory_id, score in scores.items()})
