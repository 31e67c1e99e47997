"""Ways in that a fresh installation needs at once: the two webhook sources with their secrets, and one API token.

Secrets are sealed with the organisation key, the token is kept as a hash; both are shown once, at the first start.
"""

import base64
import hashlib
import secrets
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg

from adapters.sealing import seal
from domain.breakers import default_breakers
from domain.keys import Keyring

MTA_SOURCE: Final = "mta"
RAW_SOURCE: Final = "default"
TOKEN_PREFIX: Final = "dh_"
TOKEN_BYTES: Final = 32
SECRET_BYTES: Final = 32
TOKEN_DAYS: Final = 365
SCOPES: Final = ("read", "review", "admin")

INSERT_SOURCE: Final = "INSERT INTO sources (name, organisation_id, kind) VALUES ($1, $2, $3)"
INSERT_SECRET: Final = "INSERT INTO webhook_secrets (source, sealed) VALUES ($1, $2)"
TOKEN_NAME: Final = "first start"
INSERT_TOKEN: Final = f"""
INSERT INTO api_tokens (user_id, name, token_hash, scopes, expires_at)
VALUES ($1, '{TOKEN_NAME}', $2, $3, now() + make_interval(days => $4))
"""
INSERT_BREAKER: Final = """
INSERT INTO agent_circuit_breakers (mailbox_id, kind, threshold, window_s, min_sample, cool_down_s, probe_limit)
VALUES ($1, $2, $3::text::numeric, $4, $5, $6, $7)
"""


@dataclass(frozen=True)
class Access:
    """What the first start gives away once; empty secrets mean that no organisation key was at hand to seal them."""

    api_token: str
    mta_secret: str = ""
    raw_secret: str = ""

    def __repr__(self) -> str:
        return "Access(...)"


def token_hash(token: str) -> str:
    """How a token is kept: SHA-256 in hex. A token has 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    """A fresh API token."""
    return TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)


def new_secret(kind: str) -> str:
    """A fresh webhook secret in the form its kind of source takes: hex for `mta`, else as Standard Webhooks has it."""
    if kind == "mta":
        return secrets.token_hex(SECRET_BYTES)
    return "whsec_" + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


async def give_access(connection: asyncpg.Connection, organisation: UUID, user: UUID, master: bytes | None) -> Access:
    """Adds the sources `mta` and `default` and a token of the user, within the caller's transaction."""
    token = new_token()
    await connection.execute(INSERT_TOKEN, user, token_hash(token), list(SCOPES), TOKEN_DAYS)
    if master is None:
        return Access(token)
    keyring = Keyring(master)
    mta, raw = new_secret("mta"), new_secret("raw")
    for name, kind, secret in ((MTA_SOURCE, "mta", mta), (RAW_SOURCE, "raw", raw)):
        await connection.execute(INSERT_SOURCE, name, organisation, kind)
        await connection.execute(INSERT_SECRET, name, seal(keyring, secret))
    return Access(token, mta, raw)


async def add_breakers(connection: asyncpg.Connection, mailbox: UUID) -> None:
    """The three breakers of a mailbox, closed, with the numbers of P93."""
    for b in default_breakers():
        window_s, cool_down_s = (int(span.total_seconds()) for span in (b.window, b.cool_down))
        await connection.execute(
            INSERT_BREAKER, mailbox, b.kind, str(b.threshold), window_s, b.min_sample, cool_down_s, b.probe_limit
        )


def secrets_file_text(access: Access) -> str:
    """The dotenv file that people and `deskhand demo` read token and secrets from."""
    return (
        "# Made at the first start and stored nowhere else in the clear. Keep it private.\n"
        f"DESKHAND_API_TOKEN={access.api_token}\n"
        f"DESKHAND_MTA_SECRET={access.mta_secret}\n"
        f"DESKHAND_RAW_SECRET={access.raw_secret}\n"
    )
