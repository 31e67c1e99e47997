"""A house with servers and API alone: nothing works on the messages while the pages are timed."""

import secrets
from uuid import UUID

from argon2 import PasswordHasher

from bench.fifty_thousand.filling import Ground
from bench.house import House
from bench.mails import MAILBOX
from cli.stack.environment import child_environment
from cli.stack.parts import api_part
from cli.stack.roles import APP

NO_WAITING = "UPDATE agent_config SET coalesce_window_ms = 0"
NEW_PERSON = """
INSERT INTO users (organisation_id, email, name, role, password_hash)
SELECT id, $1, 'Reviewer', 'reviewer', $2 FROM organisations RETURNING id, organisation_id
"""
EMAIL = "reviewer@example.org"


class QuietHouse(House):
    """No worker and no model; `ground()` says where to fill in, `password` is that of the one reviewer."""

    def __init__(self) -> None:
        super().__init__()
        self.password = secrets.token_urlsafe(16)
        self.person: UUID
        self.organisation_id: UUID
        self.key = b""

    async def _start(self) -> None:
        await self._stack.enter_async_context(self.services)
        values = self._decide()
        await self._fill(values)
        self.key = bytes.fromhex(values["ORGANISATION_KEY"])
        await self._new_person()
        self.api = api_part(self.state, self.ports, child_environment(self.state, values))
        self._stack.push_async_callback(self.api.stop, False)
        await self.api.start()

    async def _new_person(self) -> None:
        await self.sql.execute(NO_WAITING)
        row = await self.sql.fetchrow(NEW_PERSON, EMAIL, PasswordHasher().hash(self.password))
        self.person, self.organisation_id = row["id"], row["organisation_id"]

    def ground(self) -> Ground:
        """For the filling processes."""
        return Ground(self.services.postgres.url(APP), self.key, self.organisation_id, self.person, MAILBOX)

    @property
    def url(self) -> str:
        """Where the pages are."""
        return f"http://127.0.0.1:{self.ports.api_port}"
