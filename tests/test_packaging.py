"""The wheel works from any folder, with everything it needs in it."""

import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Building and installing take seconds: one process of a parallel run does it for all of these.
pytestmark = pytest.mark.xdist_group("wheel")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    output(ROOT, sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment that has the wheel, and sees the packages installed here."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=True)
    output(home, home / "bin/python", "-m", "pip", "install", "--no-deps", "--no-index", wheel)
    site = next(home.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    return home / "bin"


def output(folder: Path, *command: str | Path) -> str:
    """What a command prints when it is called from that folder."""
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files(folder: str, pattern: str) -> set[str]:
    """The files of the checkout, by their path in the checkout."""
    return {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob(pattern) if path.is_file()}


def carried(wheel: Path) -> set[str]:
    """The files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_runs_from_another_folder(installed: Path, tmp_path: Path) -> None:
    assert "Usage: graphmem" in output(tmp_path, installed / "graphmem", "--help")


def test_the_wheel_is_what_runs_and_not_the_checkout(installed: Path, tmp_path: Path) -> None:
    place = output(tmp_path, installed / "python", "-c", "import graphmem; print(graphmem.__file__)")

    assert Path(place).is_relative_to(installed.parent)


def test_the_wheel_carries_the_package_the_schema_and_every_query(wheel: Path) -> None:
    standing_outside = files("cypher", "*.cypher") | files("migrations", "*.sql") | {"schema.sql"}
    package = {file for file in files("graphmem", "*") if "__pycache__" not in file}

    missing = ({f"graphmem/_files/{file}" for file in standing_outside} | package) - carried(wheel)

    assert not missing


def test_the_wheel_carries_the_code_and_nothing_else(wheel: Path) -> None:
    strays = {file for file in carried(wheel) if not re.match(r"graphmem(-[\d.]+\.dist-info)?/", file)}

    assert not strays


def test_the_wheel_carries_the_licence(wheel: Path) -> None:
    assert any(file.endswith("licenses/LICENSE") for file in carried(wheel))
