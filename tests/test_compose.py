"""The containers say the same as the embedded servers. There is no engine here: this reads the files and compares."""

import re
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from graphmem import settings
from graphmem.cli.main import COMMANDS
from graphmem.servers import artifacts, neo4j, postgres

ROOT = Path(__file__).parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if "build" in service]
TO_BE_CHECKED = ["postgres", "neo4j", "api"]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()


def instructions(name: str) -> list[str]:
    """What stands after each such instruction of the Dockerfile."""
    return [line.partition(" ")[2].strip() for line in DOCKERFILE if line.startswith(f"{name} ")]


def copied() -> list[str]:
    """What the Dockerfile copies out of the checkout."""
    words = [line.split() for line in instructions("COPY") if not line.startswith("--from")]
    return [source for line in words for source in line[:-1]]


def variables() -> dict[str, str]:
    """Every variable of ours that the containers are given, with placeholders filled in."""
    pairs = {name: str(value) for service in OURS for name, value in SERVICES[service]["environment"].items()}
    image = dict(pair.split("=", 1) for line in instructions("ENV") for pair in shlex.split(line))
    return {
        name: re.sub(r"\$\{[^}]*\}", "secret", value)
        for name, value in (pairs | image).items()
        if name.startswith(settings.PREFIX)
    }


def as_neo4j_variable(key: str) -> str:
    """A key of neo4j.conf as the image of Neo4j takes it."""
    return "NEO4J_" + key.replace("_", "__").replace(".", "_")


def version_in_the_pom(artifact: str) -> str:
    """The version of one artifact that the embedded servers use."""
    pom = ElementTree.parse(next(ROOT.glob("graphmem/**/pom.xml")))
    properties = {item.tag.rpartition("}")[2]: item.text or "" for item in pom.iterfind("{*}properties/*")}
    versions = [
        item.findtext("{*}version", "")
        for item in pom.iterfind(".//{*}dependency")
        if item.findtext("{*}artifactId") == artifact
    ]
    return re.sub(r"\$\{([^}]*)\}", lambda match: properties[match[1]], versions[0])


def test_neo4j_is_the_version_that_is_embedded() -> None:
    assert SERVICES["neo4j"]["image"] == f"neo4j:{version_in_the_pom('neo4j')}-community"


def test_postgres_and_pgvector_are_the_versions_that_are_embedded() -> None:
    installed = postgres.installed_binaries().parent
    control = next(installed.rglob("vector.control")).read_text()
    server = re.search(r"PG_MAJORVERSION_NUM (\d+)", next(installed.rglob("pg_config.h")).read_text())
    vector = re.search(r"default_version = '([\d.]+)'", control)

    assert server
    assert vector
    assert SERVICES["postgres"]["image"] == f"pgvector/pgvector:{vector[1]}-pg{server[1]}"


def test_postgres_sorts_and_stems_as_the_embedded_one() -> None:
    arguments = SERVICES["postgres"]["environment"]["POSTGRES_INITDB_ARGS"].split()

    embedded = {word for word in postgres.INITDB.split() if "locale" in word}
    assert embedded == {word for word in arguments if "locale" in word}


def test_postgres_is_set_up_as_the_embedded_one() -> None:
    kept_there_only = ("listen_addresses", "port", "unix_socket_", "log_line_prefix")
    wanted = {f"--{key}={value}" for key, value in postgres.FIXED.items() if not key.startswith(kept_there_only)}

    assert not wanted - set(SERVICES["postgres"]["command"])


def test_postgres_is_given_the_place_where_its_image_keeps_data() -> None:
    assert SERVICES["postgres"]["volumes"] == ["postgres:/var/lib/postgresql"]


def test_neo4j_is_as_discreet_as_the_embedded_one() -> None:
    kept_there_only = ("server.default_listen_address", "internal.")
    wanted = {
        as_neo4j_variable(key): value for key, value in neo4j.FIXED.items() if not key.startswith(kept_there_only)
    }

    assert wanted.items() <= SERVICES["neo4j"]["environment"].items()


def test_neo4j_browser_opens_our_guide_as_the_embedded_one_does() -> None:
    wanted = {as_neo4j_variable(key): value for key, value in neo4j.welcome("http://127.0.0.1:8321").items()}

    assert wanted.items() <= SERVICES["neo4j"]["environment"].items()
    assert "127.0.0.1:8321:8321" in SERVICES["api"]["ports"]


def test_every_variable_of_ours_is_a_setting_with_a_good_value() -> None:
    loaded = settings.load(variables())

    assert loaded.postgres.dsn == "postgresql://graphmem:secret@postgres/graphmem"
    assert loaded.neo4j.password == "secret"


@pytest.mark.parametrize("service", OURS)
def test_every_command_is_one_of_ours(service: str) -> None:
    assert SERVICES[service]["command"][0] in COMMANDS


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_is_pinned_to_a_version(service: str) -> None:
    assert re.fullmatch(r"[\w./-]+:\d[\w.-]+", SERVICES[service]["image"])


@pytest.mark.parametrize("service", TO_BE_CHECKED)
def test_a_server_has_a_health_check(service: str) -> None:
    assert SERVICES[service]["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}


def test_the_health_check_of_the_api_asks_its_port() -> None:
    assert f"127.0.0.1:{variables()['GRAPHMEM_HTTP__PORT']}/health/live" in SERVICES["api"]["healthcheck"]["test"][-1]


@pytest.mark.parametrize("service", ["api", "worker"])
def test_a_part_waits_until_the_schema_is_there(service: str) -> None:
    assert SERVICES[service]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_waits_only_for_services(service: str) -> None:
    assert set(SERVICES[service].get("depends_on", {})) <= set(SERVICES)


@pytest.mark.parametrize("service", SERVICES)
def test_ports_are_open_to_this_machine_only(service: str) -> None:
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[service].get("ports", []))


@pytest.mark.parametrize("service", SERVICES)
def test_volumes_are_named(service: str) -> None:
    used = {volume.partition(":")[0] for volume in SERVICES[service].get("volumes", [])}

    assert used <= set(COMPOSE["volumes"])


def test_a_secret_that_is_missing_stops_the_start() -> None:
    placeholders = re.findall(r"\$\{[^}]*\}", (ROOT / "compose.yaml").read_text())

    assert {name for name in placeholders if ":?" not in name} == {"${NEO4J_AUTH#neo4j/}"}


def test_the_image_has_the_version_of_the_project() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)

    assert version
    assert {SERVICES[name]["image"] for name in OURS} == {f"graphmem:{version[1]}"}


def test_the_image_runs_as_a_normal_user() -> None:
    *_, last = (line for line in DOCKERFILE if line.startswith(("FROM ", "USER ")))

    assert last == "USER 10001"


def test_the_image_starts_with_a_command_of_ours() -> None:
    assert instructions("ENTRYPOINT") == ['["graphmem"]']
    assert instructions("CMD") == ['["serve"]']


@pytest.mark.parametrize("image", [line for line in instructions("FROM") if ":" in line])
def test_a_base_image_is_pinned_to_a_version(image: str) -> None:
    assert re.match(r"[\w./-]+:\d+\.\d+", image)


@pytest.mark.parametrize("source", copied())
def test_what_is_copied_into_the_image_exists_and_is_not_ignored(source: str) -> None:
    let_in = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)

    assert (ROOT / source).exists()
    assert source in let_in


def test_the_image_has_the_model_where_it_is_looked_for() -> None:
    cache, place = variables()["GRAPHMEM_CACHE_DIR"], Path(artifacts.MODEL.place).parts[0]

    assert f"--from=fetched /fetched/{place} {cache}/{place}" in instructions("COPY")


def test_the_image_installs_with_hashes() -> None:
    installs = [line for line in instructions("RUN") if "pip install" in line]

    assert all("--require-hashes" in line or "--no-deps" in line for line in installs)
