"""A real Postgres with the whole schema and one mailbox with something to send: what the statements are measured on."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from adapters.postgres import EVERY_MAILBOX, Database
from cli.stack.first_start import set_up
from cli.stack.ports import spare_ports
from cli.stack.postgres import APP, OWNER, Postgres
from cli.stack.schema import apply_schema
from cli.stack.state import StateDir

CONNECTIONS = 12
MAILBOX = "support@shop.example"

_MESSAGE = """
WITH event AS (
    INSERT INTO inbound_events (source, provider_event_id, body_sha256) VALUES ('default', 'bench', 'bench')
    RETURNING id
), mail AS (
    INSERT INTO accepted_mail (mailbox_id, dedup_key, event_id, source, organisation_id, raw_kind)
    SELECT b.id, 'bench', event.id, 'default', b.organisation_id, 'rfc822' FROM event, mailboxes b WHERE b.id = $1
    RETURNING message_id
), thread AS (
    INSERT INTO conversation_threads (mailbox_id) VALUES ($1) RETURNING id
)
SELECT mail.message_id, thread.id FROM mail, thread
"""
_RECEIVED = """
INSERT INTO inbound_messages (id, mailbox_id, thread_id, processing_status, received_at)
VALUES ($1, $2, $3, 'received', now())
"""
_RULE = """
INSERT INTO autonomy_rules (mailbox_id, category, mode, mode_basis, max_daily_auto_actions)
VALUES ($1, $2, 'on', 'certificate', $3) RETURNING id
"""

_GLOBAL_CAP = """
UPDATE agent_config SET is_auto_reply_enabled = true, max_daily_auto_replies = $1, daily_auto_reply_count = 0
"""


@dataclass(frozen=True)
class Ground:
    """The pool of the application role, and the one message whose reply slots are filled."""

    database: Database
    mailbox_id: UUID
    message_id: UUID
    thread_id: UUID

    async def add_rule(self, category: str, cap: int) -> UUID:
        """A rule in mode on with this daily cap."""
        rule_id: UUID = await self._run(_RULE, self.mailbox_id, category, cap)
        return rule_id

    async def set_global_cap(self, cap: int) -> None:
        """The mailbox's automatic replies on, with this daily cap, and the day's count at nothing."""
        await self._run(_GLOBAL_CAP, cap)

    async def end_the_day(self) -> None:
        """Every count is past its reset."""
        await self._run("UPDATE autonomy_rules SET daily_count_reset_at = now() - interval '1 second'")

    async def add_pending(self, count: int) -> list[UUID]:
        """Automatic sends that wait for their claim, each in a reply slot of its own."""
        ids = [uuid4() for _ in range(count)]
        async with self.database.transaction(self.mailbox_id) as tx:
            await tx.run_many("review_new_outbox", [self._pending(one) for one in ids])
        return ids

    def _pending(self, one: UUID) -> tuple[object, ...]:
        people = [MAILBOX, "", ["mara@example.org"], []]
        about = ["", "Your parcel", "", f"{one}@example.org", datetime.now(UTC)]
        head = [one, self.mailbox_id, self.message_id, self.thread_id, f"bench-{one}", 1, None, True, "agent", None]
        return (*head, 1, [], None, *people, *about)

    async def _run(self, statement: str, *values: Any) -> Any:
        async with self.database.transaction(self.mailbox_id) as tx:
            return await tx.connection.fetchval(statement, *values)


@asynccontextmanager
async def prepared(app_url: str) -> AsyncIterator[Ground]:
    """A ground on an empty database that has the schema."""
    await set_up(app_url, MAILBOX, "bench", agent_on=True)
    database = await Database.connect(app_url, most=CONNECTIONS, least=CONNECTIONS)
    try:
        async with database.transaction(EVERY_MAILBOX, lifecycle=True) as tx:
            mailbox_id = await tx.connection.fetchval("SELECT id FROM mailboxes WHERE is_default")
            message_id, thread_id = await tx.connection.fetchrow(_MESSAGE, mailbox_id)
            await tx.connection.execute(_RECEIVED, message_id, mailbox_id, thread_id)
        yield Ground(database, mailbox_id, message_id, thread_id)
    finally:
        await database.close()


@asynccontextmanager
async def own_postgres() -> AsyncIterator[str]:
    """The url of the application role, on a server of our own that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="deskhand-bench-"))
    state = StateDir(folder / "state")
    state.create()
    postgres = Postgres(state, spare_ports().postgres_port, say=lambda _: None)
    try:
        await postgres.start()
        await apply_schema(postgres.url(OWNER))
        yield postgres.url(APP)
    finally:
        await postgres.stop()
        await asyncio.to_thread(shutil.rmtree, folder, True)
