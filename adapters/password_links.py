"""One-time links by which a person sets a password, so that no password is ever made for anybody or told to anybody.

A link lives 24 hours, works once, and a newer one of the same person voids it. Only its hash is kept (HU7).
"""

import hashlib
import secrets
from typing import Any, Final
from uuid import UUID

from adapters.postgres import Transaction

LINK_HOURS: Final = 24
TOKEN_BYTES: Final = 32
LENGTHS: Final = range(20, 101)
PLACE: Final = "/dashboard/invitation"


def link_path(token: str) -> str:
    """Where the link leads, without scheme and host."""
    return f"{PLACE}/{token}"


async def make_link(tx: Transaction, user_id: UUID, made_by: str) -> str:
    """The token of a fresh link; every older link of this person is void."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    await tx.run("people_links_void", user_id)
    await tx.run("people_link_add", _hashed(token), user_id, made_by, LINK_HOURS)
    return token


async def look_at_link(tx: Transaction, token: str) -> Any:
    """Address, name and end of the link, or None for one that does not count; looking uses nothing up."""
    return await tx.one("people_link", _hashed(token)) if _sound(token) else None


async def use_link(tx: Transaction, token: str, password_hash: str) -> Any:
    """Sets the password and ends every session of the person; the user's row, or None where the link does not count."""
    user_id = await tx.value("people_link_use", _hashed(token)) if _sound(token) else None
    if user_id is None:
        return None
    await tx.run("people_links_void", user_id)
    await tx.run("people_sessions_end", user_id)
    return await tx.must("people_password_set", user_id, password_hash)


def _sound(token: str) -> bool:
    return len(token) in LENGTHS and token.isascii()


def _hashed(token: str) -> str:
    """The token has 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(token.encode()).hexdigest()
