"""The claim: the last look before a reply leaves, in one transaction with the row that says so (P103, OB6)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from activities.lifecycle.writer import apply_in
from activities.ports import Row, Transaction
from activities.send_ceiling import ceiling_objection
from activities.sending.rendering import render
from activities.steps.route_facts import hours_of
from contracts.delivery import Outgoing
from contracts.lifecycle import Command, SendResult, Withdraw
from contracts.status import OutboxState, Status
from contracts.workflow import DeliverRequest, DeliverResult, DeliverState
from domain.automatic_mail.loops import SENDER_CAP, THREAD_CAP
from domain.detect.parts import TextPart
from domain.detect.scan import scan
from domain.keys import Keyring
from domain.mail.address_list import identity
from domain.outbound.findings import outbound_findings
from domain.prompts import OUR_TEXTS
from domain.routing.working_hours import hours_objection

CLAIM_LASTS = timedelta(seconds=640)
BUILD_RETRY_S = 30
OUTBOUND_INJECTION_AT = 0.70


@dataclass(frozen=True)
class Claimed:
    """The row is ours: these bytes, until this moment. `unproven_since` is set on a repeat in doubt."""

    mail: Outgoing
    deadline: datetime
    attempt: int
    unproven_since: datetime | None = None


async def claim(tx: Transaction, request: DeliverRequest, keyring: Keyring, build_id: str) -> Claimed | DeliverResult:
    """`ready → sending` if nothing objects; otherwise what stands in the row, or the withdrawal (E20)."""
    if await tx.value("claim_build") != build_id:
        return DeliverResult(state=DeliverState.NOT_CLAIMED, retry_in_s=BUILD_RETRY_S)
    await tx.one("lifecycle_lock_thread", await tx.value("claim_thread", request.outbox_id))
    message = await tx.must("claim_message", request.message_id)
    row = await tx.one("review_outbox", request.outbox_id)
    settled = _settled(row)
    if settled is not None or row is None:
        return settled or DeliverResult(state=DeliverState.WITHDRAWN)
    now = await tx.value("clock")
    if row["send_at"] > now:
        return DeliverResult(
            state=DeliverState.NOT_CLAIMED, retry_in_s=max(1, int((row["send_at"] - now).total_seconds()) + 1)
        )
    earlier = await tx.value("claim_went_out", row["message_id"], row["reply_slot"], row["id"])
    if earlier is not None:
        return await _proved(tx, request, earlier, keyring)
    objection = await _objection(tx, row, message, now)
    if objection is not None:
        return await _withdraw(tx, request, objection, keyring)
    return await _take(tx, row, message, keyring, now)


def _settled(row: Row | None) -> DeliverResult | None:
    states = {
        OutboxState.SENT: DeliverState.SENT,
        OutboxState.BOUNCED: DeliverState.SENT,
        OutboxState.SENDING: DeliverState.AMBIGUOUS,
        OutboxState.AMBIGUOUS: DeliverState.AMBIGUOUS,
        OutboxState.CANCELLED: DeliverState.WITHDRAWN,
        OutboxState.FAILED_SAFE: DeliverState.FAILED_PERMANENT,
    }
    if row is None:
        return DeliverResult(state=DeliverState.WITHDRAWN)
    state = states.get(OutboxState(row["state"]))
    return DeliverResult(state=state) if state else None


async def _objection(tx: Transaction, row: Row, message: Row, now: datetime) -> str | None:
    """The first reason not to send after all; its name goes into the event."""
    if row["reply_slot"] == "reply" and (
        message["processing_status"] != Status.APPROVED or message["approved_revision"] != row["revision"]
    ):
        return "revision"
    newest = await tx.one("review_newest_person_mail", row["thread_id"])
    if newest is not None and await _is_newer(tx, newest, row["seen_message_id"]):
        return "newer_mail"
    if await _switched_off(tx, row):
        return "kill_switch"
    if await tx.value("claim_suppressed", row["mailbox_id"], [identity(a) for a in (*row["recipients"], *row["cc"])]):
        return "suppressed_recipient"
    if row["automatic"] and (objection := await _automatic_objection(tx, row, message, now)) is not None:
        return objection
    return await _finding(tx, row, message)


async def _automatic_objection(tx: Transaction, row: Row, message: Row, now: datetime) -> str | None:
    """What only stops a send nobody approved; the caps are charged here, by the row that is about to be taken (LO1)."""
    if await tx.value("claim_touched", row["thread_id"], row["decided_at"]):
        return "human_touch"
    if not await tx.value("claim_automation_on", row["decision_id"]):
        return "switched_off"
    if await tx.value("claim_breaker_open", row["mailbox_id"]):
        return "breaker_open"
    config, rule = await tx.must("lifecycle_config", row["mailbox_id"]), await tx.one("claim_rule", row["decision_id"])
    if hours_objection(hours_of(config, rule), now) is not None:
        return "working_hours"
    sender = message["from_identity"] or "unknown"
    await tx.run("enter_budget_rows", row["mailbox_id"], [sender, ""])
    await tx.rows("enter_budget", row["mailbox_id"], [sender, ""])
    if (objection := await ceiling_objection(tx, row["mailbox_id"])) is not None:
        return objection
    sent = await tx.must("claim_sent_automatically", row["thread_id"], row["mailbox_id"], message["from_identity"])
    if sent["loop_suspected"]:
        return "loop_suspected"
    return "loop_cap" if sent["in_thread"] >= THREAD_CAP or sent["to_sender"] >= SENDER_CAP else None


async def _is_newer(tx: Transaction, newest: Row, seen: UUID | None) -> bool:
    if seen is None or newest["id"] == seen:
        return seen is None
    seen_at = await tx.value("review_received_at", seen)
    return seen_at is None or (newest["received_at"], newest["id"]) > (seen_at, seen)


async def _switched_off(tx: Transaction, row: Row) -> bool:
    """Claims hold the lock shared and the switch exclusively, so a switch that committed is always seen (OB7)."""
    await tx.one("claim_switch_lock", row["mailbox_id"])
    for switch in await tx.rows("claim_switches", row["mailbox_id"]):
        if switch["thrown_at"] >= row["decided_at"] or (row["automatic"] and switch["lifted_at"] is None):
            return True
    return False


async def _finding(tx: Transaction, row: Row, message: Row) -> str | None:
    """Unconfirmed findings stop a person's send too; what cannot be confirmed stops everybody (P98a)."""
    text = await tx.value("claim_text", row["message_id"], row["revision"])
    confirmed = {c["finding_id"] for c in row["confirmed_findings"]}
    participants = frozenset({row["sender"], message["from_identity"], *row["recipients"]})
    for finding in outbound_findings(text, allow_links=(), participants=participants, prompts=OUR_TEXTS):
        if not finding.confirmable or row["automatic"] or finding.id not in confirmed:
            return f"finding:{finding.detector}"
    if scan([TextPart(place="reply", text=text)]).combined_score >= OUTBOUND_INJECTION_AT and not confirmed:
        return "outbound_injection"
    return None


async def _withdraw(tx: Transaction, request: DeliverRequest, objection: str, keyring: Keyring) -> DeliverResult:
    await tx.run("review_cancel_outbox", request.outbox_id, f"presend_check:{objection}")
    command = Command(
        message_id=request.message_id,
        cause_key=f"presend/{request.outbox_id}",
        actor="claim",
        act=Withdraw(outbox_id=request.outbox_id, reason="presend_check"),
    )
    if await tx.value("claim_slot", request.outbox_id) == "reply":
        await apply_in(tx, command, keyring)
    return DeliverResult(state=DeliverState.WITHDRAWN)


async def _proved(tx: Transaction, request: DeliverRequest, earlier: UUID, keyring: Keyring) -> DeliverResult:
    """An earlier generation of the slot is proved sent meanwhile: this one must not leave, and the message is
    answered."""
    await tx.run("review_cancel_outbox", request.outbox_id, "already_sent")
    command = Command(
        message_id=request.message_id,
        cause_key=f"proof/{earlier}/claim",
        actor="claim",
        act=SendResult(outbox_id=earlier),
    )
    if await tx.value("claim_slot", request.outbox_id) == "reply":
        await apply_in(tx, command, keyring)
    return DeliverResult(state=DeliverState.WITHDRAWN)


async def _take(tx: Transaction, row: Row, message: Row, keyring: Keyring, now: datetime) -> Claimed:
    text = await tx.value("claim_text", row["message_id"], row["revision"])
    mail = render(row, message, text, keyring, now)
    deadline = now + CLAIM_LASTS
    attempt = await tx.value("claim_take", row["id"], mail.raw, deadline)
    return Claimed(mail=mail, deadline=deadline, attempt=attempt)
