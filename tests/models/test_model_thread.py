"""Work on a model has its turn by urgency."""

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from graphmem.models.model_thread import ModelThread

pytestmark = pytest.mark.anyio


@pytest.fixture
async def thread() -> AsyncIterator[ModelThread]:
    opened = ModelThread("test")
    yield opened
    opened.close()


class Occupied:
    """A thread kept busy until `release`, and what ran after that, in order."""

    def __init__(self, thread: ModelThread) -> None:
        self.thread = thread
        self.release = threading.Event()
        self.ran: list[str] = []

    async def begin(self) -> None:
        begun = threading.Event()
        self.first = asyncio.create_task(
            self.thread.run(lambda: (begun.set(), self.release.wait()), patience_seconds=0)
        )
        await asyncio.to_thread(begun.wait)

    async def queue(self, name: str, *, patience_seconds: float) -> asyncio.Task[None]:
        task = asyncio.create_task(self.thread.run(lambda: self.ran.append(name), patience_seconds=patience_seconds))
        await asyncio.sleep(0)  # one turn of the loop, in which the task queues its work
        return task


@pytest.fixture
async def occupied(thread: ModelThread) -> Occupied:
    busy = Occupied(thread)
    await busy.begin()
    return busy


async def test_work_runs_beside_the_event_loop(thread: ModelThread) -> None:
    assert await thread.run(threading.get_ident, patience_seconds=0) != threading.get_ident()


async def test_a_question_passes_the_texts_that_wait(occupied: Occupied) -> None:
    first = await occupied.queue("first text", patience_seconds=60)
    second = await occupied.queue("second text", patience_seconds=60)
    question = await occupied.queue("question", patience_seconds=0)

    occupied.release.set()
    await asyncio.gather(first, second, question)

    assert occupied.ran == ["question", "first text", "second text"]


async def test_a_text_that_waited_long_enough_passes_new_questions(occupied: Occupied) -> None:
    text = await occupied.queue("text", patience_seconds=-1)
    question = await occupied.queue("question", patience_seconds=0)

    occupied.release.set()
    await asyncio.gather(text, question)

    assert occupied.ran == ["text", "question"]


async def test_work_whose_caller_gave_up_is_left_out(occupied: Occupied) -> None:
    given_up = await occupied.queue("given up", patience_seconds=0)
    wanted = await occupied.queue("wanted", patience_seconds=60)

    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    occupied.release.set()
    await wanted

    assert occupied.ran == ["wanted"]


async def test_a_failure_is_raised_where_the_work_is_awaited_and_ends_nothing_else(thread: ModelThread) -> None:
    with pytest.raises(ZeroDivisionError):
        await thread.run(lambda: 1 // 0, patience_seconds=0)

    assert await thread.run(lambda: "still here", patience_seconds=0) == "still here"


async def test_closing_drops_what_waits(occupied: Occupied) -> None:
    waiting = await occupied.queue("waiting", patience_seconds=0)

    occupied.thread.close()
    occupied.release.set()
    await asyncio.gather(waiting, return_exceptions=True)

    assert waiting.cancelled()
    assert occupied.ran == []
