"""`graphmem migrate`: bring the database to the current schema."""

import click

from graphmem.cli.running import load_settings, wait_for
from graphmem.errors import SettingsError
from graphmem.stores.schema import migrate


@click.command()
def command() -> None:
    """Apply the schema to Postgres, or what is missing of it; safe to run at any time."""
    settings = load_settings()
    if not settings.postgres.dsn:
        raise SettingsError("GRAPHMEM_POSTGRES__DSN is not set, and no `graphmem up` runs on this data folder.")
    version = wait_for(migrate(settings.postgres.dsn))
    click.echo(f"The schema is at version {version}.")
