"""The embedded Neo4j: one Java process on loopback, from the jars in the cache."""

import asyncio
import os
import signal
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from neo4j import AsyncGraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from graphmem.errors import GraphUnavailableError
from graphmem.servers import leftovers, process
from graphmem.servers.java import java_program
from graphmem.servers.ports import remembered_ports
from graphmem.servers.private import kept_secret, private_folder
from graphmem.servers.process import Command, Process
from graphmem.settings import Neo4j

SERVER = "org.neo4j.server.Neo4jCommunity"
ADMIN = "org.neo4j.cli.AdminTool"
START_SECONDS = 240.0
SHUTDOWN_SECONDS = 30.0
OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.lang")
FLAGS = (*(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in OPENED), "--enable-native-access=ALL-UNNAMED")
FIXED = {
    "server.default_listen_address": "127.0.0.1",
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "server.fleet_discovery.enabled": "false",
    "dbms.fleet_manager.enabled": "false",
    "server.http.x_forward.enabled": "false",
    # On by default, with the values: every query and the text in it.
    "db.logs.query.enabled": "OFF",
    "db.tx_log.preallocate": "false",
    # Twice five seconds of waiting for idle connections otherwise.
    "internal.server.bolt.thread_pool_shutdown_wait_time": "1s",
}


@dataclass
class EmbeddedNeo4j:
    """One server on one folder; its ports and password are chosen once and kept there.

    `flags` are more for Java; `api` is where Neo4j Browser finds our guide and style, if anywhere.
    """

    folder: Path
    jars: Path
    settings: Neo4j = field(default_factory=Neo4j)
    log: Path | None = None
    flags: tuple[str, ...] = ()
    api: str = ""
    name: str = "Neo4j"
    user: str = "neo4j"
    password: str = field(default="", init=False)
    ports: dict[str, int] = field(default_factory=dict[str, int], init=False)
    process: Process | None = field(default=None, init=False)

    @property
    def uri(self) -> str:
        """Where drivers connect, once prepared."""
        return f"bolt://127.0.0.1:{self.ports['GRAPHMEM_NEO4J__BOLT_PORT']}"

    @property
    def browser(self) -> str:
        """Where Neo4j Browser is served, once prepared."""
        return f"http://127.0.0.1:{self.ports['GRAPHMEM_NEO4J__HTTP_PORT']}/browser/"

    @property
    def log_file(self) -> Path:
        """Where Java writes what happens to it."""
        return self.log or self.folder / "console.log"

    @property
    def pid_file(self) -> Path:
        """Who runs on this folder."""
        return self.folder / "neo4j.pid"

    async def prepare(self) -> str:
        """End what an earlier run left, settle ports and password, and return the address it will have."""
        private_folder(self.folder)
        await leftovers.end_leftover(self.pid_file, grace_seconds=SHUTDOWN_SECONDS)
        wanted = {
            "GRAPHMEM_NEO4J__BOLT_PORT": self.settings.bolt_port,
            "GRAPHMEM_NEO4J__HTTP_PORT": self.settings.http_port,
        }
        self.ports = self.ports or remembered_ports(self.folder / "ports.json", wanted)
        self.password = kept_secret(self.folder / "password")
        return self.uri

    async def start(self) -> str:
        """Run the server until it answers a query, and return its address."""
        await self.prepare()
        self.write_configuration()
        await self.set_first_password()
        heap = (f"-Xms{self.settings.heap}", f"-Xmx{self.settings.heap}", "-XX:+ExitOnOutOfMemoryError")
        folders = (f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}")
        self.process = process.spawn(self.java(*heap, *FLAGS, *self.flags, SERVER, *folders), self.log_file)
        leftovers.remember(self.process, self.pid_file)
        await self.answers(self.process)
        return self.uri

    async def stop(self) -> None:
        """Shut down with everything on disk."""
        if self.process is not None:
            await process.stop(self.process, ask=signal.SIGTERM, grace_seconds=SHUTDOWN_SECONDS)
            leftovers.forget(self.pid_file)

    def hurry(self) -> None:
        """End at once; the next start recovers from the transaction log."""
        if self.process is not None:
            process.kill(self.process)

    async def ended(self) -> int:
        """The exit code, once the server has ended."""
        return await process.ended(self.process) if self.process is not None else 0

    @property
    def home(self) -> Path:
        """The folder as Java must be told of it."""
        return self.folder.resolve()

    def write_configuration(self) -> None:
        """Write the settings file afresh: nothing in it is meant to be edited."""
        bolt = f"127.0.0.1:{self.ports['GRAPHMEM_NEO4J__BOLT_PORT']}"
        settings = FIXED | {
            "server.bolt.listen_address": bolt,
            # Where Browser logs in; otherwise it is sent to 7687, whatever the port is.
            "server.bolt.advertised_address": bolt,
            "server.http.listen_address": f"127.0.0.1:{self.ports['GRAPHMEM_NEO4J__HTTP_PORT']}",
            "server.memory.pagecache.size": self.settings.page_cache,
        }
        settings |= welcome(self.api) if self.api else {}
        file = private_folder(self.folder / "conf") / "neo4j.conf"
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))

    async def set_first_password(self) -> None:
        """Give the generated password before the first start; the file keeps it out of the list of processes."""
        if (self.folder / "data" / "databases" / "system").exists():
            return
        command = self.java(*FLAGS, ADMIN, "dbms", "set-initial-password", f"@{self.home / 'password'}")
        if await process.run(command, self.log_file) != 0:
            raise GraphUnavailableError(f"Neo4j did not take its first password: its log is {self.log_file}.")

    def java(self, *words: str) -> Command:
        """A Java command with the jars and the home."""
        environment = {**os.environ, "NEO4J_HOME": str(self.home), "NEO4J_CONF": str(self.home / "conf")}
        return Command((java_program(), "-cp", f"{self.jars.resolve()}/*", *words), environment, self.folder)

    async def answers(self, server: Process) -> None:
        """Wait for a real answer: the port opens many seconds before the database does."""
        deadline = asyncio.get_running_loop().time() + START_SECONDS
        auth = (self.user, self.password)
        async with AsyncGraphDatabase.driver(self.uri, auth=auth) as driver:  # pyright: ignore[reportUnknownMemberType]
            while server.poll() is None and asyncio.get_running_loop().time() < deadline:
                try:
                    async with driver.session(database="neo4j") as session:  # pyright: ignore[reportUnknownMemberType]
                        await session.run("RETURN 1")
                except AuthError as error:
                    raise GraphUnavailableError(f"Neo4j refuses the password in {self.folder / 'password'}.") from error
                except (DriverError, Neo4jError):
                    await asyncio.sleep(0.3)
                else:
                    return
        raise GraphUnavailableError(
            f"Neo4j did not start: {process.last_line(self.log_file)} (its log is {self.log_file})."
        )


def welcome(api: str) -> dict[str, str]:
    """What Neo4j Browser does after login: begin with the default namespace, take our style, open our guide.

    >>> welcome("http://127.0.0.1:8321")["browser.remote_content_hostname_whitelist"]
    '127.0.0.1'
    """
    commands = ('param namespace: "default"', f"style {api}/browser/style.grass", f"play {api}/browser/guide.html")
    return {
        "browser.post_connect_cmd": "; ".join(commands),
        "browser.remote_content_hostname_whitelist": urlsplit(api).netloc.rpartition(":")[0],
    }
