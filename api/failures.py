"""What failed, by equal error: one cause is looked at once, and its messages are tried again together (P118, P119)."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from api.acts import RequestId
from api.auth import Principal, Who
from api.bulk import MOST, BulkAnswer, BulkBody, bulk
from api.desk import AtDesk, Desk
from api.docs import GUARDED, REFUSALS
from api.errors import ApiError
from api.services import Deskhand, Services

router = APIRouter(prefix="/api/failures", tags=["decisions"])

ErrorWord = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]


class EqualFailures(BaseModel):
    """Messages that failed in the same step with the same error; `example` is the newest one's own words."""

    failed_step: str
    error_type: str
    mails: int
    newest: datetime
    oldest: datetime
    next_try: datetime | None
    example: str | None


class Failures(BaseModel):
    """At most 50 groups, the largest first."""

    groups: list[EqualFailures]


class RetryEqualBody(BaseModel):
    """One group; the oldest 50 of it are tried again."""

    model_config = ConfigDict(extra="forbid")

    failed_step: ErrorWord
    error_type: ErrorWord
    mailbox_id: UUID | None = None
    start_at: Literal["failed_step", "security_scan"] = Field(default="failed_step", alias="from")
    request_id: RequestId | None = None


async def groups_of(services: Services, who: Principal, mailboxes: list[UUID]) -> list[EqualFailures]:
    """What failed in these mailboxes, by equal error."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        return [EqualFailures(**dict(row)) for row in await tx.rows("desk_failures", mailboxes)]


async def retry_equal(desk: Desk, body: RetryEqualBody, mailboxes: list[UUID]) -> BulkAnswer:
    """Tries the oldest 50 of a group again; 409 where none is left."""
    desk.who.require("review", role="reviewer")
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        rows = await tx.rows("desk_equal_failures", mailboxes, body.failed_step, body.error_type, MOST)
    if not rows:
        raise ApiError(409, "conflict", "No message failed with this error any more.")
    items: list[Any] = [{"message_id": row["id"], "from": body.start_at} for row in rows]
    return await bulk(BulkBody.model_validate({"action": "retry", "items": items, "request_id": body.request_id}), desk)


@router.get("", responses=GUARDED)
async def failures(services: Deskhand, who: Who, mailbox_id: UUID | None = None) -> Failures:
    """What failed, by equal error."""
    return Failures(groups=await groups_of(services, who, [mailbox_id] if mailbox_id else list(who.mailboxes)))


@router.post("/retry", responses=REFUSALS)
async def retry(body: RetryEqualBody, desk: AtDesk) -> BulkAnswer:
    """Try messages with an equal error again, at most 50 at a time, with one result for each."""
    return await retry_equal(desk, body, [body.mailbox_id] if body.mailbox_id else list(desk.who.mailboxes))
