"""One thread for a model that computes: the most urgent piece of work goes next."""

import asyncio
import heapq
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class ModelThread:
    """Runs pieces of work one at a time, each before all that could wait longer.

    Work falls due when its patience ends, and the earliest due goes first: a question passes all texts that arrived
    in the last seconds, and texts are not starved by a stream of questions. What begins is never interrupted, so
    the pieces should be short.
    """

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._waiting: list[tuple[float, int, Future[Any], Callable[[], Any]]] = []
        self._arrivals = itertools.count()

    async def run(self, work: Callable[[], T], *, patience_seconds: float) -> T:
        """The result of the work, once it had its turn; work whose caller gave up is left out."""
        future: Future[T] = Future()
        due = time.monotonic() + patience_seconds
        with self._lock:
            heapq.heappush(self._waiting, (due, next(self._arrivals), future, work))
        self._executor.submit(self._run_most_urgent)
        return await asyncio.wrap_future(future)

    def _run_most_urgent(self) -> None:
        with self._lock:
            _, _, future, work = heapq.heappop(self._waiting)
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 (raised again where the result is awaited)
            future.set_exception(error)

    def close(self) -> None:
        """Finish what runs and drop what waits."""
        with self._lock:
            for _, _, future, _ in self._waiting:
                future.cancel()
        self._executor.shutdown(wait=False)
