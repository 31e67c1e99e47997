"""Who asks, and what they may: bearer tokens, hashed at rest, scoped and expiring, and the role of the person behind
(HU8)."""

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adapters.postgres import Database
from api.errors import ApiError
from contracts.errors import DatabaseFault

PREFIX = "dh_"
TOKEN_LENGTHS = range(20, 201)
GUARDED = ("/api/", "/metrics")
LARGEST_BODY_BYTES = 1024 * 1024
LARGEST_UPLOAD_BYTES = 128 * 1024 * 1024
UPLOADS = "/knowledge/imports"
ROLES = ("viewer", "reviewer", "admin")

bearer = HTTPBearer(auto_error=False, description="An API token: `Authorization: Bearer dh_…`")


@dataclass(frozen=True)
class Principal:
    """The person behind a token, and the mailboxes they see."""

    token_id: UUID
    user_id: UUID
    organisation_id: UUID
    name: str
    role: str
    scopes: frozenset[str]
    mailboxes: tuple[UUID, ...]

    @property
    def actor(self) -> str:
        """How this person is named in events, revisions and the audit log."""
        return f"user:{self.user_id}"

    def require(self, *scopes: str, role: str = "viewer") -> None:
        """403 unless the token has one of the scopes and the person at least the role."""
        if not self.scopes.intersection(scopes):
            raise ApiError(
                403, "scope_missing", f"This token lacks the scope {' or '.join(scopes)}.", scope=list(scopes)
            )
        if ROLES.index(self.role) < ROLES.index(role):
            raise ApiError(403, "role_missing", f"This takes the role {role}; yours is {self.role}.", role=role)


def token_hash(token: str) -> str:
    """How a token is kept: SHA-256 in hex; it has 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(token.encode()).hexdigest()


async def principal_of(database: Database, token: str) -> Principal | None:
    """The person of a token, or None if it is unknown, expired, revoked or of a disabled user; notes the use of it."""
    if not token.startswith(PREFIX) or len(token) not in TOKEN_LENGTHS or not token.isascii():
        return None
    return await principal_of_hash(database, token_hash(token))


async def principal_of_hash(database: Database, hashed: str) -> Principal | None:
    """The same for a token known by its hash."""
    async with database.transaction(()) as tx:
        row = await tx.one("api_token", hashed)
    return None if row is None else _principal(row)


def _principal(row: Any) -> Principal:
    return Principal(
        token_id=row["id"],
        user_id=row["user_id"],
        organisation_id=row["organisation_id"],
        name=row["name"] or row["email"],
        role=row["role"],
        scopes=frozenset(row["scopes"]),
        mailboxes=tuple(row["mailboxes"]),
    )


def bearer_token(headers: Headers) -> str:
    """The token of an Authorization header, or nothing."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


class Guard:
    """Stands before /api and /metrics: nobody comes in without a valid token, and no body above 1 MiB, files aside."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or not scope["path"].startswith(GUARDED):
            await self.app(scope, receive, send)
            return
        try:
            principal = await self._who(scope)
        except DatabaseFault:
            answer = ApiError(
                503, "unavailable", "The database does not answer. Try again.", headers={"Retry-After": "5"}
            )
            await answer.response()(scope, receive, send)
            return
        if principal is None:
            await _unauthenticated().response()(scope, receive, send)
            return
        scope.setdefault("state", {})["principal"] = principal
        await self.app(scope, bounded(receive, largest_body(scope["path"])), send)

    async def _who(self, scope: Scope) -> Principal | None:
        token = bearer_token(Headers(scope=scope))
        return await principal_of(scope["app"].state.services.database, token) if token else None


def _unauthenticated() -> ApiError:
    words = "This needs a valid API token: `Authorization: Bearer dh_…`."
    return ApiError(401, "unauthenticated", words, headers={"WWW-Authenticate": "Bearer"})


def largest_body(path: str) -> int:
    """How many bytes a request to this address may have: files are larger than anything else."""
    return LARGEST_UPLOAD_BYTES if path.endswith(UPLOADS) else LARGEST_BODY_BYTES


def bounded(receive: Receive, most: int) -> Receive:
    """Counts what arrives, whatever Content-Length says; HTTPException 413 above `most` bytes."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise HTTPException(413)
        return message

    return counted


async def current(request: Request, _: Annotated[Any, Depends(bearer)]) -> Principal:
    """The person behind this request; the guard has let only known ones through."""
    principal: Principal = request.state.principal
    return principal


Who = Annotated[Principal, Depends(current)]
