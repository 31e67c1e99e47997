"""What a fresh database needs before the first mail: organisation, mailboxes, flags and somebody who can log in.

Only the embedded stack turns the agent on by itself (P112, A108). A second start changes nothing but the build that may
claim sends (D8).
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg

from adapters.password_links import link_path, make_link
from adapters.postgres import Transaction
from cli.stack.first_access import Access, add_breakers, give_access

ACTOR: Final = "first start"
ADMIN_ADDRESS: Final = "admin@localhost"
LOCK_KEY: Final = 0x66697273740001
FLAGS_ON: Final = ("ai", "ai.agent", "ai.knowledge")
FLAGS_OFF: Final = ("ai.autonomy",)

INSERT_MAILBOX: Final = """
INSERT INTO mailboxes (organisation_id, address, name, kind, is_default) VALUES ($1, $2, $3, $4, $5) RETURNING id
"""
INSERT_FLAG: Final = "INSERT INTO feature_flags (mailbox_id, flag, is_on, changed_by) VALUES ($1, $2, $3, $4)"
INSERT_AUDIT: Final = """
INSERT INTO audit_log (mailbox_id, actor, action, subject, before, after)
VALUES ($1, $2, 'flag_on', $3, '{"is_on": false}', '{"is_on": true}')
"""
INSERT_ADMIN: Final = """
INSERT INTO users (organisation_id, email, name, role) VALUES ($1, $2, 'Admin', 'admin') RETURNING id
"""
PROMOTE_BUILD: Final = """
INSERT INTO current_build (component, build_id, promoted_by) VALUES ('worker', $1, $2)
ON CONFLICT (component) DO UPDATE SET build_id = excluded.build_id, promoted_at = now(), promoted_by = $2
WHERE current_build.build_id <> excluded.build_id
"""


@dataclass(frozen=True)
class FirstLogin:
    """The first administrator and the ways in; all secrets are known here only once, and stored hashed or sealed."""

    address: str
    link: str
    """Path of the one-time link, where the administrator chooses a password within 24 hours."""
    access: Access

    @property
    def api_token(self) -> str:
        """A bearer token of the administrator with the scopes read, review and admin."""
        return self.access.api_token

    @property
    def mta_secret(self) -> str:
        """The secret of the source `mta`, for POST /webhooks/mta."""
        return self.access.mta_secret

    @property
    def raw_secret(self) -> str:
        """The secret of the source `default`, for POST /webhooks/raw/default."""
        return self.access.raw_secret

    def __repr__(self) -> str:
        return f"FirstLogin(address={self.address!r}, link=...)"


async def set_up(
    url: str, mailbox_address: str, build_id: str, agent_on: bool, organisation_key: bytes | None = None
) -> FirstLogin | None:
    """Fill an empty database as the app role and promote the build; the login comes back at the first start only.

    Without the organisation key no webhook source can be made, because its secret could not be sealed.
    """
    connection = await asyncpg.connect(url, timeout=10, server_settings={"search_path": "deskhand, public"})
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK_KEY)
            await connection.execute("SET LOCAL deskhand.mailbox = '*'")
            await connection.execute(PROMOTE_BUILD, build_id, ACTOR)
            return await _fill(connection, mailbox_address, agent_on, organisation_key)
    finally:
        await connection.close()


async def link_of_newcomer(url: str) -> tuple[str, str] | None:
    """Address and path of a fresh link, as long as no administrator ever signed in; the link before it is void."""
    connection = await asyncpg.connect(url, timeout=10, server_settings={"search_path": "deskhand, public"})
    try:
        async with connection.transaction():
            tx = Transaction(connection)
            admin = await tx.one("people_newcomer")
            return None if admin is None else (admin["email"], link_path(await make_link(tx, admin["id"], ACTOR)))
    finally:
        await connection.close()


async def _fill(
    connection: asyncpg.Connection, mailbox_address: str, agent_on: bool, key: bytes | None
) -> FirstLogin | None:
    if await connection.fetchval("SELECT 1 FROM organisations LIMIT 1"):
        return None
    organisation = await connection.fetchval("INSERT INTO organisations (name) VALUES ('Deskhand') RETURNING id")
    await _add_mailboxes(connection, organisation, mailbox_address, agent_on)
    admin = await connection.fetchval(INSERT_ADMIN, organisation, ADMIN_ADDRESS)
    link = link_path(await make_link(Transaction(connection), admin, ACTOR))
    return FirstLogin(ADMIN_ADDRESS, link, await give_access(connection, organisation, admin, key))


async def _add_mailboxes(
    connection: asyncpg.Connection, organisation: UUID, mailbox_address: str, agent_on: bool
) -> None:
    await _add_mailbox(connection, organisation, "unassigned", "unassigned")
    default = await _add_mailbox(connection, organisation, mailbox_address, "default")
    await connection.execute(
        "INSERT INTO mailbox_addresses (organisation_id, address, mailbox_id) VALUES ($1, $2, $3)",
        organisation, mailbox_address.lower(), default,
    )  # fmt: skip
    for flag in FLAGS_ON + FLAGS_OFF:
        await _set_flag(connection, default, flag, agent_on and flag in FLAGS_ON)


async def _add_mailbox(connection: asyncpg.Connection, organisation: UUID, address: str, name: str) -> UUID:
    kind = "unassigned" if name == "unassigned" else "inbox"
    mailbox: UUID = await connection.fetchval(INSERT_MAILBOX, organisation, address, name, kind, name == "default")
    await connection.execute("INSERT INTO agent_config (mailbox_id) VALUES ($1)", mailbox)
    await add_breakers(connection, mailbox)
    return mailbox


async def _set_flag(connection: asyncpg.Connection, mailbox: UUID, flag: str, is_on: bool) -> None:
    await connection.execute(INSERT_FLAG, mailbox, flag, is_on, ACTOR)
    if is_on:
        await connection.execute(INSERT_AUDIT, mailbox, ACTOR, flag)
