"""Which model made the stored vectors: one at a time, so that distances mean something."""

from dataclasses import dataclass

from psycopg import sql as composed

from graphmem.errors import SettingsError
from graphmem.queries import sql
from graphmem.stores.postgres import Connection, Postgres

QUERIES = sql(__file__)


@dataclass(frozen=True)
class SpaceStore:
    """Keeps the stored vectors and the configured model together."""

    postgres: Postgres

    async def claim(self, model: str, dimensions: int) -> None:
        """Make sure the stored vectors are this model's: note it if there are none, refuse if they are another's."""

        async def work(connection: Connection) -> None:
            async with connection.transaction():
                row = await (await connection.execute(QUERIES.active)).fetchone()
                if row and (row["model"], row["dimensions"]) == (model, dimensions):
                    return
                stored = await (await connection.execute(QUERIES.any_vector)).fetchone()
                if row and stored and stored["found"]:
                    raise SettingsError(refusal(row["model"], row["dimensions"], model, dimensions))
                await connection.execute(QUERIES.forget_unused)
                await resize(connection, dimensions)
                await connection.execute(QUERIES.note_model, {"model": model, "dimensions": dimensions})

        await self.postgres.run(work)


async def resize(connection: Connection, dimensions: int) -> None:
    """Give the empty table vectors of another length."""
    row = await (await connection.execute(QUERIES.column_dimensions)).fetchone()
    if row and row["dimensions"] != dimensions:
        await connection.execute(composed.SQL(QUERIES.resize).format(dimensions=composed.Literal(dimensions)))


def refusal(stored: str, stored_dimensions: int, model: str, dimensions: int) -> str:
    """Why another model than the stored vectors' is refused, and what to do."""
    return (
        f"The stored vectors were made by {stored} ({stored_dimensions} dimensions), the settings name {model} "
        f"({dimensions}). Run `graphmem reembed` with the new settings while the service goes on with the old ones, "
        f"then restart; or set GRAPHMEM_EMBEDDER__MODEL={stored} and GRAPHMEM_EMBEDDER__DIMENSIONS={stored_dimensions}."
    )
