"""Every setting, and the only reader of the environment.

`GRAPHMEM_<NAME>` sets a top-level value and `GRAPHMEM_<GROUP>__<NAME>` one of a group; an unknown name is refused.
"""

import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from graphmem.errors import SettingsError

PREFIX = "GRAPHMEM_"

Port = Annotated[int, Meta(ge=0, le=65535)]
TypeWithMeaning = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,49}( *: *[^\n]+)?$")]
MemorySize = Annotated[str, Meta(pattern=r"^[1-9][0-9]*[kmg]$")]


class Http(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the API listens and whom it lets in."""

    host: Annotated[str, Meta(description="address to listen on; every request needs a key, on loopback too")] = (
        "127.0.0.1"
    )
    port: Annotated[Port, Meta(description="port of the API")] = 8321
    workers: Annotated[int, Meta(ge=1, le=64, description="API processes")] = 1
    cors_origins: Annotated[
        tuple[str, ...], Meta(description="origins a browser may call from, comma separated; none by default")
    ] = ()
    rate_limit_per_second: Annotated[float, Meta(ge=0, description="requests a second for each key; 0 is no limit")] = (
        0.0
    )


class Postgres(Struct, frozen=True, forbid_unknown_fields=True):
    """The database of record."""

    dsn: Annotated[str, Meta(description="address of a Postgres 18 with pgvector; empty starts the embedded one")] = ""
    pool_size: Annotated[int, Meta(ge=2, le=200, description="connections of each process")] = 10
    shared_buffers: Annotated[MemorySize, Meta(description="memory of the embedded server")] = "128m"


class Neo4j(Struct, frozen=True, forbid_unknown_fields=True):
    """The graph."""

    enabled: Annotated[bool, Meta(description="false runs without a graph: keyword and vector search only")] = True
    uri: Annotated[str, Meta(description="bolt address of a Neo4j 2026; empty starts the embedded one")] = ""
    user: Annotated[str, Meta(description="login name")] = "neo4j"
    password: Annotated[str, Meta(description="password; generated for the embedded server")] = ""
    browser: Annotated[
        str, Meta(description="address of Neo4j Browser, for links; that of the embedded server is known")
    ] = ""
    heap: Annotated[MemorySize, Meta(description="Java heap of the embedded server")] = "512m"
    page_cache: Annotated[MemorySize, Meta(description="page cache of the embedded server")] = "128m"
    bolt_port: Annotated[Port, Meta(description="bolt port of the embedded server; 0 takes a free one")] = 0
    http_port: Annotated[Port, Meta(description="Neo4j Browser's port of the embedded server; 0 takes a free one")] = 0


class Embedder(Struct, frozen=True, forbid_unknown_fields=True):
    """What turns text into vectors."""

    kind: Annotated[
        Literal["local", "openai", "none"],
        Meta(
            description="local runs bge-small here, openai asks a /v1/embeddings server, none leaves the vector leg out"
        ),
    ] = "local"
    model: Annotated[str, Meta(min_length=1, description="name of the model; stored with each vector")] = (
        "bge-small-en-v1.5"
    )
    dimensions: Annotated[int, Meta(ge=1, le=4000, description="length of its vectors")] = 384
    url: Annotated[str, Meta(description="address of the server up to /v1, for kind openai")] = ""
    api_key: Annotated[str, Meta(description="its key, if it wants one")] = ""
    timeout_seconds: Annotated[float, Meta(gt=0, le=600, description="longest wait for one answer of the server")] = (
        30.0
    )
    batch_size: Annotated[int, Meta(ge=1, le=2048, description="texts a call")] = 32
    threads: Annotated[int, Meta(ge=0, le=256, description="CPU threads of the local model; 0 takes all cores")] = 0
    cache_size: Annotated[int, Meta(ge=0, le=1_000_000, description="questions whose vectors are kept in memory")] = (
        1024
    )


class LanguageModel(Struct, frozen=True, forbid_unknown_fields=True):
    """What understands and writes language: any server of the chat completions format; none without an address."""

    url: Annotated[str, Meta(description="address of the server up to /v1; empty is no language model")] = ""
    model: Annotated[str, Meta(description="name of the model, as the server knows it")] = ""
    api_key: Annotated[str, Meta(description="its key, if it wants one")] = ""
    timeout_seconds: Annotated[float, Meta(gt=0, le=3600, description="longest wait for one answer of the server")] = (
        120.0
    )
    max_tokens: Annotated[int, Meta(ge=16, le=131072, description="tokens that one answer may have")] = 4096
    monthly_tokens: Annotated[
        int,
        Meta(
            ge=0,
            description="tokens that reading the episodes of one namespace may cost in a calendar month (UTC); then "
            "they wait; 0 is no limit",
        ),
    ] = 0


class Reranker(Struct, frozen=True, forbid_unknown_fields=True):
    """What reads the first results together with the question, for profiles whose `rerank_top_n` is above 0."""

    kind: Annotated[
        Literal["none", "server", "language_model"],
        Meta(description="server asks a /rerank server, language_model lets the language model judge"),
    ] = "none"
    url: Annotated[str, Meta(description="address of the server up to /rerank, for kind server")] = ""
    model: Annotated[str, Meta(description="name of the model, where the server has several")] = ""
    api_key: Annotated[str, Meta(description="its key, if it wants one")] = ""
    timeout_seconds: Annotated[
        float, Meta(gt=0, le=60, description="longest that a question waits for it; then the order stays as it was")
    ] = 2.0


class Extractor(Struct, frozen=True, forbid_unknown_fields=True):
    """What finds entities and facts in an episode."""

    kind: Annotated[
        Literal["auto", "local", "model", "none"],
        Meta(
            description="local reads English here, by spaCy and rules; model asks the language model, through "
            "Graphiti; auto is model where there is a language model and a graph, else local; none leaves episodes "
            "without entities and facts"
        ),
    ] = "auto"
    entity_types: Annotated[
        tuple[TypeWithMeaning, ...],
        Meta(
            description="types of entities for the language model, besides person, place, organisation, event and "
            "thing, comma separated, each as `name: what it is`"
        ),
    ] = ()
    relation_types: Annotated[
        tuple[TypeWithMeaning, ...],
        Meta(description="relations that the language model prefers, comma separated, each as `NAME: what it says`"),
    ] = ()


class Graph(Struct, frozen=True, forbid_unknown_fields=True):
    """What is true, and until when."""

    single_valued: Annotated[
        tuple[str, ...],
        Meta(description="relations that hold one value at a time, besides those of graphmem/relations.toml"),
    ] = ()


class Worker(Struct, frozen=True, forbid_unknown_fields=True):
    """The processes that turn episodes into knowledge."""

    concurrency: Annotated[int, Meta(ge=1, le=64, description="namespaces worked on at once")] = 2
    max_attempts: Annotated[int, Meta(ge=1, le=100, description="tries before a job is dead")] = 8
    retry_seconds: Annotated[
        float, Meta(gt=0, le=86400, description="wait after the first failure; doubles with each")
    ] = 2.0
    sweep_seconds: Annotated[
        int, Meta(ge=1, le=3600, description="how often forgotten and stalled work is looked for")
    ] = 5


class Night(Struct, frozen=True, forbid_unknown_fields=True):
    """The nightly run, which tidies what is remembered."""

    enabled: Annotated[bool, Meta(description="false leaves the night to those who ask for it")] = True
    at: Annotated[
        str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", description="when it begins, hours and minutes")
    ] = "03:00"
    time_zone: Annotated[
        str, Meta(min_length=1, description="whose hours those are, for namespaces that have not chosen their own")
    ] = "UTC"
    minutes: Annotated[
        float, Meta(gt=0, le=1440, description="longest run; what is left then is done the next night")
    ] = 60.0


class Log(Struct, frozen=True, forbid_unknown_fields=True):
    """What is written to the log; never the text of an episode."""

    level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], Meta(description="least severity written")] = "INFO"
    format: Annotated[
        Literal["auto", "json", "text"], Meta(description="auto is text on a terminal, otherwise JSON")
    ] = "auto"


def user_folder(variable: str, fallback: str) -> str:
    """Our folder under the user's data or cache home."""
    home = os.environ.get(variable) or str(Path.home() / fallback)
    return str(Path(home) / "graphmem")


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All of them, with their defaults."""

    data_dir: Annotated[str, Meta(description="folder of data, logs, passwords and the admin key")] = field(
        default_factory=lambda: user_folder("XDG_DATA_HOME", ".local/share")
    )
    cache_dir: Annotated[str, Meta(description="folder of downloaded jars and models, shared by all checkouts")] = (
        field(default_factory=lambda: user_folder("XDG_CACHE_HOME", ".cache"))
    )
    http: Http = field(default_factory=Http)
    postgres: Postgres = field(default_factory=Postgres)
    neo4j: Neo4j = field(default_factory=Neo4j)
    embedder: Embedder = field(default_factory=Embedder)
    language_model: LanguageModel = field(default_factory=LanguageModel)
    reranker: Reranker = field(default_factory=Reranker)
    extractor: Extractor = field(default_factory=Extractor)
    graph: Graph = field(default_factory=Graph)
    worker: Worker = field(default_factory=Worker)
    night: Night = field(default_factory=Night)
    log: Log = field(default_factory=Log)


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process.

    >>> load({"GRAPHMEM_HTTP__PORT": "9000"}).http.port
    9000
    >>> load({"GRAPHMEM_HTTP__PROT": "9000"})
    Traceback (most recent call last):
        ...
    graphmem.errors.SettingsError: GRAPHMEM_HTTP__PROT is not a setting; docs/settings.md lists them all.
    """
    nested: dict[str, Any] = {}
    for name, value in sorted((os.environ if environment is None else environment).items()):
        if name.startswith(PREFIX):
            place(nested, name, value)
    try:
        return msgspec.convert(nested, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(f"A setting is wrong: {error}") from error


def extraction(settings: Settings) -> Literal["local", "model", "none"]:
    """What reads episodes, as the settings have it.

    >>> extraction(load({})), extraction(load({"GRAPHMEM_LANGUAGE_MODEL__URL": "http://localhost:11434/v1"}))
    ('local', 'model')
    """
    kind, has_graph = settings.extractor.kind, settings.neo4j.enabled
    has_model = bool(settings.language_model.url.strip())
    if kind == "model" and not (has_model and has_graph):
        lack = "GRAPHMEM_NEO4J__ENABLED=true" if has_model else "GRAPHMEM_LANGUAGE_MODEL__URL and a model"
        raise SettingsError(f"GRAPHMEM_EXTRACTOR__KIND=model needs {lack}.")
    if kind != "auto":
        return kind
    return "model" if has_model and has_graph else "local"


def meanings(types: Iterable[str]) -> dict[str, str]:
    """What each type means, by its name; its name where that was left out.

    >>> meanings(["project: a piece of work with an end", "OWES"])
    {'project': 'a piece of work with an end', 'OWES': 'OWES'}
    """
    parts = (one.partition(":") for one in types)
    return {name.strip(): meaning.strip() or name.strip() for name, _, meaning in parts}


def calm_graphiti() -> None:
    """Before Graphiti is imported: it sends nothing home, reads no .env, and does not complain of itself."""
    os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    warnings.filterwarnings("ignore", message="Support for class-based `config`", category=DeprecationWarning)


def place(nested: dict[str, Any], name: str, value: str) -> None:
    """Put one variable where its name says, or refuse a name that is no setting."""
    group, _, key = name.removeprefix(PREFIX).lower().rpartition("__")
    fields = {item.name: item for item in msgspec.structs.fields(Settings)}
    if not group and key in fields and fields[key].type is not Struct and not isinstance(fields[key].type, type):
        nested[key] = value
        return
    group_type: Any = fields[group].type if group in fields else None
    members = {item.name: item for item in msgspec.structs.fields(group_type)} if isinstance(group_type, type) else {}
    if key not in members:
        raise SettingsError(f"{name} is not a setting; docs/settings.md lists them all.")
    is_list = isinstance(members[key].default, tuple)
    nested.setdefault(group, {})[key] = (
        [part.strip() for part in value.split(",") if part.strip()] if is_list else value
    )
