"""Who is signed in: sessions kept on the server under the hash of an opaque id, and the walls around every form (HU5,
HU7).

A session ends by itself after twelve idle hours or seven days, and at once when password, role or account change.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from adapters.postgres import Transaction
from api.auth import ROLES, Principal
from api.services import Services

SCOPES = {
    "viewer": frozenset({"read"}),
    "reviewer": frozenset({"read", "propose", "review"}),
    "admin": frozenset({"read", "propose", "review", "admin"}),
}
ID_BYTES = 32
COOKIE_S = 7 * 24 * 3600


@dataclass(frozen=True)
class Session:
    """One signed-in browser."""

    id_hash: str
    who: Principal
    csrf: str
    language: str
    scheme: str
    flash: dict[str, Any] | None
    undo: dict[str, Any] | None

    def may(self, role: str) -> bool:
        """Whether the person has at least this role."""
        return ROLES.index(self.who.role) >= ROLES.index(role)


def hashed(value: str) -> str:
    """How a session id is kept; it has 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(value.encode()).hexdigest()


def password_mark(password_hash: str | None) -> str:
    """Changes with the password, and tells nothing about it."""
    return hashlib.sha256(f"mark/{password_hash}".encode()).hexdigest()[:32]


def is_secure(services: Services) -> bool:
    """Whether people reach us over https."""
    return services.settings.dashboard_base_url().startswith("https://")


def cookie_name(services: Services, name: str = "deskhand") -> str:
    """The name follows the scheme: the prefix that browsers guard is for https only."""
    return f"__Host-{name}" if is_secure(services) else name


def set_cookie(services: Services, answer: Response, name: str, value: str, max_age_s: int) -> None:
    """HttpOnly, SameSite=Lax, and Secure over https."""
    answer.set_cookie(
        cookie_name(services, name), value, max_age=max_age_s, httponly=True, samesite="lax",
        secure=is_secure(services), path="/",
    )  # fmt: skip


def csrf_token(services: Services, bound_to: str) -> str:
    """The token of every form of one session."""
    key = services.keyring.derive("csrf")
    return hmac.new(key, bound_to.encode(), hashlib.sha256).hexdigest()


def same_token(given: str, expected: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())


def from_here(request: Request, services: Services) -> bool:
    """A browser names where a form comes from; another site's is refused, and so is one that does not say (HU5)."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None and site != "same-origin":
        return False
    if origin is not None:
        own = {request.headers.get("host"), urlsplit(services.settings.dashboard_base_url()).netloc}
        return urlsplit(origin).netloc in own
    return site is not None


async def begin(tx: Transaction, user: Any) -> str:
    """A new session; its id is returned once and kept as a hash."""
    value = secrets.token_urlsafe(ID_BYTES)
    await tx.run("dashboard_session_add", hashed(value), user["id"], user["role"], password_mark(user["password_hash"]))
    return value


async def find(services: Services, request: Request) -> Session | None:
    """The session of this request, or None where there is none that counts."""
    value = request.cookies.get(cookie_name(services), "")
    if not 20 <= len(value) <= 100 or not value.isascii():
        return None
    return await known(services, hashed(value))


async def known(services: Services, id_hash: str) -> Session | None:
    """The session of this hash, which opens nothing by itself: it is no cookie."""
    async with services.database.transaction(()) as tx:
        row = await tx.one("dashboard_session", id_hash)
        if row is None:
            return None
        if row["role"] != row["role_now"] or row["password_mark"] != password_mark(row["password_hash"]):
            await tx.run("dashboard_session_end", row["id_hash"])
            return None
        if row["stale"]:
            await tx.run("dashboard_session_seen", row["id_hash"])
    return _session(services, row)


def _session(services: Services, row: Any) -> Session:
    who = Principal(
        token_id=UUID(row["id_hash"][:32]),
        user_id=row["user_id"],
        organisation_id=row["organisation_id"],
        name=row["name"] or row["email"],
        role=row["role"],
        scopes=SCOPES[row["role"]],
        mailboxes=tuple(row["mailboxes"]),
    )
    csrf = csrf_token(services, row["id_hash"])
    return Session(row["id_hash"], who, csrf, row["language"], row["scheme"], row["flash"], row["undo"])
