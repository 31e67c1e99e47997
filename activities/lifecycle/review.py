"""What people decide, with compare-and-set on what they saw; every refusal says what is there now (P97, P98)."""

from typing import Any

from activities.lifecycle import approving, results
from activities.lifecycle.entering import held_by_rate, restart
from activities.lifecycle.others import supersede_older
from activities.lifecycle.person_text import add_person_text
from activities.lifecycle.steps_begin import begin_step, outputs_missing
from activities.lifecycle.work import Answer, Change, Refused, Work
from contracts.lifecycle import Approve, Archive, Reassign, Reject, Release, RequestDraft, Restore, Retry, WriteReply
from contracts.status import RESTORABLE, ArchiveReason, OutboxState, Result, Status, StepKind
from domain.draft.similarity import word_similarity

MATERIALLY_EDITED_BELOW = 0.95


def wrong_status(work: Work, wanted: str) -> Refused:
    """The refusal of a late click: the present status and who brought it there (P98)."""
    return Refused(Result.CONFLICT, f"This message is {work.status} now; {wanted}.")


async def approve(work: Work, act: Approve) -> Answer:
    """E15: only the revision, recipients and newest mail the approver saw are approved."""
    if work.status is not Status.DRAFT_READY:
        return wrong_status(work, "only a draft in review can be approved")
    seen = await _newest_person_mail(work)
    refused = await _refuse_approval(work, act, seen)
    if refused is not None:
        return refused
    revision = act.revision if act.edited else work.message["draft_revision"]
    row = await work.tx.one("review_revision", work.id, revision)
    if row is None or revision is None or not row["text"].strip():
        return Refused(Result.NO_DRAFT, "There is no text to send.")
    await approving.approve_by_person(
        work,
        source=act.source,
        revision=revision,
        text=row["text"],
        seen=act.seen_message_id or seen["id"],
        findings=act.confirmed_findings,
        note=act.reason_note_id,
        resolve=act.resolve,
    )
    await supersede_older(work)
    return Change(Status.APPROVED, act.source)


async def _refuse_approval(work: Work, act: Approve, newest: Any) -> Refused | None:
    current = work.message["draft_revision"]
    if current is None and not act.edited:
        return Refused(Result.NO_DRAFT, "There is no draft to approve; write a reply or request one.")
    expected = act.base_revision if act.edited else act.revision
    if (expected is not None or act.edited) and expected != current:
        return await _stale_revision(work, current)
    refused = await _refuse_sent(work) or await _refuse_copy(work) or await _refuse_recipients(work, act)
    return refused or await _refuse_newer(work, act, newest) or await _refuse_typing(work)


async def _refuse_sent(work: Work) -> Refused | None:
    """A slot whose reply went out is never opened again, whatever the status says (OB3)."""
    if await work.tx.value("review_slot_used", work.id, approving.REPLY) not in (OutboxState.SENT, OutboxState.BOUNCED):
        return None
    return Refused(Result.ALREADY_SENT, "A reply to this mail went out already; nothing is sent twice.")


async def _stale_revision(work: Work, current: int | None) -> Refused:
    row = await work.tx.one("review_revision", work.id, current)
    return Refused(
        Result.CONFLICT,
        f"The draft changed meanwhile: revision {current} is current.",
        reason="stale_revision",
        by=row["author"] if row else "",
        at=row["created_at"] if row else None,
        current_revision=current,
    )


async def _refuse_copy(work: Work) -> Refused | None:
    """The same mail in another mailbox owns the reply; a second answer would be one too many (RC9, C10)."""
    owner = await work.tx.one("review_answered_elsewhere", work.id)
    if owner is None:
        return None
    words = f"This mail also reached another mailbox of ours and is answered there ({owner['processing_status']})."
    return Refused(Result.CONFLICT, words, reason="answered_there")


async def _refuse_recipients(work: Work, act: Approve) -> Refused | None:
    if not work.message["reply_recipients"]:
        return Refused(Result.NOT_PREPARED, "This mail has no address to reply to.")
    if act.recipients_hash is not None and act.recipients_hash != approving.hash_of(work.message):
        return Refused(Result.CONFLICT, "The recipients changed after you looked.", reason="stale_recipients")
    return None


async def _refuse_newer(work: Work, act: Approve, newest: Any) -> Refused | None:
    if act.seen_message_id is None or newest is None or newest["id"] == act.seen_message_id:
        return None
    seen_at = await work.tx.value("review_received_at", act.seen_message_id)
    if seen_at is not None and (newest["received_at"], newest["id"]) <= (seen_at, act.seen_message_id):
        return None
    return Refused(
        Result.CONFLICT,
        "A newer mail arrived on this thread; look at it first.",
        reason="newer_mail",
        newer_message_id=newest["id"],
    )


async def _refuse_typing(work: Work) -> Refused | None:
    typing = await work.tx.one("review_someone_replying", work.thread_id, work.command.actor)
    if typing is None:
        return None
    words = "Somebody else is writing a reply on this thread."
    return Refused(Result.REPLY_IN_PROGRESS, words, by=f"user:{typing['id']}")


async def _newest_person_mail(work: Work) -> Any:
    newest = await work.tx.one("review_newest_person_mail", work.thread_id)
    return newest or {"id": work.id, "received_at": work.message["received_at"]}


async def reject(work: Work, act: Reject) -> Answer:
    """E16: ends the message; the note is stored already and named by id."""
    if work.status is not Status.DRAFT_READY:
        return wrong_status(work, "only a draft in review can be rejected")
    await work.move(Status.REJECTED)
    await feedback(work, "rejected", None)
    return Change(Status.REJECTED, f"note:{act.note_id}" if act.note_id else "human")


async def feedback(work: Work, action: str, similarity: float | None) -> None:
    """One row per reviewed message; hand-written replies and automatic sends add none (P88)."""
    original = await work.tx.one("review_agent_text", work.id, work.run_no)
    if original is None:
        return
    if not _written_by_hand(work):
        category = (work.message["classification"] or {}).get("category", "other")
        score = work.message["confidence_score"]
        await work.tx.run("review_feedback", work.id, work.mailbox_id, action, category, score, similarity)
    await work.tx.run("review_resolve_observation", work.id, work.run_no, action == "approved")


def _written_by_hand(work: Work) -> bool:
    """Did a person put a text of their own in the draft's place (E28)? It has no score; an edited draft has."""
    return work.message["confidence_score"] is None


async def feedback_of_sending(work: Work) -> None:
    """Approved or edited, by word-level similarity of the sent text to the agent's (P83, P88)."""
    original = await work.tx.one("review_agent_text", work.id, work.run_no)
    if original is None or work.message["approval_source"] == "auto":
        return
    similarity = word_similarity(original["text"], work.message["draft_response"] or "")
    edited = similarity < MATERIALLY_EDITED_BELOW
    await feedback(work, "edited" if edited else "approved", round(similarity, 4))


async def reassign(work: Work, act: Reassign) -> Answer:
    """Sets or clears the owner; must be a known member, equal is no change."""
    if act.to_user is not None and await work.tx.value("review_member", act.to_user) is None:
        return Refused(Result.CONFLICT, "That person is not a member here.")
    if act.to_user != work.message["assigned_to"]:
        await work.tx.run("review_assign", work.id, act.to_user)
        await work.tx.run("lifecycle_touch", work.id)
    return Change(reason="reassigned")


async def release(work: Work, act: Release) -> Answer:
    """E22: exempts exactly the matched evidence and runs again from the scan (P61)."""
    if work.status is not Status.QUARANTINED:
        return wrong_status(work, "only a quarantined message can be released")
    for hit in (work.message["security_flags"] or {}).get("evidence", []):
        await _bypass(work, hit)
    await work.tx.run("step_new_run", work.id)
    await work.move(Status.RECEIVED)
    return Change(Status.RECEIVED, "released")


async def _bypass(work: Work, hit: dict[str, Any]) -> None:
    await work.tx.run(
        "review_bypass", work.id, work.mailbox_id, hit["detector"], results.hash_of_evidence(hit), work.command.actor
    )


async def retry(work: Work, act: Retry) -> Answer:
    """E23 with a fresh budget, or E24 for a delivery that failed."""
    if work.status is not Status.FAILED:
        return wrong_status(work, "only a failed message can be retried")
    if act.from_ == "security_scan":
        await work.tx.run("review_clear_approval", work.id)
        await work.tx.run("step_new_run", work.id)
        await work.move(Status.RECEIVED)
        return Change(Status.RECEIVED, "retry_from_scan")
    if work.message["failed_step"] == "send":
        await work.tx.run("review_clear_approval", work.id)
        await work.tx.run("step_clear_failure", work.id, 0)
        await work.tx.run("step_forget_failed_step", work.id)
        await work.move(Status.DRAFT_READY)
        return Change(Status.DRAFT_READY, "retry_delivery")
    return await restart(work, 0, "retry")


async def restore(work: Work, act: Restore) -> Answer:
    """E25: exempt from the reason that archived it (P61); an earlier workflow still open is told that it is over."""
    if work.status is not Status.ARCHIVED:
        if work.status in (Status.SENT, Status.REJECTED):
            return Refused(Result.TERMINAL, f"This message is {work.status} and cannot be restored.")
        return wrong_status(work, "only archived mail can be restored")
    reason = ArchiveReason(work.message["archive_reason"])
    if reason not in RESTORABLE:
        return Refused(Result.TERMINAL, f"Mail archived as {reason} is closed for good.")
    await work.tx.run("step_exempt", work.id, reason)
    await work.tx.run("step_new_run", work.id)
    await work.move(Status.RECEIVED)
    await work.tx.run("wake_earlier_runs", work.id)
    return Change(Status.RECEIVED, f"restored:{reason}")


async def request_draft(work: Work, act: RequestDraft) -> Answer:
    """E17, or the end of a hold in `received`; the draft is never sent by itself, and pays its way (P46)."""
    if work.status is Status.RECEIVED and work.message["hold_reason"] is not None:
        await work.tx.run("step_request_pipeline", work.id, act.instructions_id)
        await work.tx.run("lifecycle_set_step", work.id, None)
        return Change(reason="requested")
    if work.status is not Status.DRAFT_READY:
        return wrong_status(work, "a draft can be requested in review or on held mail")
    missing = await outputs_missing(work, StepKind.DRAFT)
    if missing:
        return Refused(Result.NOT_PREPARED, f"Not prepared for a draft: {', '.join(missing)} did not run.")
    earlier = [StepKind.SECURITY_SCAN, StepKind.CONTEXT_RETRIEVAL, StepKind.CLASSIFY]
    await work.tx.run("step_carry_outputs", work.id, work.run_no, work.run_no + 1, earlier)
    await work.tx.run("step_draft_run", work.id, act.instructions_id)
    await work.move(Status.DRAFTING, step=StepKind.DRAFT)
    if not await held_by_rate(work, await work.tx.value("clock")):
        await work.tx.run("step_forget_failed_step", work.id)
        await begin_step(work, StepKind.DRAFT)
    return Change(Status.DRAFTING, "requested")


async def write_reply(work: Work, act: WriteReply) -> Answer:
    """E28: a person's text becomes current; whatever the agent was doing stops (P4)."""
    note = await work.tx.one("review_note", act.note_id, work.id)
    if note is None:
        return Refused(Result.NO_DRAFT, "The text to send was not stored.")
    refused = await _refuse_handed_over(work) or await _cancel_pending(work, "write_reply")
    if refused is not None:
        return refused
    if work.message["current_step"] is not None:
        await work.tx.run("step_skip", work.id, work.mailbox_id, work.run_no, [work.message["current_step"]])
    revision = await add_person_text(work, work.command.actor, note["text"])
    await work.tx.run("review_set_current_text", work.id, revision, note["text"], approving.subject_of(work.message))
    if work.status is Status.DRAFT_READY:
        await work.tx.run("lifecycle_touch", work.id)
        return Change(reason="write_reply")
    await work.tx.run("review_clear_approval", work.id)
    await work.tx.run("review_clear_failure", work.id)
    await work.move(Status.DRAFT_READY)
    await supersede_older(work)
    return Change(Status.DRAFT_READY, "write_reply")


async def _refuse_handed_over(work: Work) -> Refused | None:
    """After a doubtful hand-over only `resolve_delivery` may open the slot again (OB3)."""
    row = await work.tx.one("review_live_outbox", work.id, approving.REPLY) if work.status is Status.APPROVED else None
    if row is None or row["state"] != OutboxState.AMBIGUOUS:
        return None
    return Refused(Result.ALREADY_SENDING, "Nobody knows yet whether the approved reply went out; settle that first.")


async def _cancel_pending(work: Work, reason: str) -> Refused | None:
    """Cancels an approved reply that waits; what is being handed over or went out already stays as it is."""
    row = await work.tx.one("review_live_outbox", work.id, approving.REPLY) if work.status is Status.APPROVED else None
    if row is None or row["state"] in (OutboxState.AMBIGUOUS, OutboxState.FAILED_SAFE):
        return None
    if row["state"] in (OutboxState.SENT, OutboxState.BOUNCED):
        return Refused(Result.ALREADY_SENT, "The approved reply went out already.")
    if await work.tx.value("review_cancel_outbox", row["id"], reason) is None:
        return Refused(Result.ALREADY_SENDING, "The approved reply is being handed over already.")
    return None


async def archive(work: Work, act: Archive) -> Answer:
    """E27: a pending send is cancelled first; one being handed over cannot be. A running step ends refused (P19)."""
    refused = await _cancel_pending(work, "archived")
    if refused is not None:
        return refused
    await work.move(Status.ARCHIVED, archived=act.reason, by=act.by_message_id)
    return Change(Status.ARCHIVED, act.reason)
