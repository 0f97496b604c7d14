"""What a backup holds is put back: the same rows, the same graph, an answer to the same question."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import psycopg
import pytest

from graphmem.errors import SettingsError
from graphmem.memory import NewEpisode, NewFact, Query
from graphmem.recall.profiles import DEFAULT, tuned
from graphmem.servers.client_programs import embedded
from graphmem.servers.dumps import backup, version_in
from graphmem.servers.lock import sole_user
from graphmem.service import Service, open_service
from graphmem.settings import Neo4j, Settings
from graphmem.stores.schema import latest_version
from tests.cli.test_commands import environment, exported, graphmem
from tests.graphs import graph_of, ledger_of
from tests.stores.test_schema import AN_EPISODE, EARLIER, empty_dsn

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 3, 1, tzinfo=UTC)

__all__ = ["empty_dsn", "environment"]


@pytest.fixture
async def service(settings: Settings, neo4j_settings: Neo4j) -> AsyncIterator[Service]:
    """A running service with the graph, the embedder and no extractor."""
    extractor = msgspec.structs.replace(settings.extractor, kind="none")
    async with open_service(msgspec.structs.replace(settings, neo4j=neo4j_settings, extractor=extractor)) as opened:
        await opened.claim_vectors()
        yield opened


@pytest.fixture
def graphed(environment: dict[str, str], neo4j_settings: Neo4j) -> dict[str, str]:
    """The environment of a command, with the graph."""
    graph = {"URI": neo4j_settings.uri, "PASSWORD": neo4j_settings.password, "ENABLED": "true"}
    return environment | {f"GRAPHMEM_NEO4J__{name}": value for name, value in graph.items()}


async def tell(service: Service, namespace: str) -> None:
    """Episodes and a fact."""
    news = [NewEpisode(id=f"e{n}", content=f"Clara drinks tea, {n} cups", speaker="Clara") for n in range(3)]
    await service.ingester.add_batch(namespace, news, now=NOW)
    likes = NewFact(source="Clara", relation="likes", target="tea", fact="Clara likes tea", episodes=("e1",))
    await service.stater.state(namespace, [likes], now=NOW)
    await service.drainer.drain(namespace)


async def found(service: Service, namespace: str) -> list[tuple[str, str]]:
    """What is recalled, and as what."""
    query = Query(namespace=namespace, text="What does Clara like?")
    patient = tuned(DEFAULT, {"deadline_ms": 60_000})
    answer = await service.recaller.recall(query, patient, now=datetime.now(UTC))
    assert answer.missing == []
    return [(result.kind, result.text) for result in answer.results]


def rows(file: Path) -> list[str]:
    """The data of a backup, in order, but for the job that makes the graph again."""
    command = [str(embedded("pg_restore")), "--data-only", "--file=-", str(file)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted(line for line in lines if not line.startswith(("\\", "--")) and "\textract\t\t" not in line)


async def test_a_running_service_is_put_back_as_it_was(
    service: Service, namespace: str, graphed: dict[str, str], tmp_path: Path
) -> None:
    file, later = tmp_path / "all.backup", f"{namespace}_later"
    await tell(service, namespace)
    before = await ledger_of(service, namespace), await graph_of(service, namespace), await found(service, namespace)

    written = await asyncio.to_thread(graphmem, graphed, "backup", str(file))
    await service.ingester.forget(namespace, ["e1"])
    await service.drainer.drain(namespace)
    await tell(service, later)
    refused = await asyncio.to_thread(graphmem, graphed, "restore", str(file))
    damaged = await graph_of(service, namespace)
    put_back = await asyncio.to_thread(graphmem, graphed, "restore", "--replace", str(file))

    assert (written.returncode, refused.returncode, put_back.returncode) == (0, 6, 0), put_back.stderr
    assert "--replace" in refused.stderr
    assert damaged != before[1]
    after = await ledger_of(service, namespace), await graph_of(service, namespace), await found(service, namespace)
    assert after == before
    assert ("fact", "Clara likes tea") in before[2]
    assert await graph_of(service, later) == []
    assert not file.with_name("all.backup.unfinished").exists()
    assert file.stat().st_mode & 0o777 == 0o600


async def test_without_a_service_the_embedded_postgres_is_started_and_the_graph_follows(
    dsn: str, environment: dict[str, str], tmp_path: Path
) -> None:
    first, second = tmp_path / "first.backup", tmp_path / "second.backup"
    alone = environment | {"GRAPHMEM_POSTGRES__DSN": ""}
    graphmem(environment, "import", "-", given='{"id": "a", "content": "kept"}\n')
    await backup(dsn, first, lambda done, total: None)

    put_back = await asyncio.to_thread(graphmem, alone, "restore", str(first))
    written = await asyncio.to_thread(graphmem, alone, "backup", str(second))

    assert (put_back.returncode, written.returncode) == (0, 0), put_back.stderr + written.stderr
    assert "the graph follows" in put_back.stdout
    assert rows(first) == rows(second)
    assert [row for row in rows(second) if "kept" in row]


def test_a_running_up_is_found_by_its_card(dsn: str, environment: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    alone = environment | {"GRAPHMEM_POSTGRES__DSN": ""}
    with sole_user(folder):
        starting = graphmem(alone, "backup", str(tmp_path / "x"))
        card = {"postgres_dsn": dsn, "neo4j_uri": None, "neo4j_user": None, "neo4j_password": None}
        (folder / "card.json").write_text(json.dumps(card))
        written = graphmem(alone, "backup", str(tmp_path / "x"))

    assert (starting.returncode, written.returncode) == (4, 0), written.stderr
    assert "try again shortly" in starting.stderr


@pytest.mark.parametrize("version", list(EARLIER)[:1])
async def test_an_older_backup_is_brought_to_the_current_schema(
    empty_dsn: str, environment: dict[str, str], tmp_path: Path, version: str
) -> None:
    file = tmp_path / "old.backup"
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute(EARLIER[version])
        connection.execute(f"insert into schema_version (version) values ({int(version)})".encode())
        connection.execute(AN_EPISODE)
    await backup(empty_dsn, file, lambda done, total: None)

    put_back = await asyncio.to_thread(graphmem, environment, "restore", str(file))

    assert put_back.returncode == 0, put_back.stderr
    assert f"from version {version} to {latest_version()}" in put_back.stdout
    assert [line["content"] for line in exported(environment, "n")] == ["what was said"]


async def test_what_is_no_backup_or_a_newer_one_is_refused(dsn: str, server_dsn: str, tmp_path: Path) -> None:
    text, other, newer = tmp_path / "text", tmp_path / "other", tmp_path / "newer"
    text.write_text("PGDMP, not really")
    with pytest.raises(SettingsError):
        await version_in(text)
    with pytest.raises(SettingsError, match="not a backup of graphmem"):
        await backup(server_dsn, other, lambda done, total: None)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("insert into schema_version (version) values (9999)")
    with pytest.raises(SettingsError, match=r"newer graphmem \(schema 9999"):
        await backup(dsn, newer, lambda done, total: None)
    assert not other.exists()


async def test_a_restore_that_fails_leaves_the_data(dsn: str, environment: dict[str, str], tmp_path: Path) -> None:
    whole, half = tmp_path / "whole", tmp_path / "half"
    graphmem(environment, "import", "-", given='{"id": "a", "content": "kept"}\n')
    await backup(dsn, whole, lambda done, total: None)
    half.write_bytes(whole.read_bytes()[:-2000])

    failed = await asyncio.to_thread(graphmem, environment, "restore", "--replace", str(half))

    assert failed.returncode == 5
    assert "Traceback" not in failed.stderr
    assert [line["content"] for line in exported(environment, "default")] == ["kept"]
