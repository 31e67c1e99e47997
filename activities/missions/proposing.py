"""A prepared reply goes before the reviewers of its message, with the text of a result bound to that contact (M14a).

It is written through the lifecycle's own `write_reply` in the transaction of the claim, so it happens with the ledger
row or not at all; it never sends, and a text that a person made current stays current.
"""

from typing import Any
from uuid import UUID

from activities.lifecycle.writer import apply_in, lock_message
from activities.missions.claims import Claim
from activities.ports import Row, Transaction
from contracts.lifecycle import Command, WriteReply
from contracts.missions import EffectState, ResultStatus
from contracts.missions_calls import EffectAnswer
from contracts.status import Status

S = EffectState


async def lock(tx: Transaction, body: dict[str, Any]) -> None:
    """Thread and message before the mission: the one order of locks (P15a)."""
    await lock_message(tx, UUID(body["message_id"]))


async def propose(claim: Claim) -> EffectAnswer:
    """One revision in review, or the reason why not."""
    message = await claim.tx.one("proposal_message", UUID(claim.body["message_id"]))
    result = await claim.tx.one("tool_result", UUID(claim.body["result_id"]), claim.order.mission_id)
    objection = _objection(claim, message, result)
    if objection or message is None or result is None:
        return claim.rejected(objection or "no_such_message")
    if await claim.tx.value("writer_take", f"draft/{message['id']}", message["mailbox_id"], _author(claim)) is None:
        return claim.rejected("another_mission_writes_this_draft")
    return await _write(claim, message, _text(result, message))


def _objection(claim: Claim, message: Row | None, result: Row | None) -> str | None:
    """What M14a and D14 demand of message, result and text."""
    if message is None or message["mailbox_id"] != claim.mission["mailbox_id"]:
        return "no_such_message"
    if result is None or result["parent_workflow_id"] != claim.order.scope:
        return "no_such_result"
    if result["status"] != ResultStatus.COMPLETE:
        return "result_not_complete"
    if result["contact_id"] is None or result["contact_id"] != message["contact_id"]:
        return "task_not_bound_to_this_contact"
    if not _text(result, message):
        return "result_has_no_text_for_it"
    return _status_objection(claim, message)


def _status_objection(claim: Claim, message: Row) -> str | None:
    held = message["processing_status"] == Status.RECEIVED and message["hold_reason"] is not None
    if message["processing_status"] != Status.DRAFT_READY and not held:
        return "message_not_in_review"
    if claim.body.get("base_revision") is not None and claim.body["base_revision"] != message["draft_revision"]:
        return "stale_revision"
    return "a_person_wrote_the_draft" if (message["author"] or "").startswith("user:") else None


def _text(result: Row, message: Row) -> str:
    """The fragment for this message, or the only one there is."""
    fragments = result["document"].get("fragments", [])
    own = [f for f in fragments if f.get("message_id") == str(message["id"])]
    chosen = own or ([f for f in fragments if not f.get("message_id")] if len(fragments) == 1 else [])
    return str(chosen[0]["text"]).strip() if len(chosen) == 1 else ""


async def _write(claim: Claim, message: Row, text: str) -> EffectAnswer:
    author = _author(claim)
    note: UUID = await claim.tx.value("proposal_note", message["mailbox_id"], message["id"], author, text)
    command = Command(
        message_id=message["id"],
        cause_key=f"mission/{claim.order.token}"[:200],
        actor=author,
        act=WriteReply(note_id=note),
    )
    outcome = await apply_in(claim.tx, command, claim.keyring)
    if not outcome.ok:
        return claim.rejected(str(outcome.result))
    await claim.tx.run("wake", f"message/{message['id']}", "wake", {"cause": command.cause_key}, command.cause_key)
    return claim.completed("proposed")


def _author(claim: Claim) -> str:
    return f"mission:{claim.order.mission_id}"
