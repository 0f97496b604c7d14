"""The `graphmem` command: its subcommands are loaded when they are called, so that `--help` is quick."""

import importlib
import keyword
import sys

import click

from graphmem.errors import ConflictError, GraphmemError, InvalidError, NotFoundError, SettingsError, UnavailableError

COMMANDS = {
    "up": "run the whole service here: databases, API, worker",
    "fetch": "bring the Neo4j jars and the embedding model into the cache",
    "serve": "run the API alone",
    "worker": "run a worker alone",
    "migrate": "bring the database to the current schema",
    "key": "make, list and revoke API keys",
    "jobs": "show the work that follows writes",
    "import": "store the episodes of a file of JSON lines",
    "eval": "ask known questions again, and tell what each leg and stage adds",
    "tune": "look for better numbers on known questions",
    "export": "write a namespace's episodes as JSON lines",
    "explain": "show why a question is answered as it is",
    "reembed": "make all vectors anew with another model",
    "consolidate": "tidy what is remembered",
    "undo": "put back what the night did",
    "graph": "make the graph again from the ledger",
    "backup": "write everything into one file",
    "restore": "put back what a backup holds",
}
EXIT_CODES: tuple[tuple[type[GraphmemError], int], ...] = (
    (InvalidError, 2),
    (NotFoundError, 3),
    (UnavailableError, 4),
    (SettingsError, 5),
    (ConflictError, 6),
)


class LazyGroup(click.Group):
    """A group whose command `x` is `command` in `graphmem.cli.x`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command, in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, or none."""
        if cmd_name not in COMMANDS:
            return None
        module = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        return importlib.import_module(f"graphmem.cli.{module}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="graphmem", message="%(version)s")
def cli() -> None:
    """A self-hosted memory service for AI assistants."""


def main() -> None:
    """Run the command line; an error of ours is one sentence and an exit code, never a stack."""
    try:
        cli(prog_name="graphmem")
    except GraphmemError as error:
        click.echo(f"graphmem: {error}", err=True)
        sys.exit(next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1))
