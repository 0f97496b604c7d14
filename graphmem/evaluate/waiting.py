"""Evaluations that were asked for and wait: taken up one at a time by whichever worker is free."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from graphmem.errors import ConflictError, GraphmemError, UnavailableError
from graphmem.evaluate.ablations import profiles_of
from graphmem.evaluate.questions import Case
from graphmem.evaluate.replay import Evaluator, Way
from graphmem.stores.evaluations import MOST_WAITING, Claim, Evaluation, EvaluationStore

log = logging.getLogger(__name__)
PAUSE_SECONDS = 1.0
NOTED_EVERY_SECONDS = 1.0


class TakenOverError(Exception):
    """The evaluation is no longer ours: it was forgotten, or another worker has it."""


@dataclass(frozen=True)
class Evaluations:
    """Takes evaluations up, and works on them."""

    evaluator: Evaluator
    store: EvaluationStore

    async def ask(self, namespace: str, cases: Sequence[Case], way: Way) -> Evaluation:
        """Have questions asked again; a profile or number that makes no sense is refused at once."""
        profile = await self.evaluator.profile(namespace, way)
        of = len(cases) * len(profiles_of(profile) if way.ablate else [profile])
        asked = await self.store.ask(namespace, way, cases, of=of)
        if asked is None:
            raise ConflictError(f"{MOST_WAITING} evaluations of this namespace wait already.", "namespace")
        return asked

    async def run(self) -> None:
        """Work on what waits, for ever; an outage is waited out."""
        while True:
            found = None
            with contextlib.suppress(UnavailableError):
                found = await self.store.claim()
                if found is not None:
                    await self.work(found)
            if found is None:
                await asyncio.sleep(PAUSE_SECONDS)

    async def work(self, claim: Claim) -> None:
        """Ask its questions, and write down what came of it; after an outage another try begins anew."""
        noted = time.monotonic()

        async def progress(asked: int, of: int) -> None:
            nonlocal noted
            if time.monotonic() - noted >= NOTED_EVERY_SECONDS or asked == of:
                noted = time.monotonic()
                if not await self.store.go_on(claim, asked, of):
                    raise TakenOverError

        try:
            cases, way = msgspec.convert(claim.cases, list[Case]), msgspec.convert(claim.way, Way)
            report = await self.evaluator.evaluate(
                claim.namespace, cases, way, now=datetime.now(UTC), progress=progress
            )
            await self.store.finish(claim, report=report)
        except TakenOverError:
            log.info("an evaluation was taken over or forgotten", extra={"namespace": claim.namespace})
        except UnavailableError:
            raise
        except GraphmemError as error:
            await self.store.finish(claim, error=str(error))
        except Exception as error:
            log.exception("an evaluation failed", extra={"namespace": claim.namespace})
            await self.store.finish(claim, error=type(error).__name__)
