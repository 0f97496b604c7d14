"""How strongly two nodes of the graph are tied."""

from datetime import timedelta

from graphmem.memory import Tie

MENTION = 1.0
# Of what was said right before or after, half: measured on the index of short turns, where it was as good as more.
SESSION = 0.5
HALF_LIFE_DAYS = 180.0
OLDEST = 0.5
MILLISECONDS_A_DAY = 86_400_000
SYNAPSE_HALF_LIFE = timedelta(days=60)


def strength(tie: Tie, *, now: int, use: float = 1.0) -> float:
    """The weight of a tie, 0 to 1 (times its use): a mention 1, a session's order 1/2, a fact by support and recency.

    strength(fact) = (1 - 2^-support) x (1/2 + 1/2 x 2^(-age in days / 180)) x use; `now` is in epoch milliseconds.
    A fact that a caller stated outside of any episode counts as supported once. A synapse is as strong as what is left
    of its weight.

    >>> strength(Tie("mention", "e", "x"), now=0), strength(Tie("session", "e", "f"), now=0)
    (1.0, 0.5)
    >>> fresh, old = Tie("fact", "x", "y", support=2, confirmed=0), Tie("fact", "x", "y", support=1, confirmed=0)
    >>> strength(fresh, now=0), strength(old, now=180 * MILLISECONDS_A_DAY)
    (0.75, 0.375)
    >>> strength(Tie("synapse", "e", "x", weight=0.8, confirmed=0), now=60 * MILLISECONDS_A_DAY)
    0.4
    """
    if tie.kind == "synapse":
        return faded(tie.weight, timedelta(milliseconds=now - (tie.confirmed or 0)) / SYNAPSE_HALF_LIFE)
    if tie.kind != "fact":
        return MENTION if tie.kind == "mention" else SESSION
    age = max(0.0, now - (tie.confirmed or 0)) / MILLISECONDS_A_DAY
    recency = OLDEST + (1 - OLDEST) * 2 ** (-age / HALF_LIFE_DAYS)
    return (1 - 0.5 ** max(1, tie.support)) * recency * use


def faded(weight: float, half_lives: float) -> float:
    """What is left of a weight: half of it after each half life.

    >>> faded(0.8, 2), faded(0.8, -1)
    (0.2, 0.8)
    """
    return weight * 2.0 ** -max(0.0, half_lives)
