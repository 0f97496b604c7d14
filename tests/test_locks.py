"""The locks are complete, current, and lead nowhere but to their hashes."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = {"dev": ("embedded", "local", "dev"), "run": ("embedded", "local"), "image": ("local",)}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def lock(name: str) -> list[Requirement]:
    """What a lock pins."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text().replace("\\\n", "")
    return [Requirement(line.partition(" --hash")[0]) for line in text.splitlines() if line]


def wanted(*extras: str) -> list[Requirement]:
    """What the project asks for with these extras, and to be built."""
    project = PROJECT["project"]
    optional = [line for extra in extras for line in project["optional-dependencies"][extra]]
    return [Requirement(line) for line in (*project["dependencies"], *optional, *PROJECT["build-system"]["requires"])]


def version(pins: list[Requirement], name: str, python: str) -> Version | None:
    """The version that a lock gives to one package on that Python, if any."""
    machine = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
    here = [
        pin
        for pin in pins
        if canonicalize_name(pin.name) == canonicalize_name(name) and (not pin.marker or pin.marker.evaluate(machine))
    ]
    return Version(str(here[0].specifier).removeprefix("==")) if len(here) == 1 else None


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_satisfies_what_the_project_asks_for(name: str, python: str) -> None:
    pins = lock(name)

    unmet = [
        str(need)
        for need in wanted(*LOCKS[name])
        if (found := version(pins, need.name, python)) is None or found not in need.specifier
    ]

    assert not unmet, f"requirements/{name}.txt is behind pyproject.toml: run make lock"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", ["run", "image"])
def test_a_smaller_lock_is_a_part_of_the_largest(name: str, python: str) -> None:
    large, small = lock("dev"), lock(name)

    differing = [pin.name for pin in small if version(small, pin.name, python) != version(large, pin.name, python)]

    assert not differing


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_every_package_with_its_hashes(name: str) -> None:
    entries = (ROOT / "requirements" / f"{name}.txt").read_text().replace("\\\n", "").splitlines()

    assert not [
        entry for entry in entries if not re.match(r"[\w.-]+(\[[\w,-]+\])?==\S+.* --hash=sha256:[0-9a-f]{64}", entry)
    ]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_registry_and_no_folder(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()

    assert not re.findall(r"\S*(?:://|--index|--find-links|file:|^/)\S*", text, re.MULTILINE)


@pytest.mark.parametrize("python", PYTHONS)
def test_every_python_that_is_locked_for_is_admitted(python: str) -> None:
    assert Version(python) in SpecifierSet(PROJECT["project"]["requires-python"])
