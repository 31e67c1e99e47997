"""Two machines that answer each other are noticed where the store knows both sides: on arrival and when a draft ends.

The thread is marked in the same transaction, so that gate 9 and the claim see it; only a person lifts the mark (LO2).
"""

from dataclasses import replace
from typing import Any
from uuid import UUID

from activities.lifecycle.arrival_facts import Arrival
from activities.lifecycle.work import Work
from activities.ports import Transaction
from contracts.mail import AutomaticClass, AutomaticHit
from domain.automatic_mail import LoopFacts, automatic_class, loop_hits

WORKFLOW = "workflow"


async def with_loop_signs(tx: Transaction, a: Arrival, thread_id: UUID) -> Arrival:
    """The arrival with what AU11-AU13 say about it; the thread's row is locked by the caller."""
    if a.mail.from_ is None:
        return a
    sender = a.mail.from_.identity
    seen = await tx.must("receive_loop_signs", a.mailbox_id, sender, thread_id, a.message_id, a.received_at)
    found = loop_hits(
        LoopFacts(
            thread_automatic_replies=seen["in_thread"],
            sender_automatic_replies_24h=seen["to_sender"],
            new_text=a.mail.new_text,
            sender_previous_text=seen["previous_text"] or "",
            answer_delays=tuple(seen["answer_delays"]),
        )
    )
    if not found:
        return a
    await _suspect(tx, a.mailbox_id, thread_id, a.message_id, found)
    hits = (*a.hits, *found)
    return replace(a, hits=hits, automatic=automatic_class(hits))


async def look_at_draft(work: Work, text: str) -> None:
    """AU12 from our side: the agent is about to say again what it said last on this thread."""
    last = await work.tx.value("loop_last_automatic_text", work.thread_id, work.id)
    found = loop_hits(LoopFacts(draft_text=text, last_automatic_reply_text=last)) if last else ()
    if not found:
        return
    hits = [*_without(work.message["automatic_hits"], found), *(h.model_dump(mode="json") for h in found)]
    mail_class = AutomaticClass(work.message["automatic_class"])
    now = AutomaticClass.B if mail_class is AutomaticClass.NONE else mail_class
    await work.tx.run("loop_set_hits", work.id, hits, now)
    await _suspect(work.tx, work.mailbox_id, work.thread_id, work.id, found)


def _without(hits: list[dict[str, Any]], found: tuple[AutomaticHit, ...]) -> list[dict[str, Any]]:
    """A second run says the same again; each code stands once."""
    return [hit for hit in hits if hit["code"] not in {one.code for one in found}]


async def _suspect(
    tx: Transaction, mailbox_id: UUID, thread_id: UUID, message_id: UUID, found: tuple[AutomaticHit, ...]
) -> None:
    """Marks the thread; the first mark is on record with its cause."""
    if await tx.value("loop_suspect", thread_id) is not None:
        why = {"message_id": str(message_id), "codes": sorted({hit.code for hit in found})}
        await tx.run("audit", mailbox_id, WORKFLOW, "loop_suspected", f"thread/{thread_id}", None, why)
