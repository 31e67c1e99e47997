"""What people decide about a message, one endpoint per action of P97. None of them writes a status (P21)."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter

from api.acts import (
    ApproveBody,
    ArchiveBody,
    EditBody,
    ReassignBody,
    RejectBody,
    ReleaseBody,
    RequestDraftBody,
    ResolveBody,
    RestoreBody,
    RetryBody,
    UndoBody,
    WriteReplyBody,
)
from api.answers import ActionAnswer
from api.desk import AtDesk
from api.docs import REFUSALS

router = APIRouter(prefix="/api/messages", tags=["decisions"], responses=REFUSALS)


@router.post("/{message_id}/approve")
async def approve(message_id: UUID, body: ApproveBody, desk: AtDesk) -> ActionAnswer:
    """Approve the draft revision seen; it leaves after the undo window."""
    return await desk.act(message_id, "approve", body)


@router.post("/{message_id}/edit_and_approve")
async def edit_and_approve(message_id: UUID, body: EditBody, desk: AtDesk) -> ActionAnswer:
    """Approve an edited text: send `text`, or name a `revision` saved before."""
    return await desk.act(message_id, "edit_and_approve", body)


@router.post("/{message_id}/reject")
async def reject(message_id: UUID, desk: AtDesk, body: RejectBody | None = None) -> ActionAnswer:
    """Reject the draft; this ends the message."""
    return await desk.act(message_id, "reject", body or RejectBody())


@router.post("/{message_id}/reassign")
async def reassign(message_id: UUID, body: ReassignBody, desk: AtDesk) -> ActionAnswer:
    """Set or clear who owns the message."""
    return await desk.act(message_id, "reassign", body)


@router.post("/{message_id}/release_quarantine")
async def release_quarantine(message_id: UUID, desk: AtDesk, body: ReleaseBody | None = None) -> ActionAnswer:
    """Let a quarantined message through (role admin); exactly what was found is exempted."""
    return await desk.act(message_id, "release_quarantine", body or ReleaseBody())


@router.post("/{message_id}/retry")
async def retry(message_id: UUID, desk: AtDesk, body: RetryBody | None = None) -> ActionAnswer:
    """Try a failed message again."""
    return await desk.act(message_id, "retry", body or RetryBody())


@router.post("/{message_id}/restore")
async def restore(message_id: UUID, desk: AtDesk, body: RestoreBody | None = None) -> ActionAnswer:
    """Bring archived mail back; it runs again from the scan."""
    return await desk.act(message_id, "restore", body or RestoreBody())


@router.post("/{message_id}/undo_send")
async def undo_send(message_id: UUID, desk: AtDesk, body: UndoBody | None = None) -> ActionAnswer:
    """Take an approved reply back before it is handed over."""
    return await desk.act(message_id, "undo_send", body or UndoBody())


@router.post("/{message_id}/request_draft")
async def request_draft(message_id: UUID, desk: AtDesk, body: RequestDraftBody | None = None) -> ActionAnswer:
    """Ask the agent for a draft, in review or on held mail; it is never sent by itself."""
    return await desk.act(message_id, "request_draft", body or RequestDraftBody())


@router.post("/{message_id}/write_reply")
async def write_reply(message_id: UUID, body: WriteReplyBody, desk: AtDesk) -> ActionAnswer:
    """Make a text of your own the current reply; on unreadable mail this answers it by hand."""
    return await desk.act(message_id, "write_reply", body)


@router.post("/{message_id}/archive")
async def archive(message_id: UUID, desk: AtDesk, body: ArchiveBody | None = None) -> ActionAnswer:
    """Close without a reply; optionally block the sender."""
    return await desk.act(message_id, "archive", body or ArchiveBody())


@router.post("/{message_id}/resolve_delivery")
async def resolve_delivery(message_id: UUID, body: ResolveBody, desk: AtDesk) -> ActionAnswer:
    """Settle a doubtful delivery: it went out, send it again, or close."""
    return await desk.act(message_id, "resolve_delivery", body)


ACTIONS: dict[str, type[Any]] = {
    "approve": ApproveBody,
    "reject": RejectBody,
    "undo_send": UndoBody,
    "retry": RetryBody,
    "restore": RestoreBody,
}
