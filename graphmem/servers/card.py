"""The card: where everything is and how to try it, on the terminal and as a file."""

import shlex
from pathlib import Path

import msgspec

from graphmem.servers.private import write_private

FILE = "card.json"


class Card(msgspec.Struct, frozen=True):
    """Addresses and secrets of a running service; None where a part is absent."""

    api: str
    docs: str
    browser: str | None
    neo4j_uri: str | None
    neo4j_user: str | None
    neo4j_password: str | None
    postgres_dsn: str
    key: str

    def write(self, folder: Path) -> None:
        """Put it into the data folder, for the owner's eyes only."""
        write_private(folder / FILE, msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n")

    def lines(self) -> list[str]:
        """The card as a person reads it, with two commands that work when pasted."""
        browser = f"{self.browser}  ({self.neo4j_user} / {self.neo4j_password})" if self.browser else "not run by us"
        store = {"content": "I told Priya we can do March for the vacation."}
        search = {"query": "When is the vacation?"}
        return [
            "",
            f"  API            {self.api}",
            f"  Reference      {self.docs}",
            f"  Neo4j Browser  {browser}",
            f"  Admin key      {self.key}",
            "",
            "  Store a memory, then find it:",
            "",
            self.curl("/v1/episodes", store),
            self.curl("/v1/search", search),
            "",
            "  Ctrl-C stops everything; nothing is lost.",
            "",
        ]

    def curl(self, path: str, body: dict[str, str]) -> str:
        """A command that posts this body."""
        return (
            f"curl -s -X POST {self.api}{path} -H 'Authorization: Bearer {self.key}' "
            f"-H 'Content-Type: application/json' -d {shlex.quote(msgspec.json.encode(body).decode())}"
        )


def remove(folder: Path) -> None:
    """Take the card away: what it names does not run any more."""
    (folder / FILE).unlink(missing_ok=True)
