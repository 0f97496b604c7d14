"""Which episodes a language model has read, and what that cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphmem.memory import Episode
from graphmem.queries import sql
from graphmem.stores.postgres import Connection, Postgres

QUERIES = sql(__file__)


@dataclass(frozen=True)
class ReadingStore:
    """Notes readings, so that none is paid for twice, and counts what is paid."""

    postgres: Postgres

    async def read_by_now(self, namespace: str, episodes: Sequence[str]) -> set[str]:
        """Those of the episodes that were read as they are."""
        rows = await self.postgres.rows(QUERIES.read_by_now, namespace=namespace, episodes=list(episodes))
        return {row["id"] for row in rows}

    async def note(self, connection: Connection, episode: Episode, *, model: str) -> None:
        """Note, in the transaction that writes down what was understood, that an episode was read as it is here."""
        given = {"namespace": episode.namespace, "episode": episode.id, "version": episode.created_at, "model": model}
        await connection.execute(QUERIES.note, given)

    async def spend(self, namespace: str, episode: str, *, tokens: int) -> None:
        """Count one answer, at once, whatever becomes of it."""
        await self.postgres.rows(QUERIES.spend, namespace=namespace, episode=episode, tokens=tokens)

    async def spent(self, namespace: str) -> int:
        """The tokens of this month."""
        row = await self.postgres.row(QUERIES.spent, namespace=namespace)
        return row["tokens"] if row else 0

    async def before_in_session(self, episode: Episode, *, limit: int) -> list[str]:
        """The ids of what was said right before in its session, oldest first."""
        rows = await self.postgres.rows(
            QUERIES.before_in_session, namespace=episode.namespace, episode=episode.id, limit=limit
        )
        return [row["id"] for row in rows]
