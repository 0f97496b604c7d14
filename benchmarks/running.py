"""A service of one's own: `graphmem up` on a throw-away folder, ended and removed with the block."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psycopg

from graphmem.settings import Settings, load

CHECKOUT = Path(__file__).parent.parent
START_SECONDS = 300.0
STOP_SECONDS = 120.0
JOBS_SECONDS = 600.0
POLL_SECONDS = 0.05
REQUEST_SECONDS = 600.0
# Of the caller's settings only these reach the service: where models lie, and which embedder is measured.
INHERITED = ("GRAPHMEM_CACHE_DIR", "GRAPHMEM_EMBEDDER__")
# For what concerns episodes alone: no graph, and no worker busy with entities and facts beside the measurement.
EPISODES_ALONE = {"GRAPHMEM_NEO4J__ENABLED": "false", "GRAPHMEM_EXTRACTOR__KIND": "none"}


@dataclass(frozen=True)
class Running:
    """A service that runs, and what is needed to talk to it."""

    folder: Path
    card: dict[str, Any]
    supervisor: int

    @property
    def dsn(self) -> str:
        """The address of its Postgres."""
        return self.card["postgres_dsn"]

    @property
    def settings(self) -> Settings:
        """What a process of ours needs to be part of it."""
        base, graph = load({}), {name: self.card[f"neo4j_{name}"] for name in ("uri", "user", "password")}
        postgres = msgspec.structs.replace(base.postgres, dsn=self.dsn)
        neo4j = msgspec.structs.replace(base.neo4j, **graph) if graph["uri"] else base.neo4j
        return msgspec.structs.replace(base, postgres=postgres, neo4j=neo4j)

    @property
    def environment(self) -> dict[str, str]:
        """By what a command finds the service."""
        return {"GRAPHMEM_DATA_DIR": str(self.folder / "data"), "PYTHONPATH": str(CHECKOUT)}

    @property
    def output(self) -> str:
        """What the supervisor said so far."""
        return (self.folder / "output").read_text()

    def client(self) -> httpx.Client:
        """A client with the admin key."""
        return httpx.Client(base_url=self.card["api"], headers=self.headers, timeout=REQUEST_SECONDS, trust_env=False)

    @property
    def headers(self) -> dict[str, str]:
        """What shows that we may."""
        return {"Authorization": f"Bearer {self.card['key']}"}


@contextmanager
def running_service(kept: Path | None = None, **settings: str) -> Generator[Running]:
    """Start everything, give it, and leave nothing behind, unless a folder is named in which it is to be kept."""
    folder = kept or Path(tempfile.mkdtemp(prefix="graphmem-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data" / "card.json").unlink(missing_ok=True)
    process = spawn(folder, settings)
    # The end of a benchmark by a signal must be the end of its service too.
    before = signal.signal(signal.SIGTERM, give_up)
    try:
        yield Running(folder, wait_for_card(process, folder), process.pid)
    finally:
        signal.signal(signal.SIGTERM, before)
        stop(process)
        if kept is None:
            shutil.rmtree(folder, ignore_errors=True)


def give_up(*_: object) -> None:
    """Leave through every open block."""
    raise SystemExit("ended by a signal")


def spawn(folder: Path, settings: dict[str, str]) -> "subprocess.Popen[bytes]":
    """`graphmem up` on the folder, on a free port; its words go to `output`."""
    ours = {"GRAPHMEM_DATA_DIR": str(folder / "data"), "GRAPHMEM_HTTP__PORT": "0", "PYTHONPATH": str(CHECKOUT)}
    with (folder / "output").open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "graphmem", "up"],
            env=inherited() | ours | settings,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def inherited() -> dict[str, str]:
    """The environment without the caller's own service settings."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GRAPHMEM_") or name.startswith(INHERITED)
    }


def wait_for_card(process: "subprocess.Popen[bytes]", folder: Path) -> dict[str, Any]:
    """The card, once everything runs; a service that does not start is the end."""
    card = folder / "data" / "card.json"
    deadline = time.monotonic() + START_SECONDS
    while not card.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"The service did not start:\n{(folder / 'output').read_text()}")
        time.sleep(POLL_SECONDS)
    return msgspec.json.decode(card.read_bytes())


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End it the way an operator does; the hard way if it will not."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for_jobs(client: httpx.Client, namespace: str) -> None:
    """Until nothing is left to do in the namespace."""
    deadline = time.monotonic() + JOBS_SECONDS
    while unfinished_jobs(client, namespace):
        if time.monotonic() > deadline:
            raise SystemExit(f"Jobs of {namespace} are not done after {JOBS_SECONDS:g} s.")
        time.sleep(POLL_SECONDS)


def wait_for_everything(dsn: str) -> None:
    """Until nothing is left to do anywhere, asked where it costs the service nothing."""
    deadline = time.monotonic() + JOBS_SECONDS
    with psycopg.connect(dsn, autocommit=True) as connection:
        while connection.execute("select 1 from job where state <> 'done' limit 1").fetchone() is not None:
            if time.monotonic() > deadline:
                raise SystemExit(f"Jobs are not done after {JOBS_SECONDS:g} s.")
            time.sleep(POLL_SECONDS)


def unfinished_jobs(client: httpx.Client, namespace: str) -> list[dict[str, Any]]:
    """Some of the jobs that are not done, whatever the reason."""
    found: list[dict[str, Any]] = []
    for state in ("waiting", "running", "failed", "dead"):
        answer = client.get("/v1/jobs", params={"namespace": namespace, "state": state, "limit": 10})
        found += answer.raise_for_status().json()["jobs"]
    return found
