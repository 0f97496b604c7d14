"""A write load that never gives up: each episode is sent until it is acknowledged, and it is remembered which were."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from benchmarks.running import POLL_SECONDS, Running

ACKNOWLEDGED = (200, 201)
NO_ANSWER = "no answer"
PATIENCE_SECONDS = 120.0


@dataclass
class Load:
    """Several clients, each writing one episode after the other."""

    service: Running
    namespace: str
    sent: set[str] = field(default_factory=set[str])
    acknowledged: set[str] = field(default_factory=set[str])
    answers: Counter[str] = field(default_factory=Counter[str])
    ended: threading.Event = field(default_factory=threading.Event)

    def write(self, number: int) -> None:
        """One client, until the load ends."""
        with self.service.client() as client:
            for turn in itertools.count():
                if self.ended.is_set():
                    return
                self.store(client, f"c{number}-{turn}")

    def store(self, client: httpx.Client, episode_id: str) -> None:
        """Send one episode, again and again while the service is away."""
        self.sent.add(episode_id)
        body = {"namespace": self.namespace, "id": episode_id, "content": f"They met at {word_of(episode_id)} again."}
        while True:
            answer = self.post(client, body)
            self.answers[answer] += 1
            if answer.isdecimal() and int(answer) in ACKNOWLEDGED:
                self.acknowledged.add(episode_id)
                return
            if self.ended.wait(POLL_SECONDS):
                return

    def post(self, client: httpx.Client, body: dict[str, str]) -> str:
        """The status, or that there was none."""
        try:
            return str(client.post("/v1/episodes", json=body).status_code)
        except httpx.TransportError:
            return NO_ANSWER

    def wait_for_more(self, count: int) -> None:
        """Until so many more are acknowledged."""
        wanted, deadline = len(self.acknowledged) + count, time.monotonic() + PATIENCE_SECONDS
        while len(self.acknowledged) < wanted:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{PATIENCE_SECONDS:g} s without {count} more writes; answers: {dict(self.answers)}")
            time.sleep(POLL_SECONDS)


def word_of(episode_id: str) -> str:
    """A word that no other episode holds.

    >>> word_of("c1-20")
    'place1x20'
    """
    return episode_id.replace("c", "place").replace("-", "x")


@contextmanager
def load(service: Running, namespace: str, *, clients: int) -> Generator[Load]:
    """Clients that write while the block runs; at its end the last requests are answered."""
    running = Load(service, namespace)
    with ThreadPoolExecutor(clients) as pool:
        writers = [pool.submit(running.write, number) for number in range(clients)]
        try:
            yield running
        finally:
            running.ended.set()
    for writer in writers:
        writer.result()
