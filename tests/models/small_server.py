"""A small real HTTP server on a free port: what it answers is up to the test."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from graphmem.models.embedder import Embedder


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire."""

    line: str
    headers: dict[str, str]
    body: Any


Answer = Callable[[Request], Awaitable[bytes]]


def http(status: str, body: bytes = b"", **headers: str) -> bytes:
    """An answer as it goes over the wire."""
    fields = {"content-length": str(len(body)), "connection": "close"} | headers
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def vectors(*rows: list[float]) -> bytes:
    """The answer that holds these vectors."""
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)]
    return http("200 OK", json.dumps({"object": "list", "data": data, "model": "any", "usage": {}}).encode())


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[str]:
    """The address up to /v1 of a server that answers so, while the block runs."""

    talks: set[asyncio.Task[None]] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A client may give up before it has said what it wanted.
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError), contextlib.closing(writer):
            writer.write(await answer(await request(reader)))
            await writer.drain()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(talk(reader, writer))
        talks.add(task)
        task.add_done_callback(talks.discard)

    server = await asyncio.start_server(begin, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)


async def request(reader: asyncio.StreamReader) -> Request:
    """The next request of a connection."""
    line, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (header.partition(": ") for header in rest)}
    return Request(line, headers, json.loads(await reader.readexactly(int(headers["content-length"]))))


class Script:
    """Answers given one after the other, whatever is asked; what was asked is kept."""

    def __init__(self, *answers: bytes) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []

    async def __call__(self, request: Request) -> bytes:
        self.requests.append(request)
        return self.answers.pop(0)


def model_server(embedder: Embedder) -> Answer:
    """A model server: `/v1/embeddings` over an embedder of ours, last vector first."""

    async def answer(request: Request) -> bytes:
        embedded = await embedder.embed_texts(request.body["input"])
        data = [{"index": index, "embedding": row} for index, row in enumerate(embedded.vectors.tolist())]
        return http("200 OK", json.dumps({"data": data[::-1]}).encode())

    return answer


def said(text: str, *, finish: str = "stop") -> bytes:
    """The answer of a language model that says this."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 20, "completion_tokens": 10 if text else 0}
    return http("200 OK", json.dumps({"choices": [choice], "usage": usage}).encode())
