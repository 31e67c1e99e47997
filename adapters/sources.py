"""Configured ways in and their secrets, kept for a few seconds so that the door does not ask for them at every mail."""

import time
from dataclasses import dataclass

from adapters.postgres import Database
from adapters.sealing import seal, unseal
from domain.keys import Keyring

KEPT_S = 3.0
MOST_SECRETS = 2
MOST_KEPT = 500


@dataclass(frozen=True)
class Source:
    """One source; `secrets` holds at most two, newest first."""

    name: str
    kind: str
    paused: bool
    secrets: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Source({self.name!r}, {self.kind!r})"


class Sources:
    """Reads and adds sources."""

    def __init__(self, database: Database, keyring: Keyring) -> None:
        self.database = database
        self.keyring = keyring
        self._kept: dict[str, tuple[float, Source | None]] = {}

    async def get(self, name: str) -> Source | None:
        """The source, at most three seconds old; raises DatabaseFault where nothing is known."""
        kept = self._kept.get(name)
        if kept is not None and time.monotonic() - kept[0] < KEPT_S:
            return kept[1]
        source = await self._read(name)
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[name] = (time.monotonic(), source)
        return source

    async def _read(self, name: str) -> Source | None:
        async with self.database.transaction() as tx:
            row = await tx.one("source", name)
            secrets = await tx.rows("source_secrets", name, MOST_SECRETS)
        if row is None:
            return None
        opened = tuple(unseal(self.keyring, bytes(s["sealed"])) for s in secrets)
        return Source(name=row["name"], kind=row["kind"], paused=row["paused"], secrets=opened)

    async def add(self, name: str, kind: str, secret: str) -> None:
        """Adds the source if it is missing, and a secret; more than two active ones retire the oldest."""
        async with self.database.transaction() as tx:
            await tx.run("source_add", name, kind)
            await tx.run("source_add_secret", name, seal(self.keyring, secret))
            await tx.run("source_retire", name, MOST_SECRETS)
        self.forget(name)

    def forget(self, name: str) -> None:
        """Reads the source anew at the next mail: it was changed here."""
        self._kept.pop(name, None)
