"""The same action on up to 50 messages: refused as a whole before any work, or one result per message (P118, HU9)."""

import asyncio
from typing import Any, Literal
from uuid import UUID, uuid5

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from api.acts import NAMESPACE, Asked, NoteText, RequestId, RevisionNumber
from api.desk import AtDesk, Desk
from api.docs import GUARDED
from api.errors import ApiError
from api.reviews import ACTIONS

MOST = 50
AT_A_TIME = 5

router = APIRouter(prefix="/api/bulk", tags=["decisions"], responses=GUARDED)


class Item(BaseModel):
    """One message, with what its action wants to hear."""

    model_config = ConfigDict(extra="forbid")

    message_id: UUID
    revision: RevisionNumber | None = None
    seen_message_id: UUID | None = None
    recipients_hash: str | None = None
    note: NoteText | None = None
    start_at: Literal["failed_step", "security_scan"] | None = Field(default=None, alias="from")

    def fields(self) -> dict[str, Any]:
        """What was given besides the id, under the names the action knows."""
        return self.model_dump(exclude={"message_id"}, exclude_none=True, by_alias=True)


class BulkBody(BaseModel):
    """At most 50 different messages."""

    model_config = ConfigDict(extra="forbid")

    action: Literal["approve", "reject", "undo_send", "retry", "restore"]
    items: list[Item] = Field(min_length=1, max_length=MOST)
    request_id: RequestId | None = None

    @field_validator("items")
    @classmethod
    def _distinct(cls, items: list[Item]) -> list[Item]:
        if len({item.message_id for item in items}) != len(items):
            raise ValueError("a message is named twice")
        return items


class BulkResult(BaseModel):
    """What became of one of them; `skipped` means that it wants a look of its own."""

    message_id: UUID
    request_id: str
    result: str
    message: str
    status: str | None = None


class BulkAnswer(BaseModel):
    """One result per message in the order asked, and how many were carried out."""

    request_id: str
    done: int
    refused: int
    results: list[BulkResult]


@router.post("")
async def bulk(body: BulkBody, desk: AtDesk) -> BulkAnswer:
    """Approve, reject, undo, retry or restore several messages."""
    desk.who.require("review", role="reviewer")
    request_id = desk.request_id(body.request_id)
    slots = asyncio.Semaphore(AT_A_TIME)
    results = await asyncio.gather(*(_one(desk, slots, body.action, item, request_id) for item in body.items))
    done = sum(r.result == "ok" for r in results)
    return BulkAnswer(request_id=request_id, done=done, refused=len(results) - done, results=list(results))


async def _one(desk: Desk, slots: asyncio.Semaphore, action: str, item: Item, request_id: str) -> BulkResult:
    own_id = str(uuid5(NAMESPACE, f"{request_id}/{item.message_id}"))
    async with slots:
        try:
            return await _act(Desk(desk.services, desk.who, None), action, item, own_id)
        except ApiError as error:
            status = error.extra.get("status")
            return BulkResult(
                message_id=item.message_id, request_id=own_id, result=error.error, message=error.message, status=status
            )


async def _act(desk: Desk, action: str, item: Item, request_id: str) -> BulkResult:
    try:
        body: Asked = ACTIONS[action](**item.fields(), request_id=request_id)
    except ValidationError as error:
        names = ", ".join(sorted({str(e["loc"][0]) for e in error.errors() if e["loc"]}))
        raise ApiError(422, "invalid", f"{action} does not fit these fields: {names}.") from None
    if action == "approve":
        await _look_first(desk, item)
    answer = await desk.act(item.message_id, action, body)
    return BulkResult(
        message_id=item.message_id,
        request_id=request_id,
        result=answer.result,
        message=answer.message,
        status=answer.status,
    )


async def _look_first(desk: Desk, item: Item) -> None:
    """What carries a flag or a finding, or whose recipients nobody looked at, is never approved by the dozen (HU9)."""
    if item.recipients_hash is None:
        raise ApiError(422, "invalid", "recipients_hash: a bulk approval names the recipients that were looked at.")
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        row = await tx.one("api_message", item.message_id)
        findings = [f for f in await tx.rows("api_findings", item.message_id) if f["revision"] == item.revision]
    if row is not None and (row["content_flags"] or findings):
        raise ApiError(
            409, "skipped", "This one carries a flag or a finding; look at it by itself.", status=row["status"]
        )
