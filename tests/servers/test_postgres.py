"""The embedded Postgres: whoever starts it, wherever it lies, whatever killed it."""

import asyncio
import os
import shutil
import signal
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from graphmem.errors import PostgresUnavailableError
from graphmem.servers.postgres import EmbeddedPostgres
from graphmem.settings import Postgres

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to drop")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(tmp_path / "postgres")
    yield server
    asyncio.run(server.stop())


@pytest.fixture
def open_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def started(server: EmbeddedPostgres) -> str:
    return asyncio.run(server.start())


def asked(dsn: str, statement: str) -> str:
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        row = cursor.fetchone() if cursor.description else None
        return str(row[0]) if row else ""


def status_of(server: EmbeddedPostgres, name: str) -> str:
    assert server.process is not None
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    return next(line for line in lines if line.startswith(f"{name}:")).split()[1]


@as_root
def test_root_hands_the_server_to_nobody_without_any_rights(open_folder: Path) -> None:
    server = EmbeddedPostgres(open_folder / "postgres")

    started(server)

    assert int(status_of(server, "Uid")) == (open_folder / "postgres").stat().st_uid != 0
    assert int(status_of(server, "CapEff"), 16) == 0
    asyncio.run(server.stop())


@as_root
def test_a_closed_folder_on_the_way_is_passed_and_stays_closed(server: EmbeddedPostgres, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    dsn = started(server)

    assert asked(dsn, "SELECT 1") == "1"
    assert status_of(server, "Uid") != "0"
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_a_server_has_vectors_one_order_everywhere_and_no_network(server: EmbeddedPostgres) -> None:
    dsn = started(server)

    asked(dsn, "CREATE EXTENSION vector")
    assert asked(dsn, "SELECT '[1,2]'::halfvec(2) <=> '[1,2]'::halfvec(2)") == "0.0"
    assert asked(dsn, "SELECT datlocale FROM pg_database WHERE datname = current_database()") == "C.UTF-8"
    assert asked(dsn, "SHOW listen_addresses") == ""
    assert asked(dsn, "SHOW fsync") + asked(dsn, "SHOW synchronous_commit") == "onon"
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700


def test_a_killed_server_comes_back_with_its_data_at_the_same_address(server: EmbeddedPostgres) -> None:
    dsn = started(server)
    asked(dsn, "CREATE TABLE kept AS SELECT generate_series(1, 1000) AS number")
    assert server.process is not None
    server.process.kill()

    assert asyncio.run(server.ended()) == -signal.SIGKILL
    assert started(server) == dsn
    assert asked(dsn, "SELECT count(*) FROM kept") == "1000"


def test_a_server_that_outlived_its_supervisor_is_replaced(server: EmbeddedPostgres) -> None:
    dsn = started(server)
    asked(dsn, "CREATE TABLE kept AS SELECT 1 AS number")
    next_server = EmbeddedPostgres(server.folder)

    assert started(next_server) == dsn
    assert asyncio.run(server.ended()) == 0
    assert asked(dsn, "SELECT count(*) FROM kept") == "1"
    asyncio.run(next_server.stop())


def test_a_pid_file_that_names_another_process_is_not_believed(server: EmbeddedPostgres) -> None:
    started(server)
    pid_file = server.data / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    asyncio.run(server.stop())
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:], ""]))

    assert asked(started(server), "SELECT 1") == "1"


def test_a_path_too_long_for_a_socket_gets_a_short_private_one(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path / ("long" * 25) / "postgres")

    dsn = started(server)

    socket_folder = Path(psycopg.conninfo.conninfo_to_dict(dsn)["host"] or "")
    assert asked(dsn, "SELECT 1") == "1"
    assert stat.S_IMODE(socket_folder.stat().st_mode) == 0o700
    assert not socket_folder.is_relative_to(tmp_path)
    asyncio.run(server.stop())
    socket_folder.rmdir()


def test_a_failed_statement_leaves_its_text_out_of_the_log(server: EmbeddedPostgres) -> None:
    dsn = started(server)
    asked(dsn, "CREATE TABLE episode (content text UNIQUE)")
    asked(dsn, "INSERT INTO episode VALUES ('my secret')")

    with pytest.raises(psycopg.errors.UniqueViolation):
        asked(dsn, "INSERT INTO episode VALUES ('my secret')")

    log = server.log_file.read_text()
    assert "duplicate key" in log
    assert "my secret" not in log


def test_a_server_that_cannot_start_says_why_and_where_its_log_is(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path / "postgres", Postgres(shared_buffers="1k"))

    with pytest.raises(PostgresUnavailableError, match=r"shared_buffers.*postgres\.log"):
        started(server)
