"""E1: a parsed mail becomes a message. One transaction, contact lock first, then the thread's row lock (P11, P15a)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from activities.lifecycle import arrival_facts
from activities.lifecycle.arrival_facts import Arrival
from activities.lifecycle.loop_signs import with_loop_signs
from activities.lifecycle.others import archive_other, withdraw_other
from activities.lifecycle.work import Work
from activities.ports import Transaction
from contracts.lifecycle import Command
from contracts.mail import AutomaticClass, ParsedMail
from contracts.status import ArchiveReason, HoldReason, Status
from domain.keys import Keyring
from domain.threads import MessageParties, ThreadDecision, decide_thread, normalized_subject, participants

AUTOMATIC_KEPT = timedelta(days=7)
SUBJECT_WINDOW = timedelta(days=30)


@dataclass(frozen=True)
class Received:
    """The new message, locked, with what was learned about it on arrival."""

    work: Work
    arrival: Arrival


async def enter_message(tx: Transaction, command: Command, keyring: Keyring) -> Received | None:
    """Contact, thread and message row; None if the mail was never parsed."""
    arrival = await arrival_facts.read(tx, command.message_id, keyring)
    if arrival is None:
        return None
    await tx.run("receive_lock_contact", f"{arrival.mailbox_id}|{arrival.contact_identifier}")
    contact_id = await _contact(tx, arrival)
    decision = await _decide(tx, arrival, keyring)
    thread_id = decision.thread_id or await _new_thread(tx, arrival, contact_id)
    thread = await tx.one("lifecycle_lock_thread", thread_id)
    arrival = await with_loop_signs(tx, arrival, thread_id)
    if contact_id is not None:
        await tx.run("receive_contact_facts", contact_id, arrival.contact_name, arrival.mail.language)
    await _insert(tx, arrival, decision, thread_id, contact_id)
    await _bump(tx, arrival, decision, thread_id)
    work = Work(
        tx=tx,
        command=command,
        message=await tx.one("lifecycle_lock_message", command.message_id),
        thread=thread,
    )
    return Received(work=work, arrival=arrival)


async def _contact(tx: Transaction, a: Arrival) -> UUID | None:
    if not a.contact_identifier:
        return None
    await tx.run("receive_contact", a.organisation_id, a.contact_identifier)
    found: UUID | None = await tx.value("receive_contact_id", a.organisation_id, a.contact_identifier)
    return found


async def _decide(tx: Transaction, a: Arrival, keyring: Keyring) -> ThreadDecision:
    facts = arrival_facts.threading(a, keyring)
    candidates = await arrival_facts.candidates(tx, facts)
    return decide_thread(facts, candidates, a.received_at, SUBJECT_WINDOW)


async def _new_thread(tx: Transaction, a: Arrival, contact_id: UUID | None) -> UUID:
    return await tx.value(
        "receive_new_thread",
        a.mailbox_id,
        a.mail.subject[:500],
        normalized_subject(a.mail.subject)[:500],
        contact_id,
        a.contact_identifier,
        a.received_at,
    )


async def _insert(
    tx: Transaction, a: Arrival, decision: ThreadDecision, thread_id: UUID, contact_id: UUID | None
) -> None:
    m, sender = a.mail, a.mail.from_
    await tx.run(
        "receive_message",
        a.message_id,
        a.mailbox_id,
        thread_id,
        contact_id,
        m.message_id,
        sender.address if sender else "",
        sender.identity if sender else "",
        sender.name if sender else "",
        [r.address for r in m.reply_to],
        [r.address for r in m.to],
        [r.address for r in m.cc],
        m.subject,
        m.text,
        m.new_text,
        m.html,
        m.language,
        m.in_reply_to[0] if m.in_reply_to else "",
        list(m.references),
        [list(h) for h in m.headers],
        [x.model_dump(mode="json") for x in m.attachments],
        [x.model_dump(mode="json") for x in m.hidden],
        sorted({*a.flags, *decision.flags}),
        a.verdicts,
        a.automatic,
        [h.model_dump(mode="json") for h in a.hits],
        decision.rule,
        decision.evidence[:500],
        decision.maybe_related_thread_id,
        a.received_at,
        a.received_at,
    )
    await tx.run(
        "receive_recipients", a.message_id, list(a.recipients.to), list(a.recipients.cc), list(a.recipients.confirm)
    )
    await tx.run_many("receive_attachment", _attachments(a.message_id, a.mailbox_id, m))


def _attachments(message_id: UUID, mailbox_id: UUID, m: ParsedMail) -> list[tuple[Any, ...]]:
    return [
        (message_id, mailbox_id, n, x.name, x.declared_type, x.sniffed_type, x.size_bytes, x.sha256, list(x.flags))
        for n, x in enumerate(m.attachments)
    ]


async def _bump(tx: Transaction, a: Arrival, decision: ThreadDecision, thread_id: UUID) -> None:
    await tx.run("receive_bump_thread", thread_id, a.received_at)
    parties = MessageParties(
        sender=a.contact_identifier,
        recipients=tuple(x.identity for x in (*a.mail.to, *a.mail.cc)),
        authenticated=not a.dmarc_failed and not a.mail.ambiguous_sender,
    )
    await tx.run("receive_participants", thread_id, a.mailbox_id, sorted(participants([parties])))
    if a.mail.message_id:
        await tx.run("receive_mail_id", a.mailbox_id, a.mail.message_id, a.message_id, thread_id)
    await tx.value("receive_account", a.message_id)
    await tx.run("ledger_entry", a.mailbox_id, a.message_id, a.account, "pipeline", "receive")


async def settle(received: Received, *, by_hand: bool = False) -> None:
    """What the arrival causes: hold, archive, coalescing, withdrawn sends (P45, P48, TH9).

    Mail a person answers `by_hand` is neither archived for its sender nor leads a burst: it will never run.
    """
    work, a = received.work, received.arrival
    if a.automatic is AutomaticClass.A:
        await work.hold(HoldReason.AUTOMATIC, await work.tx.value("clock") + AUTOMATIC_KEPT)
        return
    for row in await work.tx.rows("receive_pending_sends", work.thread_id):
        await withdraw_other(work, row["message_id"], row["outbox_id"], "thread_reply")
    if by_hand:
        return
    if await work.tx.value("receive_blocked", work.mailbox_id, work.message["from_identity"]):
        await _archive_blocked(work)
        return
    await _coalesce(work)


async def _archive_blocked(work: Work) -> None:
    await work.move(Status.ARCHIVED, archived=ArchiveReason.SENDER_BLOCKED)
    await work.tx.run(
        "lifecycle_event", work.id, "receive", "workflow", "received", "archived", "sender_blocked", True, ""
    )


async def _coalesce(work: Work) -> None:
    """The newest leads; it waits min(window, 5 × window − time since the burst began) (P47-P49)."""
    window = timedelta(milliseconds=work.config["coalesce_window_ms"] or 0)
    if not window:
        return
    siblings = await work.tx.rows("receive_siblings", work.thread_id, work.id)
    burst = min([work.message["burst_started_at"], *(s["burst_started_at"] for s in siblings)])
    for sibling in siblings:
        await archive_other(work, sibling["id"], ArchiveReason.COALESCED)
        await work.tx.run("receive_inherit", sibling["id"], work.id, work.thread_id)
    await work.tx.run("receive_set_burst", work.id, burst)
    now = await work.tx.value("clock")
    wait = max(min(window, 5 * window - (now - burst)), timedelta())
    await work.hold(HoldReason.COALESCING, now + wait)
