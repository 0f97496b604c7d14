"""A run that dies anywhere and is done again comes to the same end; what came later is not undone with it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some

from graphmem.consolidate.journal import Journal
from graphmem.memory import StatedFact
from graphmem.night import Change
from graphmem.service import Service
from tests.consolidate.lives import NOW, changes, fact, night, plan, state, tell

pytestmark = pytest.mark.anyio
NAMES = ("Ann-Marie", "Ann Marie", "Annmarie", "Michael", "Micheal", "Ben")
THINGS = ("tea", "a boat", "Paris")
facts = some.builds(
    fact, some.sampled_from(NAMES), some.sampled_from(("likes", "dislikes", "owns", "sold")), some.sampled_from(THINGS)
)
lives = some.lists(
    some.tuples(some.sampled_from(("s1", "s2", "s3")), some.tuples(facts, facts)), min_size=2, max_size=5
)


class DeadError(Exception):
    """The process died here."""


async def test_a_run_killed_between_any_two_batches_ends_like_one_that_was_not(
    service: Service, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [(f"s{n}", (fact(name, "owns", "a boat"), fact(name, "likes", "tea"))) for n, name in enumerate(NAMES)]
    await tell(service, namespace, *said)
    planned = await night(service, namespace, dry_run=True)
    expected = plan(await changes(service, namespace, run=planned.id))
    write = Journal.write
    written: list[str] = []

    async def dying(self: Journal, *given: Any, **more: Any) -> list[Change]:
        await write(self, *given, **more)
        written.append(given[1])
        raise DeadError

    monkeypatch.setattr(Journal, "write", dying)
    run = await service.consolidator.ask(namespace, now=NOW + timedelta(days=1))
    for _ in range(3):
        with pytest.raises(DeadError):
            await service.consolidator.nightly.do_open_runs(namespace)
    monkeypatch.undo()
    await service.consolidator.finish_here(run)

    assert len(written) == 3
    assert plan(await changes(service, namespace, run=run.id)) == expected
    assert len(expected) > 3


@given(life=lives)
@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_undoing_a_run_gives_the_state_before_it(
    service: Service, namespace: str, life: list[tuple[str, tuple[StatedFact, ...]]]
) -> None:
    await service.ingester.forget_namespace(namespace)
    await service.drainer.drain(namespace)
    await tell(service, namespace, *life)
    before = await state(service, namespace)

    run = await night(service, namespace)
    after = await state(service, namespace)
    again = await night(service, namespace, days=2)

    assert await changes(service, namespace, run=again.id) == []
    assert await state(service, namespace) == after
    await service.consolidator.undo_run(namespace, run.id, now=run.created_at)
    assert await state(service, namespace) == before
    vetoed = await night(service, namespace, days=3)
    undone = {(one.decides, *one.evidence) for one in await changes(service, namespace, run=run.id)}
    assert not undone & {(one.decides, *one.evidence) for one in await changes(service, namespace, run=vetoed.id)}


async def test_a_graph_that_is_away_follows_later(service: Service, namespace: str) -> None:
    await tell(
        service, namespace, ("s1", (fact("Ann-Marie", "likes", "tea"),)), ("s2", (fact("Ann Marie", "owns", "a boat"),))
    )
    nightly = replace(service.consolidator.nightly, projector=None)
    alone = replace(service.consolidator, nightly=nightly)
    run = await alone.ask(namespace, now=NOW + timedelta(days=1), steps=["same_entity"])

    await alone.finish_here(run)
    behind = await state(service, namespace)
    await night(service, namespace, days=2)

    assert behind["unprojected"] != []
    assert (await state(service, namespace))["unprojected"] == []
