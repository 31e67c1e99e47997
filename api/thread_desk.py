"""What people do with a conversation itself: its state, putting it off, its owner, and notes among colleagues (P115,
P121).

Nothing here touches the status of a message. Each act leads to a state, so repeating it changes nothing more.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4, uuid5
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fastapi import APIRouter
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from adapters.postgres import Transaction
from api.acts import NAMESPACE, NoteText, RequestId
from api.auth import Principal, Who
from api.docs import GUARDED, REFUSALS
from api.errors import ApiError, invalid, not_found
from api.services import Deskhand, Services
from domain.threads.snoozing import UnsoundMoment, checked_moment, preset_moment

ThreadStatus = Literal["open", "waiting", "resolved", "closed"]
Preset = Literal["later_today", "tomorrow", "next_week"]
ENDED = ("resolved", "closed")
UNSOUND = {
    "past": "that moment has passed; name one ahead",
    "too_far": "that is more than a year away",
    "too_late_today": "there is no later today; name tomorrow",
    "unreadable": "that is no moment",
}

router = APIRouter(prefix="/api/threads", tags=["conversations"])


class StatusBody(BaseModel):
    """The state a conversation is put in by hand."""

    model_config = ConfigDict(extra="forbid")

    status: ThreadStatus


class SnoozeBody(BaseModel):
    """A preset, in the zone of the mailbox, or a moment ahead of now and within a year."""

    model_config = ConfigDict(extra="forbid")

    preset: Preset | None = None
    until: AwareDatetime | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "SnoozeBody":
        if (self.preset is None) == (self.until is None):
            raise ValueError("name either a preset or a moment")
        return self


class AssignBody(BaseModel):
    """The owner, or nobody."""

    model_config = ConfigDict(extra="forbid")

    to_user: UUID | None


class NoteBody(BaseModel):
    """A note among colleagues: plain text, never sent, never read by a model."""

    model_config = ConfigDict(extra="forbid")

    text: NoteText
    request_id: RequestId | None = None


class ThreadState(BaseModel):
    """A conversation after the act; `changed` says whether it was otherwise before."""

    thread_id: UUID
    changed: bool
    status: ThreadStatus
    snoozed_until: datetime | None
    returned_at: datetime | None
    assigned_to: UUID | None


class ThreadNote(BaseModel):
    """One note."""

    id: UUID
    author_id: UUID
    author: str
    text: str
    created_at: datetime


class Notes(BaseModel):
    """Notes of a conversation, newest first."""

    notes: Annotated[list[ThreadNote], Field(max_length=200)]


@dataclass(frozen=True)
class ThreadDesk:
    """What one person does with conversations."""

    services: Services
    who: Principal

    async def set_status(self, thread_id: UUID, status: ThreadStatus) -> ThreadState:
        """Open, waiting, resolved or closed; the last two end a snooze."""
        async with self._held(thread_id) as (tx, before):
            changed = await tx.run("desk_thread_status", thread_id, status)
            return await self._settled(tx, "thread_status", before, bool(changed), "status")

    async def snooze(self, thread_id: UUID, body: SnoozeBody) -> ThreadState:
        """Puts it off; 409 for a conversation that is over."""
        async with self._held(thread_id) as (tx, before):
            until = moment_of(body, before["timezone"])
            if before["status"] in ENDED:
                words = f"This conversation is {before['status']}; open it before you put it off."
                raise ApiError(409, "conflict", words, status=before["status"])
            changed = await tx.run("desk_snooze", thread_id, until)
            return await self._settled(tx, "snooze", before, bool(changed), "snoozed_until")

    async def wake(self, thread_id: UUID) -> ThreadState:
        """Ends a snooze before its time."""
        async with self._held(thread_id) as (tx, before):
            changed = await tx.run("desk_snooze", thread_id, None)
            return await self._settled(tx, "wake", before, bool(changed), "snoozed_until")

    async def assign(self, thread_id: UUID, to_user: UUID | None) -> ThreadState:
        """Sets or clears the owner, who has to be a known member."""
        async with self._held(thread_id) as (tx, before):
            changed = await tx.value("dashboard_assign", thread_id, to_user, self.who.organisation_id)
            if not changed and to_user != before["assigned_to"]:
                raise invalid("to_user", "there is no such member")
            return await self._settled(tx, "assign", before, bool(changed), "assigned_to")

    async def add_note(self, thread_id: UUID, body: NoteBody) -> ThreadNote:
        """Keeps a note; the same request id keeps it once, and 409 if it came with another text."""
        note_id = uuid5(NAMESPACE, f"{thread_id}/{body.request_id or uuid4()}/note")
        async with self._held(thread_id) as (tx, before):
            added = await tx.run("desk_note_add", note_id, thread_id, self.who.user_id, body.text)
            note = await tx.must("desk_note", note_id)
            if note["text"] != body.text or note["author_id"] != self.who.user_id:
                raise ApiError(409, "conflict", "The same request id was used before with another text.")
            if added:
                await self._record(tx, "thread_note", before, None, {"note": str(note_id)})
        return ThreadNote(**dict(note))

    async def notes(self, thread_id: UUID) -> list[ThreadNote]:
        """Newest first."""
        self.who.require("read")
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            if await tx.one("api_thread", thread_id) is None:
                raise not_found("thread")
            return [ThreadNote(**dict(row)) for row in await tx.rows("desk_notes", thread_id)]

    @asynccontextmanager
    async def _held(self, thread_id: UUID) -> AsyncIterator[tuple[Transaction, Any]]:
        """The conversation as it is, held until the act is done."""
        self.who.require("review", role="reviewer")
        async with self.services.database.transaction(self.who.mailboxes) as tx:
            row = await tx.one("desk_thread", thread_id)
            if row is None:
                raise not_found("thread")
            yield tx, row

    async def _settled(self, tx: Transaction, action: str, before: Any, changed: bool, column: str) -> ThreadState:
        after = await tx.must("desk_thread", before["id"])
        if changed:
            await self._record(tx, action, before, *({column: _word(row[column])} for row in (before, after)))
        return ThreadState(
            thread_id=after["id"], changed=changed, status=after["status"], snoozed_until=after["snoozed_until"],
            returned_at=after["snooze_returned_at"], assigned_to=after["assigned_to"],
        )  # fmt: skip

    async def _record(self, tx: Transaction, action: str, thread: Any, before: Any, after: Any) -> None:
        subject = f"thread/{thread['id']}"
        await tx.run("api_audit", thread["mailbox_id"], self.who.actor, action, subject, before, after)
        await tx.run("desk_news", thread["mailbox_id"])


def moment_of(body: SnoozeBody, zone: str) -> datetime:
    """When it comes back; 422 for a moment nobody can be woken at."""
    now = datetime.now(UTC)
    try:
        asked = body.until or preset_moment(str(body.preset), now, zone_of(zone))
        return checked_moment(asked, now)
    except UnsoundMoment as unsound:
        raise invalid("until" if body.until else "preset", UNSOUND[unsound.kind]) from None


def zone_of(name: str) -> ZoneInfo:
    """The zone of a mailbox; UTC where its name means nothing here."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def _word(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else str(value)


@router.post("/{thread_id}/status", responses=REFUSALS)
async def set_status(thread_id: UUID, body: StatusBody, services: Deskhand, who: Who) -> ThreadState:
    """Put a conversation in a state by hand; a new mail of its customer opens it again."""
    return await ThreadDesk(services, who).set_status(thread_id, body.status)


@router.post("/{thread_id}/snooze", responses=REFUSALS)
async def snooze(thread_id: UUID, body: SnoozeBody, services: Deskhand, who: Who) -> ThreadState:
    """Put a conversation off; it comes back by itself, or with the next mail of its customer."""
    return await ThreadDesk(services, who).snooze(thread_id, body)


@router.post("/{thread_id}/wake", responses=REFUSALS)
async def wake(thread_id: UUID, services: Deskhand, who: Who) -> ThreadState:
    """End a snooze now."""
    return await ThreadDesk(services, who).wake(thread_id)


@router.post("/{thread_id}/assign", responses=REFUSALS)
async def assign(thread_id: UUID, body: AssignBody, services: Deskhand, who: Who) -> ThreadState:
    """Set or clear the owner."""
    return await ThreadDesk(services, who).assign(thread_id, body.to_user)


@router.get("/{thread_id}/notes", responses=GUARDED)
async def notes(thread_id: UUID, services: Deskhand, who: Who) -> Notes:
    """Notes among colleagues."""
    return Notes(notes=await ThreadDesk(services, who).notes(thread_id))


@router.post("/{thread_id}/notes", responses=REFUSALS, status_code=201)
async def add_note(thread_id: UUID, body: NoteBody, services: Deskhand, who: Who) -> ThreadNote:
    """Leave a note for colleagues; it is never sent, and no model reads it."""
    return await ThreadDesk(services, who).add_note(thread_id, body)
