"""The worker process: drains namespaces when woken, and sweeps for what nobody was woken for.

wake-up (procrastinate) ──┐
                          ├──> drain a namespace, under its lock
sweep, every few seconds ─┘

evaluations that wait ───────> asked one at a time, each under a lease
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from procrastinate import App
from procrastinate.exceptions import ConnectorException

from graphmem.errors import UnavailableError
from graphmem.service import Service
from graphmem.stores.queue import DRAIN

log = logging.getLogger(__name__)
HEARTBEAT_SECONDS = 5.0
STALLED_SECONDS = 20.0
SHUTDOWN_SECONDS = 10.0
PURGE_EVERY = 120
SCHEDULE_EVERY = 6


@dataclass(frozen=True)
class WorkerProcess:
    """One worker; any number may run beside each other."""

    service: Service

    async def run(self, *, on_ready: Callable[[], None] = lambda: None) -> None:
        """Work until a signal asks to stop; an outage of Postgres is waited out."""
        app = self.service.waker.app
        app.task(name=DRAIN, queue="drain", pass_context=False)(self.drain)
        sweeper = asyncio.create_task(self.sweep_for_ever(app))
        waker = asyncio.create_task(self.service.waker.run())
        evaluations = asyncio.create_task(self.service.evaluations.run())
        on_ready()
        try:
            await self.work(app)
        finally:
            for task in (sweeper, waker, evaluations):
                task.cancel()
            await asyncio.gather(sweeper, waker, evaluations, return_exceptions=True)

    async def work(self, app: App) -> None:
        """Run procrastinate's worker; begin again when the database was away."""
        while True:
            try:
                await app.run_worker_async(
                    queues=["drain"],
                    concurrency=self.service.settings.worker.concurrency,
                    delete_jobs="always",
                    update_heartbeat_interval=HEARTBEAT_SECONDS,
                    stalled_worker_timeout=STALLED_SECONDS,
                    shutdown_graceful_timeout=SHUTDOWN_SECONDS,
                    fetch_job_polling_interval=self.service.settings.worker.sweep_seconds,
                )
            except ConnectorException:
                log.warning("Postgres is away; the worker waits for it")
                await asyncio.sleep(self.service.settings.worker.retry_seconds)
            else:
                return

    async def drain(self, namespace: str) -> None:
        """The task: do what is due in one namespace."""
        settled = await self.service.drainer.drain(namespace)
        if settled:
            log.info("drained", extra={"namespace": namespace, "jobs": settled})

    async def sweep_for_ever(self, app: App) -> None:
        """Sweep every few seconds; an outage is met again at the next sweep."""
        turn = 0
        while True:
            with contextlib.suppress(UnavailableError, ConnectorException):
                await self.sweep(app)
                if turn % SCHEDULE_EVERY == 0 and self.service.schedule is not None:
                    await self.service.schedule.ask_for_due(datetime.now(UTC))
                if turn % PURGE_EVERY == 0:
                    await self.service.jobs.purge()
                    await self.service.accesses.store.forget_old()
                turn += 1
            await asyncio.sleep(self.service.settings.worker.sweep_seconds)

    async def sweep(self, app: App) -> None:
        """Wake for work that is due, free what dead workers held, fold the statistics."""
        for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS):
            await app.job_manager.retry_job(job)
        for namespace in await self.service.jobs.due_namespaces(list(self.service.drainer.handlers)):
            self.service.waker.wake(namespace)
        await self.service.namespaces.fold()
