"""What an agent is shown for one answer: whole and fresh from the tables each time, so that a restart loses nothing.

No provider keeps a conversation for us; there is no binding that could be stale (M82-M85).
"""

from typing import Any

from activities.ports import Database, Row, Transaction
from contracts.errors import PermanentFault
from contracts.missions import TurnKind
from contracts.missions_agent import Entry, Input, Role, Seat
from contracts.missions_calls import TurnRequest
from domain.missions.prompts import NUDGE, RESUMED, trusted_words
from domain.missions.tools import offered

NOTES: dict[TurnKind, str] = {TurnKind.CONTINUATION: NUDGE, TurnKind.RESUME: RESUMED, TurnKind.RECOVERY: RESUMED}


class MailboxGone(PermanentFault):
    """The mission or its mailbox is no longer there; nobody can carry it on."""


class Seating:
    """Builds seats from tables."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def seat(self, request: TurnRequest, role: Role) -> Seat:
        """Everything for one answer. Raises MailboxGone."""
        async with self.database.transaction(request.mailbox_id) as tx:
            mission = await tx.one("turn_mission", request.mission_id)
            if mission is None:
                raise MailboxGone("the mission's mailbox is gone")
            attempt = await tx.one("turn_attempt", request.attempt_id) if request.attempt_id else None
            return _seat(request, role, mission, attempt, await _rest(tx, request))


async def _rest(tx: Transaction, request: TurnRequest) -> dict[str, Any]:
    items = await tx.rows("turn_items", list(request.item_ids))
    steps = await tx.rows("turn_steps", request.scope, request.turn_no)
    earlier = await tx.rows("turn_earlier_words", request.scope, request.turn_no)
    if request.continues_turn_no is not None and request.kind in (TurnKind.RESUME, TurnKind.RECOVERY):
        steps = [*await tx.rows("turn_steps", request.scope, request.continues_turn_no), *steps]
    return {
        "inputs": tuple(_input(item) for item in items),
        "entries": tuple(
            Entry(kind=row["kind"], call_id=row["call_id"], tool=row["tool"], body=row["body"]) for row in steps
        ),
        "earlier": tuple(f"turn {row['turn_no']} ({row['kind']}): {row['said']}" for row in reversed(earlier)),
    }


def _input(item: Row) -> Input:
    owner = item["kind"] in ("owner_input", "task")
    text = item["payload"] if owner else ""
    return Input(kind=item["input_kind"] or item["kind"], ref=item["payload_ref"], text=text, from_owner=owner)


def _seat(request: TurnRequest, role: Role, mission: Row, attempt: Row | None, rest: dict[str, Any]) -> Seat:
    held = frozenset((attempt or mission)["capabilities"])
    return Seat(
        role=role,
        mission_id=request.mission_id,
        mailbox_id=request.mailbox_id,
        scope=request.scope,
        turn_no=request.turn_no,
        turn_kind=request.kind,
        trusted="\n\n".join(filter(None, (trusted_words(role), NOTES.get(request.kind, "")))),
        goal=attempt["goal"] if attempt else mission["goal"],
        tools=offered(role, held),
        contact_id=attempt["contact_id"] if attempt else None,
        message_id=attempt["message_id"] if attempt else None,
        capabilities=tuple(sorted(held)),
        extra={"mission_kind": mission["kind"], "task_key": attempt["task_key"] if attempt else ""},
        **rest,
    )
