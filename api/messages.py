"""Reading messages: a list by keyset, one message with everything a person decides on, its raw bytes, and saving a
text."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.responses import Response

from adapters.blobs import BlobStore
from adapters.postgres import Transaction
from api.acts import Asked, Text
from api.auth import Who
from api.desk import AtDesk
from api.docs import GUARDED, REFUSALS
from api.errors import not_found
from api.message_shapes import (
    FLAG_FIELDS,
    MESSAGE_FIELDS,
    WORK_FIELDS,
    MessageDetail,
    MessagePage,
    MessageRow,
    ToApprove,
)
from api.rows import plain, temporal_link
from api.services import Deskhand, Services
from api.texts import save_revision
from contracts.outputs import DraftFinding
from contracts.status import Status
from domain.reply.recipients import recipients_hash

PAGE = 25
MOST = 100

router = APIRouter(prefix="/api/messages", tags=["reading"], responses=GUARDED)


class RevisionBody(Asked):
    """A text to save."""

    text: Text


class SavedRevision(BaseModel):
    """The saved text's number, and what the scan of outgoing text found in it; confirm findings by their ids."""

    message_id: UUID
    revision: int
    findings: list[DraftFinding]


@router.get("")
async def messages(
    services: Deskhand,
    who: Who,
    status: Annotated[list[Status] | None, Query(description="One or more statuses.")] = None,
    mailbox: UUID | None = None,
    cursor: Annotated[UUID | None, Query(description="`next_cursor` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE,
) -> MessagePage:
    """Messages, newest first."""
    who.require("read")
    wanted = [s.value for s in status] if status else None
    async with services.database.transaction(who.mailboxes) as tx:
        rows = await tx.rows("api_messages", wanted, mailbox, cursor, limit + 1)
    shown = [_row(services, row) for row in rows[:limit]]
    return MessagePage(messages=shown, next_cursor=shown[-1].id if len(rows) > limit else None)


def _row(services: Services, row: Any) -> MessageRow:
    return MessageRow(**plain(row, "workflow_id"), temporal=temporal_link(services.settings, row["workflow_id"]))


@router.get("/{message_id}")
async def message(message_id: UUID, services: Deskhand, who: Who) -> MessageDetail:
    """One message with draft, findings, recipients, decision, steps, events and send orders."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        row = await tx.one("api_message", message_id)
        if row is None or row["account"] == "deleted":
            raise not_found()
        return await _detail(tx, services, row)


async def _detail(tx: Transaction, services: Services, m: Any) -> MessageDetail:
    received = m["status"] is not None
    shown = _recipients(m) if received else None
    decision = await tx.one("api_decision", m["id"])
    return MessageDetail(
        id=m["id"],
        mailbox_id=m["mailbox_id"],
        account=m["account"],
        status=m["status"],
        poison=_some(m, "poison_reason", "poison_detail", "raw_kind", "source") if m["account"] == "poison" else None,
        message=_some(m, *MESSAGE_FIELDS) if received else None,
        attachments=m["attachment_meta"] or [],
        flags=_some(m, *FLAG_FIELDS) if received else {},
        classification=m["classification"],
        intents=m["intents"],
        draft=await _draft(tx, m) if received else None,
        findings=[plain(f) for f in await tx.rows("api_findings", m["id"])],
        recipients=shown,
        recipients_hash=_hash(m) if received else None,
        to_approve=_to_approve(m),
        decision=plain(decision) if decision else None,
        work=_some(m, *WORK_FIELDS) if received else None,
        steps=[plain(s) for s in await tx.rows("api_steps", m["id"])],
        events=[plain(e) for e in await tx.rows("api_events", m["id"])],
        outbox=[plain(o) for o in await tx.rows("api_outbox", m["id"])],
        links=_links(services, m),
    )


def _some(row: Any, *names: str) -> dict[str, Any]:
    return plain({name: row[name] for name in names})


async def _draft(tx: Transaction, m: Any) -> dict[str, Any] | None:
    revisions = [plain(r) for r in await tx.rows("api_revisions", m["id"])]
    if m["draft_response"] is None and not revisions:
        return None
    return {
        "text": m["draft_response"],
        "subject": m["draft_subject"],
        "revision": m["draft_revision"],
        "options": m["draft_options"] or [],
        "quality": m["draft_quality"],
        "confidence": plain(m)["confidence_score"],
        "grounding": m["grounding"],
        "offline_model": m["offline_model"],
        "revisions": revisions,
    }


def _recipients(m: Any) -> dict[str, Any]:
    return {"to": m["reply_recipients"], "cc": m["reply_cc"], "confirm": m["reply_confirm"]}


def _hash(m: Any) -> str:
    digest: str = recipients_hash(tuple(m["reply_recipients"]), tuple(m["reply_cc"]), ())
    return digest


def _to_approve(m: Any) -> ToApprove | None:
    if m["status"] != Status.DRAFT_READY or m["draft_revision"] is None:
        return None
    seen = m["newest_message_id"] or m["id"]
    return ToApprove(revision=m["draft_revision"], seen_message_id=seen, recipients_hash=_hash(m))


def _links(services: Services, m: Any) -> dict[str, str | None]:
    return {
        "self": f"/api/messages/{m['id']}",
        "raw": f"/api/messages/{m['id']}/raw",
        "thread": f"/api/threads/{m['thread_id']}" if m["thread_id"] else None,
        "temporal": temporal_link(services.settings, m["workflow_id"]),
    }


@router.get("/{message_id}/raw", response_class=Response)
async def raw(message_id: UUID, services: Deskhand, who: Who) -> Response:
    """The bytes as they were received, to save."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        row = await tx.one("api_subject", message_id)
        sha256 = row["blob_sha256"] if row else None
        content = await BlobStore().get(tx, row["organisation_id"], sha256) if row and sha256 else None
    if content is None:
        raise not_found()
    headers = {
        "content-disposition": f'attachment; filename="{message_id}.bin"',
        "content-security-policy": "sandbox",
        "x-content-type-options": "nosniff",
    }
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.post("/{message_id}/revisions", responses=REFUSALS)
async def save(message_id: UUID, body: RevisionBody, desk: AtDesk) -> SavedRevision:
    """Save a text without approving it, to see what the scan finds; the current draft stays as it is."""
    desk.who.require("propose", "review", role="reviewer")
    async with desk.services.database.transaction(desk.who.mailboxes) as tx:
        subject = await desk.subject(tx, message_id)
        known = await tx.value("api_revision_same", message_id, desk.who.actor, body.text, -1)
        if known is not None:
            found = [f for f in await tx.rows("api_findings", message_id) if f["revision"] == known]
            return SavedRevision(message_id=message_id, revision=known, findings=[_finding(f) for f in found])
        revision, findings = await save_revision(tx, subject, desk.who.actor, body.text)
    return SavedRevision(message_id=message_id, revision=revision, findings=list(findings))


def _finding(row: Any) -> DraftFinding:
    return DraftFinding(**plain(row, "revision"), evidence_hash=row["finding_id"])
