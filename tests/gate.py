"""A gate before a server: what comes is let through, turned away, or taken and never answered."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass
class Gate:
    """Passes bytes on to a server while it is open."""

    host: str
    target: int
    flowing: asyncio.Event = field(default_factory=asyncio.Event)
    writers: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])
    server: asyncio.Server | None = None
    port: int = 0

    async def open(self) -> None:
        """Let everything through, on the same port as before."""
        self.flowing.set()
        if self.server is None:
            self.server = await asyncio.start_server(self.passing, self.host, self.port)
            self.port = self.server.sockets[0].getsockname()[1]

    def shut(self) -> None:
        """End what is under way and refuse what comes."""
        if self.server is not None:
            self.server.close()
            self.server = None
        for writer in self.writers:
            writer.transport.abort()

    def hold(self) -> None:
        """Keep connections and take new ones, and pass nothing on."""
        self.flowing.clear()

    async def passing(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, both ways, until either side ends it."""
        inner_reader, inner = await asyncio.open_connection(self.host, self.target)
        self.writers |= {writer, inner}
        with contextlib.suppress(OSError):
            await asyncio.gather(self.pass_on(reader, inner), self.pass_on(inner_reader, writer))
        self.writers -= {writer, inner}

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One way."""
        try:
            while read := await reader.read(65536):
                await self.flowing.wait()
                writer.write(read)
                await writer.drain()
        finally:
            writer.close()


@asynccontextmanager
async def gate_before(uri: str) -> AsyncGenerator[Gate]:
    """An open gate before the server at the address; what is left is cut off in the end."""
    address = urlsplit(uri)
    assert address.hostname
    assert address.port
    gate = Gate(address.hostname, address.port)
    await gate.open()
    try:
        yield gate
    finally:
        gate.flowing.set()
        gate.shut()
