"""The decision to send: one outbox row, fixed for good, in the transaction of the approval (OB2, E13, E15)."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from activities.breakers import charge_probes, probe_objection
from activities.lifecycle.work import Work
from contracts.outputs import RouteOutput
from contracts.status import Status, StepKind
from domain.budget.calendar_day import next_midnight
from domain.draft.subject import draft_subject
from domain.reply.recipients import recipients_hash

REPLY = "reply"


async def automatic_objection(work: Work) -> str | None:
    """What may have changed since the route step looked: a kill switch, a breaker, or the daily cap (P85, P92, P95)."""
    started = await work.tx.value("step_started_at", work.id, work.run_no, StepKind.ROUTE)
    if await work.tx.value("step_kill_switch_since", work.mailbox_id, started):
        return "kill_switch"
    if await work.tx.value("review_slot_used", work.id, REPLY) is not None:
        return "answered_before"
    if not await work.tx.value("claim_automation_on", await work.tx.value("step_decision_id", work.id)):
        return "switched_off"
    route = await _route_output(work)
    if work.thread["loop_suspected"]:
        return "loop_suspected"
    now = await work.tx.value("clock")
    midnight = next_midnight(now, ZoneInfo(work.config["timezone"]))
    if (blocked := await probe_objection(work.tx, work.mailbox_id)) is not None:
        return blocked
    if not await _charge(work, route, midnight):
        return "daily_cap"
    await charge_probes(work.tx, work.mailbox_id)
    return None


async def _charge(work: Work, route: RouteOutput, midnight: datetime) -> bool:
    """Check and increment in one statement, so ten routes at once cannot pass a cap of three (A77)."""
    if route.charge == "global":
        return bool(await work.tx.value("step_charge_global", work.mailbox_id, midnight))
    return bool(route.rule_id and await work.tx.value("step_charge_rule", route.rule_id, midnight))


async def _route_output(work: Work) -> RouteOutput:
    row = await work.tx.must("step_output", work.id, work.run_no, StepKind.ROUTE)
    return RouteOutput.model_validate(row["output"])


async def approve_automatically(work: Work) -> None:
    """E13: the agent's own draft, with the automatic delay."""
    decision_id = await work.tx.value("step_decision_id", work.id)
    await _approve(
        work,
        source="auto",
        by="agent",
        revision=work.message["draft_revision"],
        text=work.message["draft_response"],
        seen=work.message["context_seen_message_id"] or work.id,
        findings=(),
        resolve=False,
        delay=timedelta(milliseconds=work.config["auto_send_delay_ms"]),
        decision_id=decision_id,
    )


async def approve_by_person(
    work: Work,
    *,
    source: str,
    revision: int,
    text: str,
    seen: UUID,
    findings: tuple[str, ...],
    note: Any,
    resolve: bool,
) -> None:
    """E15: the revision a person saw, with the undo window of the mailbox."""
    confirmed = [{"finding_id": f, "reason_note_id": str(note) if note else None} for f in findings]
    await _approve(
        work,
        source=source,
        by=work.command.actor,
        revision=revision,
        text=text,
        seen=seen,
        findings=tuple(confirmed),
        resolve=resolve,
        delay=timedelta(milliseconds=work.config["human_undo_ms"]),
        decision_id=work.message["decision_id"],
    )


async def _approve(
    work: Work,
    *,
    source: str,
    by: str,
    revision: int,
    text: str,
    seen: UUID,
    findings: tuple[Any, ...],
    resolve: bool,
    delay: timedelta,
    decision_id: UUID | None,
) -> None:
    send_at = await work.tx.value("clock") + delay
    await work.tx.run(
        "review_set_approval", work.id, source, by, revision, seen, list(findings), resolve, send_at, text
    )
    await work.move(Status.APPROVED)
    await new_outbox_row(
        work,
        automatic=source == "auto",
        by=by,
        revision=revision,
        text=text,
        seen=seen,
        findings=findings,
        send_at=send_at,
        decision_id=decision_id,
    )


async def new_outbox_row(
    work: Work,
    *,
    automatic: bool,
    by: str,
    revision: int,
    text: str,
    seen: UUID | None,
    findings: tuple[Any, ...],
    send_at: datetime,
    decision_id: UUID | None,
    slot: str = REPLY,
    previous: UUID | None = None,
    outbox_id: UUID | None = None,
) -> UUID:
    """The one insert into the outbox; the Message-ID is registered with it, so an answer finds the thread (TH2)."""
    outbox_id, m, c = outbox_id or uuid4(), work.message, work.config
    generation = (await work.tx.value("review_last_generation", work.id, slot)) + 1
    domain = c["mailbox_address"].rpartition("@")[2]
    rfc_id = f"{outbox_id}.{secrets.token_hex(8)}@{domain}"
    await work.tx.run(
        "review_new_outbox",
        outbox_id,
        work.mailbox_id,
        work.id,
        work.thread_id,
        slot,
        generation,
        previous,
        automatic,
        by,
        decision_id,
        revision,
        list(findings),
        seen,
        c["mailbox_address"],
        c["mailbox_name"],
        list(m["reply_recipients"]),
        list(m["reply_cc"]),
        hash_of(m),
        subject_of(m),
        hashlib.sha256(text.encode()).hexdigest(),
        rfc_id,
        send_at,
    )
    await work.tx.run("review_sent_id", work.mailbox_id, rfc_id, outbox_id, work.thread_id)
    return outbox_id


def hash_of(message: Any) -> str:
    """Recipients as shown to the approver (OB1)."""
    return recipients_hash(tuple(message["reply_recipients"]), tuple(message["reply_cc"]), ())


def subject_of(message: Any) -> str:
    """The reply's subject: the draft's, else made from the inbound one (P74)."""
    return message["draft_subject"] or draft_subject(message["subject"])
