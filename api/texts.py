"""Texts of people are stored before any workflow hears of them, and named by id (P23, P97). A saved text is scanned
(P98a)."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from activities.steps.draft import findings_in
from adapters.postgres import Transaction
from api.acts import Approval, Asked, EditBody, Note
from api.errors import ApiError, invalid
from contracts.outputs import DraftFinding
from contracts.status import Status


async def store_notes(tx: Transaction, subject: Any, actor: str, notes: Iterable[Note]) -> None:
    """Stores each text once; 409 if the same request came with another text before."""
    for note in notes:
        await tx.run("api_note_add", note.id, subject["mailbox_id"], subject["message_id"], actor, note.kind, note.text)
        kept = await tx.one("api_note", note.id)
        if kept is None or kept["text"] != note.text or kept["author"] != actor:
            raise ApiError(409, "conflict", "The same request id was used before with another text.")


async def known_edit(tx: Transaction, message_id: UUID, actor: str, body: EditBody) -> int | None:
    """The revision this edit was saved as before, if it was."""
    if body.text is None:
        return body.revision
    base = -1 if body.base_revision is None else body.base_revision
    found: int | None = await tx.value("api_revision_same", message_id, actor, body.text, base)
    return found


async def check_seen(tx: Transaction, subject: Any, body: Asked) -> None:
    """An approver names a mail of this thread, and whoever edits names the draft that was edited (P98)."""
    if not isinstance(body, Approval):
        return
    if not await tx.value("api_in_thread", body.seen_message_id, subject["thread_id"]):
        raise invalid("seen_message_id", "it names no message of this thread")
    if isinstance(body, EditBody) and body.base_revision is None and subject["draft_revision"] is not None:
        raise invalid("base_revision", "this message has a draft; name the revision that was edited")


async def save_revision(tx: Transaction, subject: Any, actor: str, text: str) -> tuple[int, tuple[DraftFinding, ...]]:
    """A new revision with what the scan of outgoing text finds in it; only in review (A110a)."""
    if subject["status"] != Status.DRAFT_READY:
        raise ApiError(
            409, "conflict", f"This message is {subject['status']}; a text can be saved in review only.",
            status=subject["status"],
        )  # fmt: skip
    revision: int = await tx.value("api_revision_add", subject["message_id"], actor, text)
    found = findings_in(subject, text)
    for f in found:
        await tx.run(
            "api_finding_add", subject["message_id"], subject["mailbox_id"], revision, f.finding_id, f.detector,
            f.evidence_hash, f.start, f.end, f.snippet, f.confirmable,
        )  # fmt: skip
    return revision, found
