"""What the owner is told at a gate the system set itself, and ids that every crash gives the same again."""

from typing import Final
from uuid import UUID, uuid5

from contracts.missions import GateReason

NOTICES: Final = UUID("6b1f2f6e-4a8e-5c5e-9d0a-6f3f8a3f4f10")

SYSTEM_GATES: Final[dict[GateReason, tuple[str, str, str]]] = {
    GateReason.IDLE_GUARD: (
        "Should the mission go on?",
        "It ended 65 turns in a row without any progress.",
        "Say what to do next, or cancel the mission.",
    ),
    GateReason.LIMIT_REACHED: (
        "Should the mission get a higher limit?",
        "It used up the turns or the money it was given.",
        "Answer with a higher limit, or cancel the mission.",
    ),
    GateReason.DELIVERY_FAILED: (
        "Should the turn be tried again?",
        "Its input could not be handed to a worker three times.",
        "Answer to try again once the workers are well.",
    ),
    GateReason.FAULT: (
        "Should the mission go on after a fault?",
        "A turn failed in a way the system does not know how to repair.",
        "Answer to try again, or cancel the mission.",
    ),
    GateReason.INDETERMINATE_EFFECT: (
        "Did the change take place?",
        "A worker was lost while a change was under way, and nobody can prove its outcome.",
        "Look at the change, then answer.",
    ),
}


def system_gate_words(reason: GateReason, detail: str) -> dict[str, str]:
    """The five things of M132 for a gate of the system's own; empty words for one that a supervisor explained."""
    wanted, why, safe = SYSTEM_GATES.get(reason, ("", "", ""))
    return {
        "decision_wanted": wanted,
        "why_not_derived": f"{why} ({detail})" if detail and why else why,
        "finished_meanwhile": "Everything acknowledged so far stands.",
        "cost_of_waiting": "Nothing is done while the mission waits.",
        "safe_next_step": safe,
    }


def notice_id(result_id: UUID, delivery: int = 0) -> UUID:
    """The inbox item that offers a result; a later offer of the same result is a new item."""
    return uuid5(NOTICES, f"notice/{result_id}/{delivery}")


def task_item_id(attempt_id: UUID) -> UUID:
    """The first input of a task."""
    return uuid5(NOTICES, f"task/{attempt_id}")


def goal_item_id(mission_id: UUID) -> UUID:
    """The first input of a mission: its goal."""
    return uuid5(NOTICES, f"goal/{mission_id}")


def proposal_id(scope: str, turn_no: int, call_id: str, n: int) -> UUID:
    """A proposal of a turn."""
    return uuid5(NOTICES, f"proposal/{scope}/{turn_no}/{n}/{call_id}")
