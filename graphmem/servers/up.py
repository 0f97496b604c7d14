"""`graphmem up`: databases, API and worker under one supervisor, started and stopped in order."""

import asyncio
import signal
from dataclasses import dataclass, field
from pathlib import Path

from graphmem.errors import GraphUnavailableError, SettingsError
from graphmem.servers import artifacts, card, own_process
from graphmem.servers.admin_key import admin_key
from graphmem.servers.card import Card
from graphmem.servers.ground import api_address, clear_ground
from graphmem.servers.java import java_program
from graphmem.servers.lock import sole_user
from graphmem.servers.neo4j import EmbeddedNeo4j
from graphmem.servers.own_process import OwnProcess
from graphmem.servers.postgres import EmbeddedPostgres
from graphmem.servers.private import private_folder
from graphmem.servers.supervisor import Part, keep_running
from graphmem.servers.terminal import Terminal
from graphmem.settings import Settings

OUR_MODEL = Path(artifacts.MODEL.place).name
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def up(settings: Settings, terminal: Terminal) -> None:
    """Run the service until a signal ends it; a second signal hurries."""
    folder = private_folder(Path(settings.data_dir))
    with sole_user(folder):
        service = Service(settings, terminal, folder)
        work = asyncio.create_task(service.run())
        for sign in STOPPING:
            asyncio.get_running_loop().add_signal_handler(sign, service.interrupt, work)
        await asyncio.wait([work])
        await service.stop()
        if not work.cancelled():
            work.result()


@dataclass
class Service:
    """Everything that runs on one data folder; a database with an address of its own is not ours to run."""

    settings: Settings
    terminal: Terminal
    folder: Path
    environment: dict[str, str] = field(default_factory=dict[str, str], init=False)
    postgres: EmbeddedPostgres | None = field(default=None, init=False)
    graph: EmbeddedNeo4j | None = field(default=None, init=False)
    api: OwnProcess | None = field(default=None, init=False)
    worker: OwnProcess | None = field(default=None, init=False)
    watchers: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]], init=False)

    @property
    def parts(self) -> list[Part]:
        """What runs, in the order it is stopped in."""
        return [part for part in (self.api, self.worker, self.graph, self.postgres) if part is not None]

    async def run(self) -> None:
        """Bring everything up, show the card, and keep it running until cancelled."""
        self.environment = await clear_ground(self.settings, self.folder)
        await self.bring_model()
        await self.prepare_graph()
        await self.start_postgres()
        with self.terminal.step("Schema"):
            await own_process.output(["migrate"], self.environment, self.folder)
        graph = asyncio.create_task(self.start_graph())
        try:
            await self.start_own_parts()
            key = await admin_key(self.folder, self.api_url, self.environment)
            await graph
        finally:
            graph.cancel()
        self.show_card(key)
        await asyncio.gather(*self.watchers)

    def interrupt(self, work: "asyncio.Task[None]") -> None:
        """Stop at the first signal, at once at the next."""
        if not work.done() and not work.cancelling():
            self.terminal.say("Stopping; once more to hurry.")
            work.cancel()
            return
        for part in self.parts:
            part.hurry()

    async def stop(self) -> None:
        """Stop what runs, those who write before those who keep."""
        card.remove(self.folder)
        for watcher in self.watchers:
            watcher.cancel()
        await asyncio.gather(*self.watchers, return_exceptions=True)
        for part in self.parts:
            with self.terminal.step(f"Stopping {part.name}"):
                await part.stop()

    async def bring_model(self) -> None:
        """Have the embedding model, or say what goes on without it."""
        embedder = self.settings.embedder
        if embedder.kind != "local" or embedder.model != OUR_MODEL:
            return
        try:
            with self.terminal.step("Embedding model") as watch:
                await artifacts.embedding_model(self.cache, watch)
        except SettingsError as error:
            self.terminal.say(str(error))

    async def prepare_graph(self) -> None:
        """Have all that the embedded Neo4j needs and know its address, or say what goes on without it."""
        if not self.settings.neo4j.enabled or self.settings.neo4j.uri:
            return
        try:
            java_program()
            with self.terminal.step("Neo4j jars") as watch:
                jars = await artifacts.neo4j_jars(self.cache, watch)
        except SettingsError as error:
            self.terminal.say(str(error))
            self.environment["GRAPHMEM_NEO4J__ENABLED"] = "false"
            return
        graph = EmbeddedNeo4j(self.folder / "neo4j", jars, self.settings.neo4j, self.log("neo4j"), api=self.api_url)
        self.environment["GRAPHMEM_NEO4J__URI"] = await graph.prepare()
        self.environment["GRAPHMEM_NEO4J__USER"] = graph.user
        self.environment["GRAPHMEM_NEO4J__PASSWORD"] = graph.password
        self.environment["GRAPHMEM_NEO4J__BROWSER"] = graph.browser
        self.graph = graph

    async def start_postgres(self) -> None:
        """Run the embedded Postgres, unless there is another."""
        if self.settings.postgres.dsn:
            return
        self.postgres = EmbeddedPostgres(self.folder / "postgres", self.settings.postgres, self.log("postgres"))
        with self.terminal.step("Postgres"):
            self.environment["GRAPHMEM_POSTGRES__DSN"] = await self.postgres.start()
        self.watch(self.postgres)

    async def start_graph(self) -> None:
        """Run the embedded Neo4j; one that will not start is tried again while the rest serves."""
        if self.graph is None:
            return
        try:
            with self.terminal.step("Neo4j"):
                await self.graph.start()
        except GraphUnavailableError as error:
            self.terminal.say(f"{error} Keyword and vector search go on without it.")
        self.watch(self.graph)

    async def start_own_parts(self) -> None:
        """Run the worker and the API, until the API answers."""
        self.worker = OwnProcess("worker", ["worker"], self.environment, self.log("worker"))
        await self.worker.start()
        self.watch(self.worker)
        self.api = OwnProcess("API", ["serve"], self.environment, self.log("api"), f"{self.api_url}/health/live")
        with self.terminal.step("API and worker"):
            await self.api.start()
        self.watch(self.api)

    def watch(self, part: Part) -> None:
        """Start it again whenever it dies, from now on."""
        self.watchers.append(asyncio.create_task(keep_running(part, self.terminal.say)))

    def show_card(self, key: str) -> None:
        """Write the card to the data folder and on the terminal."""
        neo4j = self.settings.neo4j
        own_graph = neo4j.enabled and bool(neo4j.uri)
        shown = Card(
            api=self.api_url,
            docs=f"{self.api_url}/docs",
            browser=self.graph.browser if self.graph else None,
            neo4j_uri=self.graph.uri if self.graph else neo4j.uri if own_graph else None,
            neo4j_user=self.graph.user if self.graph else neo4j.user if own_graph else None,
            neo4j_password=self.graph.password if self.graph else neo4j.password if own_graph else None,
            postgres_dsn=self.environment.get("GRAPHMEM_POSTGRES__DSN", self.settings.postgres.dsn),
            key=key,
        )
        shown.write(self.folder)
        self.terminal.say("\n".join(shown.lines()))

    @property
    def cache(self) -> Path:
        """The folder of what is fetched once."""
        return Path(self.environment["GRAPHMEM_CACHE_DIR"])

    @property
    def api_url(self) -> str:
        """Where the API is reached from this machine."""
        return api_address(self.settings.http.host, self.environment["GRAPHMEM_HTTP__PORT"])

    def log(self, name: str) -> Path:
        """The log file of a part."""
        return self.folder / "logs" / f"{name}.log"
