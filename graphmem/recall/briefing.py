"""What a conversation should begin with, asked without a question: no model and no graph is needed."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.memory import Kind, Recalled
from graphmem.recall.results import recalled_episode, recalled_fact
from graphmem.relations import table
from graphmem.stores.episodes import EpisodeStore
from graphmem.stores.facts import FactStore
from graphmem.stores.filters import Scope

# Relations of the table that tell what happened, or a passing taste; the others tell who somebody is.
PASSING = frozenset(
    """
    ATTENDED BOUGHT COOKED DIRECTED GOT HAD KNOWS LIKES MADE MET PRODUCED READ SOLD VISITED WATCHED WON WROTE
    """.split()  # noqa: SIM905 - a line of words, not a list of strings
)
PLANS = ("PLAN%", "WANTS\\_TO%", "HOPES\\_TO%", "INTENDS%")


@dataclass(frozen=True)
class Briefer:
    """Chooses by what things are, not by what was asked."""

    episodes: EpisodeStore
    facts: FactStore

    async def brief(self, scope: Scope, *, kinds: Collection[Kind], limit: int, now: datetime) -> list[Recalled]:
        """Who is who and what stays true; what is planned; then the newest of the latest sessions."""
        of_facts, of_episodes = limit if "fact" in kinds else 0, limit if "episode" in kinds else 0
        lasting, plans, (evergreen, newest) = await asyncio.gather(
            self.facts.lasting(scope, table().relation.keys() - PASSING, limit=of_facts, now=now),
            self.facts.plans(scope, PLANS, limit=of_facts, now=now),
            self.episodes.briefing(scope, limit=of_episodes),
        )
        shares = shared(limit, [len(evergreen), len(lasting), len(plans), len(newest)])
        stated = [*lasting[: shares[1]], *(one for one in plans[: shares[2]] if one not in lasting)]
        facts = [recalled_fact(row) for row in (await self.facts.fetch(scope.namespace, stated)).values()]
        said = [recalled_episode(one) for one in evergreen[: shares[0]]]
        return [*said, *facts, *(recalled_episode(one) for one in newest[: shares[3]])]


def shared(limit: int, there: Sequence[int]) -> list[int]:
    """How many of each kind are shown: a quarter, a quarter and a fifth at most, the last takes what is left.

    What the last one cannot fill goes to the others, from the first.

    >>> shared(10, [9, 9, 9, 9]), shared(10, [0, 1, 0, 50]), shared(10, [3, 9, 1, 2]), shared(1, [1, 1, 1, 1])
    ([2, 2, 2, 4], [0, 1, 0, 9], [3, 4, 1, 2], [1, 0, 0, 0])
    """
    most = [max(1, limit // 4), max(1, limit // 4), max(1, limit // 5), limit]
    shares: list[int] = []
    for wanted, have in zip(most, there, strict=True):
        shares.append(min(wanted, have, limit - sum(shares)))
    for place, have in enumerate(there):
        shares[place] += min(have - shares[place], limit - sum(shares))
    return shares
