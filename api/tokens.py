"""API tokens: made for a person, shown once, listed with their last use, revoked at once (HU8)."""

import secrets
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from api.auth import PREFIX, ROLES, Who, token_hash
from api.docs import GUARDED
from api.errors import ApiError, invalid, not_found
from api.rows import plain
from api.services import Deskhand

SECRET_BYTES = 32
LONGEST_DAYS = 3650
Scope = Literal["read", "propose", "review", "admin"]
ROLE_OF_SCOPE = {"read": "viewer", "propose": "reviewer", "review": "reviewer", "admin": "admin"}

router = APIRouter(prefix="/api/tokens", tags=["tokens"], responses=GUARDED)


def _apart(scopes: list[Scope]) -> list[Scope]:
    if {"propose", "review"} <= set(scopes):
        raise ValueError("no token may both propose a text and approve one")
    return sorted(set(scopes))


class TokenBody(BaseModel):
    """A token for yourself, or for `user_id`."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]+$")]
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=4), AfterValidator(_apart)]
    expires_in_days: Annotated[int, Field(ge=1, le=LONGEST_DAYS)] = 90
    user_id: UUID | None = None


class NewToken(BaseModel):
    """The only answer that ever holds the token itself."""

    id: UUID
    token: str
    name: str
    scopes: list[Scope]
    expires_at: datetime


class TokenRow(BaseModel):
    """A token without its secret."""

    id: UUID
    user_id: UUID
    email: str
    name: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@router.get("")
async def tokens(services: Deskhand, who: Who) -> list[TokenRow]:
    """Every token of the organisation, newest first."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        rows = await tx.rows("api_tokens", who.organisation_id)
    return [TokenRow(**plain(row)) for row in rows]


@router.post("", status_code=201)
async def make(body: TokenBody, services: Deskhand, who: Who) -> NewToken:
    """Make a token; it is shown in this answer and never again."""
    who.require("admin", role="admin")
    token = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    async with services.database.transaction(who.mailboxes) as tx:
        user = await tx.one("api_user", body.user_id or who.user_id, who.organisation_id)
        if user is None:
            raise invalid("user_id", "there is no such user")
        _check_role(user["role"], body.scopes)
        row = await tx.one(
            "api_token_add",
            user["id"],
            who.organisation_id,
            body.name,
            token_hash(token),
            body.scopes,
            body.expires_in_days,
        )
        if row is None:
            raise invalid("user_id", "there is no such user")
        after = {"id": str(row["id"]), "user_id": str(user["id"]), "scopes": body.scopes}
        await tx.run("api_audit", None, who.actor, "token_made", f"token/{row['id']}", None, after)
    return NewToken(id=row["id"], token=token, name=body.name, scopes=body.scopes, expires_at=row["expires_at"])


def _check_role(role: str, scopes: list[Scope]) -> None:
    for scope in scopes:
        if ROLES.index(role) < ROLES.index(ROLE_OF_SCOPE[scope]):
            raise ApiError(
                422, "invalid", f"scopes: a {role} cannot have the scope {scope}.", fields=[{"field": "scopes"}]
            )


@router.delete("/{token_id}")
async def revoke(token_id: UUID, services: Deskhand, who: Who) -> dict[str, str]:
    """Revoke a token; it is refused from the next request on."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        row = await tx.one("api_token_revoke", token_id, who.organisation_id)
        if row is None:
            raise not_found("token")
        await tx.run("api_audit", None, who.actor, "token_revoked", f"token/{token_id}", None, None)
    return {"id": str(token_id), "message": "Revoked."}
