"""The embedded Neo4j: the one of this test run, and one that is left alone and taken over."""

import asyncio
import os
import stat
from pathlib import Path

import httpx
import msgspec
import neo4j
import pytest

from graphmem import settings
from graphmem.errors import GraphUnavailableError
from graphmem.servers import artifacts
from graphmem.servers.neo4j import EmbeddedNeo4j, welcome
from tests.conftest import API

# Compiles less, which is all that a short life needs.
QUICK_START = ("-XX:TieredStopAtLevel=1",)


@pytest.fixture(scope="session")
def jars() -> Path:
    return asyncio.run(artifacts.neo4j_jars(Path(settings.load({}).cache_dir)))


@pytest.fixture
def shared_folder(neo4j_settings: settings.Neo4j) -> Path:
    assert neo4j_settings.uri
    return Path(os.environ["GRAPHMEM_TEST_FOLDER"]) / "neo4j"


def asked(uri: str, password: str, query: str) -> object:
    with neo4j.GraphDatabase.driver(uri, auth=("neo4j", password)) as driver:
        records = driver.execute_query(query, database_="neo4j").records  # pyright: ignore[reportArgumentType]
        return records[0][0] if records else None


def test_a_started_server_answers_to_the_generated_password_alone(neo4j_settings: settings.Neo4j) -> None:
    assert asked(neo4j_settings.uri, neo4j_settings.password, "RETURN 1") == 1
    with pytest.raises(neo4j.exceptions.AuthError):
        asked(neo4j_settings.uri, "neo4j", "RETURN 1")


def test_the_password_is_for_the_owner_alone(shared_folder: Path, neo4j_settings: settings.Neo4j) -> None:
    assert (shared_folder / "password").read_text() == neo4j_settings.password
    assert stat.S_IMODE((shared_folder / "password").stat().st_mode) == 0o600
    assert stat.S_IMODE(shared_folder.stat().st_mode) == 0o700


def test_browser_is_told_where_to_log_in(shared_folder: Path, neo4j_settings: settings.Neo4j) -> None:
    port = msgspec.json.decode((shared_folder / "ports.json").read_bytes())["GRAPHMEM_NEO4J__HTTP_PORT"]

    told = httpx.get(f"http://127.0.0.1:{port}/", headers={"Accept": "application/json"}, trust_env=False).json()

    assert told["bolt_direct"] == neo4j_settings.uri


def test_browser_opens_the_guide_after_login(neo4j_settings: settings.Neo4j) -> None:
    query = "CALL dbms.clientConfig() YIELD name, value WHERE name STARTS WITH 'browser.' RETURN collect([name, value])"

    told = dict(asked(neo4j_settings.uri, neo4j_settings.password, query))  # pyright: ignore

    assert welcome(API).items() <= told.items()


def test_what_is_asked_is_not_written_to_a_log(shared_folder: Path, neo4j_settings: settings.Neo4j) -> None:
    asked(neo4j_settings.uri, neo4j_settings.password, "RETURN 'my secret'")

    logs = [file.read_text(errors="replace") for file in (shared_folder / "logs").iterdir()]

    assert "Started." in "".join(logs)
    assert "my secret" not in "".join([*logs, (shared_folder / "console.log").read_text()])


def test_a_server_that_outlived_its_supervisor_is_replaced_at_the_same_address(tmp_path: Path, jars: Path) -> None:
    left = EmbeddedNeo4j(tmp_path / "neo4j", jars, flags=QUICK_START)
    asyncio.run(left.start())
    asked(left.uri, left.password, "CREATE (:Kept)")
    next_server = EmbeddedNeo4j(left.folder, jars, flags=QUICK_START)

    asyncio.run(next_server.start())

    assert asyncio.run(left.ended()) is not None
    assert (next_server.uri, next_server.password) == (left.uri, left.password)
    assert asked(next_server.uri, next_server.password, "MATCH (kept:Kept) RETURN count(kept)") == 1
    asyncio.run(next_server.stop())


def test_a_server_that_cannot_start_says_where_its_log_is(tmp_path: Path, jars: Path) -> None:
    server = EmbeddedNeo4j(tmp_path / "neo4j", jars, flags=("-XX:NoSuchFlag",))

    with pytest.raises(GraphUnavailableError, match=r"did not start.*console\.log"):
        asyncio.run(server.start())
