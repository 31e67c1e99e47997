"""Senders nobody wants to answer: blocked with a reason, listed, and let in again (P119).

A blocked sender's mail is still accepted and accounted for; it ends as archived before any model is asked.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field, model_validator

from api.acts import NoteText
from api.auth import Principal, Who
from api.docs import GUARDED, REFUSALS
from api.errors import invalid, not_found
from api.services import Deskhand, Services
from domain.mail.address_list import identity
from domain.reply.recipients import UnsendableReply, wire_address

PAGE = 50
MOST = 200

router = APIRouter(prefix="/api/senders", tags=["senders"])

Address = Annotated[str, Field(min_length=3, max_length=320, pattern=r"^[^\x00]*$")]


class BlockBody(BaseModel):
    """The sender of a message, or an address in a mailbox; the reason is for colleagues."""

    model_config = ConfigDict(extra="forbid")

    message_id: UUID | None = None
    mailbox_id: UUID | None = None
    address: Address | None = None
    reason: NoteText

    @model_validator(mode="after")
    def _one_of_both(self) -> "BlockBody":
        by_hand = (self.mailbox_id, self.address)
        if (self.message_id is None) == (None in by_hand) or (self.message_id and any(by_hand)):
            raise ValueError("name either a message, or a mailbox and an address")
        return self


class UnblockBody(BaseModel):
    """A sender to let in again."""

    model_config = ConfigDict(extra="forbid")

    mailbox_id: UUID
    address: Address


class BlockState(BaseModel):
    """Whether a sender is blocked now, and whether that was otherwise before."""

    mailbox_id: UUID
    address: str
    blocked: bool
    changed: bool


class BlockedSender(BaseModel):
    """One blocked sender; `mails` counts what was archived because of it, up to 1000."""

    mailbox_id: UUID
    mailbox: str
    address: str
    reason: str
    by: str
    by_name: str
    created_at: datetime
    mails: int


class BlockedSenders(BaseModel):
    """A page of them in the order of their addresses; the cursor is empty at the end."""

    senders: list[BlockedSender]
    next_cursor: str


@dataclass(frozen=True)
class SenderDesk:
    """What one person decides about senders."""

    services: Services
    who: Principal

    async def block(self, body: BlockBody) -> BlockState:
        """Blocks; a sender that is blocked already keeps the first reason."""
        self.who.require("review", role="reviewer")
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            mailbox_id, address = await self._meant(tx, body)
            visible = list(self.who.mailboxes)
            added = await tx.value("desk_block", mailbox_id, address, body.reason, self.who.actor, visible)
            if added is None and await tx.one("desk_block_of", mailbox_id, address) is None:
                raise not_found("mailbox")
            if added:
                after = {"address": address, "reason": body.reason}
                await tx.run("api_audit", mailbox_id, self.who.actor, "block_sender", f"sender/{address}", None, after)
        return BlockState(mailbox_id=mailbox_id, address=address, blocked=True, changed=added is not None)

    async def _meant(self, tx: Any, body: BlockBody) -> tuple[UUID, str]:
        if body.message_id is None:
            return UUID(str(body.mailbox_id)), address_of(str(body.address))
        row = await tx.one("desk_sender_of", body.message_id)
        if row is None:
            raise not_found()
        if not row["from_identity"]:
            raise invalid("message_id", "this mail names no sender")
        return row["mailbox_id"], row["from_identity"]

    async def unblock(self, body: UnblockBody) -> BlockState:
        """Lets a sender in again; what was archived meanwhile stays so."""
        self.who.require("review", role="reviewer")
        address = identity(body.address)
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            gone = await tx.one("desk_unblock", body.mailbox_id, address)
            if gone is not None:
                before = {"address": address, "reason": gone["reason"], "by": gone["by"]}
                subject = f"sender/{address}"
                await tx.run("api_audit", body.mailbox_id, self.who.actor, "unblock_sender", subject, before, None)
        return BlockState(mailbox_id=body.mailbox_id, address=address, blocked=False, changed=gone is not None)

    async def blocked(self, mailboxes: list[UUID], cursor: str = "", limit: int = PAGE) -> BlockedSenders:
        """A page of blocked senders of these mailboxes."""
        self.who.require("read")
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            rows = await tx.rows("desk_blocked", mailboxes, *_after(cursor), limit + 1)
        found = [BlockedSender(**dict(row)) for row in rows[:limit]]
        more = f"{found[-1].mailbox_id}/{found[-1].address}" if len(rows) > limit else ""
        return BlockedSenders(senders=found, next_cursor=more)


def address_of(text: str) -> str:
    """An address in the form that senders are compared in; 422 for what is none."""
    try:
        wire_address(text.strip())
    except UnsendableReply:
        raise invalid("address", "this is no mail address") from None
    return identity(text)


def _after(cursor: str) -> tuple[str | None, UUID | None]:
    mailbox, _, address = cursor.partition("/")
    try:
        return (address, UUID(mailbox)) if address and "\x00" not in address else (None, None)
    except ValueError:
        return (None, None)


@router.get("/blocked", responses=GUARDED)
async def blocked(
    services: Deskhand,
    who: Who,
    mailbox_id: UUID | None = None,
    cursor: Annotated[str, Query(max_length=400, pattern=r"^[^\x00]*$")] = "",
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE,
) -> BlockedSenders:
    """Blocked senders, each with reason, person and time."""
    return await SenderDesk(services, who).blocked([mailbox_id] if mailbox_id else list(who.mailboxes), cursor, limit)


@router.post("/block", responses=REFUSALS)
async def block(body: BlockBody, services: Deskhand, who: Who) -> BlockState:
    """Block a sender in one mailbox: further mail of theirs is archived before any model is asked."""
    return await SenderDesk(services, who).block(body)


@router.post("/unblock", responses=REFUSALS)
async def unblock(body: UnblockBody, services: Deskhand, who: Who) -> BlockState:
    """Let a sender in again."""
    return await SenderDesk(services, who).unblock(body)
