"""Conversations: reading one, and writing on one that holds nothing open (P97a)."""

from typing import Annotated, Any
from uuid import UUID, uuid5

from fastapi import APIRouter, Query
from pydantic import BaseModel

from api.acts import NAMESPACE, Asked, FindingIds, Ids, Note, Text
from api.auth import Who
from api.desk import AtDesk
from api.docs import GUARDED, REFUSALS
from api.errors import ApiError, not_found
from api.follow_ups import ReplyAnswer, place_reply
from api.rows import plain
from api.services import Deskhand
from api.texts import store_notes

PAGE = 50
MOST = 200

router = APIRouter(prefix="/api/threads", tags=["conversations"])


class Thread(BaseModel):
    """A conversation: its messages newest first, and what we sent or mean to send."""

    thread: dict[str, Any]
    messages: list[dict[str, Any]]
    replies: list[dict[str, Any]]
    next_cursor: UUID | None


class WriteBody(Asked):
    """A text to send on a thread that holds nothing open."""

    text: Text
    confirmed_findings: FindingIds = []


@router.get("/{thread_id}", responses=GUARDED)
async def thread(
    thread_id: UUID,
    services: Deskhand,
    who: Who,
    cursor: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE,
) -> Thread:
    """One conversation."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        row = await tx.one("api_thread", thread_id)
        if row is None:
            raise not_found("thread")
        found = [plain(m) for m in await tx.rows("api_thread_messages", thread_id, cursor, limit + 1)]
        replies = [plain(r) for r in await tx.rows("api_thread_replies", thread_id)]
    more = found[limit - 1]["id"] if len(found) > limit else None
    return Thread(thread=plain(row), messages=found[:limit], replies=replies, next_cursor=more)


@router.post("/{thread_id}/write_reply", responses=REFUSALS)
async def write_reply(thread_id: UUID, body: WriteBody, desk: AtDesk) -> ReplyAnswer:
    """Send a text on a thread whose messages are all closed; no status of an old message changes."""
    desk.who.require("review", role="reviewer")
    request_id = desk.request_id(body.request_id)
    outbox_id = uuid5(NAMESPACE, f"{thread_id}/{request_id}/outbox")
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        newest = await _newest(tx, thread_id)
        known = await tx.one("api_reply", outbox_id)
        message_id = known["message_id"] if known else newest["id"]
        if known is None:
            _refuse_open(newest)
        note = Note(Ids(message_id, request_id).of("reply"), "reply", body.text)
        subject = {"mailbox_id": newest["mailbox_id"], "message_id": message_id}
        await store_notes(tx, subject, desk.who.actor, [note])
    return await place_reply(desk, subject, outbox_id, note, tuple(body.confirmed_findings), request_id)


async def _newest(tx: Any, thread_id: UUID) -> Any:
    if await tx.one("api_thread", thread_id) is None:
        raise not_found("thread")
    newest = await tx.one("api_thread_newest", thread_id)
    if newest is None:
        raise ApiError(409, "not_prepared", "This thread holds no mail of a person to answer.")
    return newest


def _refuse_open(newest: Any) -> None:
    if newest["open_id"] is not None:
        words = "A message of this thread is still open; write the reply on it."
        raise ApiError(409, "conflict", words, open_message_id=str(newest["open_id"]))
    if not newest["reply_recipients"]:
        raise ApiError(409, "not_prepared", "The newest mail of this thread has no address to reply to.")
