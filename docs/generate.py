"""Write the pages that come from the code: `python -m docs.generate`, or `make docs`."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin
from unittest import mock

import click
import msgspec
from msgspec import NODEFAULT, Meta

from graphmem.cli.main import cli
from graphmem.settings import PREFIX, Settings

DOCS = Path(__file__).parent
WIDTH = 100
# Defaults under the user's home read the same on every machine.
ANY_HOME = {"HOME": "/~", "XDG_DATA_HOME": "", "XDG_CACHE_HOME": ""}
KINDS = {int: "whole number", float: "number", bool: "true or false", str: "text", tuple: "list, comma separated"}


def settings_page() -> str:
    """Every setting with its default, its range and what it does."""
    groups = [field for field in msgspec.structs.fields(Settings) if is_group(field.type)]
    lines = [
        "# Settings",
        "",
        "Each is an environment variable, read once at the start. An unknown name or a value out of range stops the",
        "start with a sentence that names it. This page is written by `make docs` from `graphmem/settings.py`.",
        "",
        "## General",
        "",
        *table(Settings, PREFIX),
    ]
    for group in groups:
        lines += ["", f"## {group.name.replace('_', ' ').capitalize()}", "", group.type.__doc__, ""]
        lines += table(group.type, f"{PREFIX}{group.name.upper()}__")
    return "\n".join(lines) + "\n"


def is_group(kind: Any) -> bool:
    """Whether a setting holds further settings."""
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def table(struct: type[msgspec.Struct], prefix: str) -> Iterator[str]:
    """One row a setting."""
    yield "| variable | default | values | what it is |"
    yield "|---|---|---|---|"
    for field in msgspec.structs.fields(struct):
        if not is_group(field.type):
            kind, notes = unwrapped(field.type)
            what = next((note.description for note in notes if note.description), "")
            yield f"| `{prefix}{field.name.upper()}` | {default(field)} | {values(kind, notes)} | {what} |"


def unwrapped(kind: Any) -> tuple[Any, list[Meta]]:
    """A type without its annotations, and the annotations."""
    if get_origin(kind) is not Annotated:
        return kind, []
    inner, *notes = get_args(kind)
    kind, more = unwrapped(inner)
    return kind, [*notes, *more]


def default(field: msgspec.structs.FieldInfo) -> str:
    """The default as one would write it into the environment."""
    with mock.patch.dict(os.environ, ANY_HOME):
        value = field.default_factory() if field.default is NODEFAULT else field.default
    if value in ("", ()):
        return "empty"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text.replace(ANY_HOME['HOME'], '~')}`"


def values(kind: Any, notes: list[Meta]) -> str:
    """Which values are taken."""
    if get_origin(kind) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(kind))
    rules = [rule for note in notes for rule in limits(note)]
    return ", ".join([KINDS[get_origin(kind) or kind], *rules])


def limits(note: Meta) -> Iterator[str]:
    """The limits in words."""
    words = {"from": note.ge, "above": note.gt, "to": note.le}
    given = [f"{word} {bound}" for word, bound in words.items() if bound is not None]
    if given:
        yield " ".join(given).removeprefix("from ")
    if note.pattern is not None:
        yield f"matching `{note.pattern}`"


def cli_page() -> str:
    """The real `--help` of every command."""
    lines = [
        "# Command line",
        "",
        "What `--help` says, command by command. This page is written by `make docs`.",
    ]
    for name, text in helps(cli, "graphmem"):
        lines += ["", f"## {name}", "", "```text", text, "```"]
    return "\n".join(lines) + "\n"


def helps(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """The help of a command, then of the commands in it."""
    with command.make_context(name, [], parent, resilient_parsing=True, terminal_width=WIDTH) as context:
        yield context.command_path, command.get_help(context)
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                found = command.get_command(context, inner)
                assert found is not None, f"graphmem {inner} is listed but does not exist"
                yield from helps(found, inner, context)


PAGES = {"settings.md": settings_page, "cli.md": cli_page}


def main() -> None:
    """Write every page that comes from the code."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
