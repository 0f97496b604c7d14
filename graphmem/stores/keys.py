"""API keys: made, checked, revoked; only their hashes are kept."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from graphmem.memory import Key, Role, new_id
from graphmem.queries import sql
from graphmem.stores.postgres import Postgres, Row

QUERIES = sql(__file__)
# A revoked key works in other processes for at most this long; the one that revokes it forgets it at once.
REMEMBERED_SECONDS = 1.0
REMEMBERED_KEYS = 10_000
UNKNOWN_HASH = hashlib.sha256(b"").digest()


@dataclass(frozen=True)
class KeyStore:
    """Checks keys with at most one look-up a second each, and notes their use in memory until `flush`."""

    postgres: Postgres
    remembered: dict[str, tuple[float, Key, bytes]] = field(default_factory=dict[str, tuple[float, Key, bytes]])
    used: dict[str, datetime] = field(default_factory=dict[str, datetime])

    async def create(self, *, role: Role, namespaces: Sequence[str], name: str) -> tuple[Key, str]:
        """A new key and its secret, which is shown this once."""
        key_id = new_id().replace("-", "")
        secret = f"gm_{key_id}_{secrets.token_urlsafe(32)}"
        row = await self.postgres.row(
            QUERIES.add, id=key_id, hash=hashed(secret), name=name, role=role, namespaces=list(namespaces)
        )
        assert row is not None
        return key_of(row), secret

    async def check(self, secret: str) -> Key | None:
        """The key this secret belongs to, or none; the comparison takes the same time for any wrong secret."""
        key_id = secret.removeprefix("gm_").partition("_")[0]
        known = self.remembered.get(key_id)
        if known is None or known[0] < time.monotonic():
            known = await self.remember(key_id)
        if not hmac.compare_digest(hashed(secret), known[2] if known else UNKNOWN_HASH) or known is None:
            return None
        self.used[key_id] = datetime.now(UTC)
        return known[1]

    async def remember(self, key_id: str) -> tuple[float, Key, bytes] | None:
        """Look a key up and keep it for a moment."""
        row = await self.postgres.row(QUERIES.by_id, id=key_id)
        if row is None:
            self.remembered.pop(key_id, None)
            return None
        if len(self.remembered) >= REMEMBERED_KEYS:
            self.remembered.clear()
        entry = (time.monotonic() + REMEMBERED_SECONDS, key_of(row), bytes(row["hash"]))
        self.remembered[key_id] = entry
        return entry

    async def page(self, *, limit: int, after: str | None, reach: Sequence[str] | None = None) -> list[Key]:
        """Keys in the order they were made; `reach` bounds them to those that reach no further."""
        within = list(reach) if reach is not None else None
        return [key_of(row) for row in await self.postgres.rows(QUERIES.page, limit=limit, after=after, reach=within)]

    async def find(self, key_id: str) -> Key | None:
        """The key of that id, if there is one."""
        row = await self.postgres.row(QUERIES.by_id, id=key_id)
        return key_of(row) if row else None

    async def revoke(self, key_id: str) -> bool:
        """Make a key worthless; False when there is none."""
        gone = await self.postgres.row(QUERIES.revoke, id=key_id)
        self.remembered.pop(key_id, None)
        return gone is not None

    async def flush(self) -> None:
        """Write down when keys were last used, all in one statement."""
        noted = dict(self.used)
        self.used.clear()
        if noted:
            await self.postgres.rows(QUERIES.note_use, ids=list(noted), times=list(noted.values()))


def hashed(secret: str) -> bytes:
    """What is kept of a secret: it has 256 random bits, so a plain hash can't be turned back."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def key_of(row: Row) -> Key:
    """A key from its row."""
    return msgspec.convert({name: row[name] for name in Key.__struct_fields__}, Key)
