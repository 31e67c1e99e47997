"""The answer to a person's action, one shape for yes and no: what came of it, and what is there now (P98, P100)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from adapters.postgres import Transaction
from api.errors import ApiError
from contracts.lifecycle import Outcome, Refusal
from contracts.status import RESTORABLE, TERMINAL, ArchiveReason, Result, Status

DONE = {
    "approve": "Approved; it leaves at the time named unless somebody undoes it.",
    "edit_and_approve": "Approved with your text; it leaves at the time named unless somebody undoes it.",
    "reject": "Rejected.",
    "reassign": "The owner is set.",
    "release_quarantine": "Released; it runs again from the scan.",
    "retry": "It is tried again.",
    "restore": "Restored; it runs again from the scan.",
    "undo_send": "Taken back; nothing was sent.",
    "request_draft": "A draft is being written.",
    "write_reply": "Your text is the current reply.",
    "archive": "Archived.",
    "resolve_delivery": "Settled.",
}


class ActionAnswer(BaseModel):
    """`status` and what follows it are as they stand now; the rest is the outcome of this request for good."""

    request_id: str
    message_id: UUID
    action: str
    result: Result
    message: str
    from_status: Status | None = None
    to_status: Status | None = None
    by: str = ""
    by_name: str = ""
    at: datetime | None = None
    current_revision: int | None = None
    newer_message_id: UUID | None = None
    repeated: bool = False
    status: Status | None = None
    revision: int | None = None
    send_at: datetime | None = None
    outbox_id: UUID | None = None


def checked(answer: ActionAnswer) -> ActionAnswer:
    """The answer of a success; 404 or 409 with the same fields for a refusal."""
    if answer.result is Result.OK:
        return answer
    body = answer.model_dump(mode="json")
    status = 404 if answer.result is Result.MESSAGE_NOT_FOUND else 409
    raise ApiError(status, body["result"], body.pop("message"), **body)


async def answer_of(
    tx: Transaction, subject: Any, request_id: str, action: str, outcome: Outcome, repeated: bool
) -> ActionAnswer:
    """Puts the outcome and the present state together; `subject` is the message as it is now."""
    refusal = outcome.refusal or Refusal(message=DONE.get(action, "Done."))
    return ActionAnswer(
        request_id=request_id,
        message_id=subject["message_id"],
        action=action,
        result=outcome.result,
        message=refusal.message,
        from_status=outcome.from_status,
        to_status=outcome.to_status,
        by=refusal.by,
        by_name=await _name(tx, refusal.by, subject["organisation_id"]),
        at=refusal.at,
        current_revision=refusal.current_revision,
        newer_message_id=refusal.newer_message_id,
        repeated=repeated,
        status=subject["status"],
        revision=subject["draft_revision"],
        send_at=subject["send_at"],
        outbox_id=subject["outbox_id"],
    )


async def _name(tx: Transaction, actor: str, organisation_id: UUID) -> str:
    if not actor.startswith("user:"):
        return actor
    row = await tx.one("api_user", UUID(actor.removeprefix("user:")), organisation_id)
    return (row["name"] or row["email"]) if row else ""


def refused(result: Result, message: str, *, by: str = "", at: datetime | None = None) -> Outcome:
    """A refusal decided before any workflow was asked."""
    return Outcome(result=result, refusal=Refusal(message=message, by=by, at=at))


async def late_click(tx: Transaction, subject: Any, result: Result, message: str) -> Outcome:
    """A refusal that names who brought the message to where it is."""
    row = await tx.one("api_last_event", subject["message_id"])
    outcome = refused(result, message, by=row["actor"] if row else "", at=row["at"] if row else None)
    return outcome.model_copy(update={"from_status": subject["status"]})


async def objection(tx: Transaction, subject: Any, action: str) -> Outcome | None:
    """What can be refused without asking anybody, because it cannot change any more (P7, P100)."""
    if subject["status"] is None:
        return _not_received(subject, action)
    status = Status(subject["status"])
    if action == "restore":
        return await _not_restorable(tx, subject, status)
    if status not in TERMINAL:
        return None
    if action == "undo_send" and status is Status.SENT:
        return await late_click(tx, subject, Result.ALREADY_SENT, "The reply was handed over; it cannot be undone.")
    return await late_click(tx, subject, Result.TERMINAL, f"This message is already {status}; nothing was changed.")


def _not_received(subject: Any, action: str) -> Outcome | None:
    if subject["account"] != "poison":
        return refused(Result.CONFLICT, "This mail was not read yet; try again in a moment.")
    if action != "write_reply":
        return refused(Result.CONFLICT, "This mail could not be read; parse it again, deliver it or answer it by hand.")
    if subject["mailbox_kind"] == "unassigned":
        return refused(Result.NOT_PREPARED, "This mail belongs to no mailbox; deliver it to one first.")
    return None


async def _not_restorable(tx: Transaction, subject: Any, status: Status) -> Outcome | None:
    if status in (Status.SENT, Status.REJECTED):
        return await late_click(tx, subject, Result.TERMINAL, f"This message is {status} and cannot be restored.")
    if status is not Status.ARCHIVED:
        return await late_click(
            tx, subject, Result.CONFLICT, f"This message is {status} now; only archived mail is restored."
        )
    if ArchiveReason(subject["archive_reason"]) not in RESTORABLE:
        words = f"Mail archived as {subject['archive_reason']} is closed for good."
        return await late_click(tx, subject, Result.TERMINAL, words)
    return None
