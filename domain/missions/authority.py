"""Who may do what: capabilities, the effects that need them, and the reasons that may stop a mission (M14, M49-M51)."""

from collections.abc import Iterable
from typing import Final

from contracts.missions import Capability, EffectKind, GateReason, MissionKind

C = Capability
REVIEWER_MAY_GRANT: Final = frozenset({C.READ, C.RETRIEVE, C.DRAFT, C.SAVE_DRAFT})
DEFAULT_GRANT: Final = (C.READ, C.RETRIEVE, C.DRAFT, C.SAVE_DRAFT)
CHILD_MAY_HOLD: Final = frozenset({C.READ, C.RETRIEVE, C.DRAFT, C.DELEGATE})
NEEDS: Final[dict[EffectKind, frozenset[Capability]]] = {
    EffectKind.PROPOSE_DRAFT: frozenset({C.SAVE_DRAFT}),
}
ONLY_A_SUPERVISOR: Final = frozenset({EffectKind.COMPLETE, EffectKind.GATE, EffectKind.PROPOSE_DRAFT})
ASKED_BY_SUPERVISOR: Final = frozenset(
    {
        GateReason.SEND,
        GateReason.PAYMENT,
        GateReason.COMMITMENT,
        GateReason.NEW_RECIPIENT_DOMAIN,
        GateReason.AMBIGUOUS_MEANING,
    }
)
CANNOT_WAIT: Final = frozenset(GateReason) - ASKED_BY_SUPERVISOR


def grantable(asked: Iterable[Capability], role: str) -> bool:
    """May a person of this role give these to a mission? Only admins let tasks delegate."""
    allowed = REVIEWER_MAY_GRANT | ({C.DELEGATE} if role == "admin" else frozenset())
    return role in ("reviewer", "admin") and frozenset(asked) <= allowed


def for_child(asked: Iterable[Capability], parent: Iterable[Capability]) -> tuple[Capability, ...] | None:
    """What a child gets of what was asked; None if the parent does not hold all of it (M14)."""
    wanted = frozenset(asked)
    return tuple(sorted(wanted & CHILD_MAY_HOLD)) if wanted <= frozenset(parent) else None


def effect_objection(kind: EffectKind, held: Iterable[Capability], *, is_task: bool) -> str | None:
    """Why this workflow may not have this effect, whatever the text it read says (M14, M120)."""
    if is_task and kind in ONLY_A_SUPERVISOR:
        return "not_for_tasks"
    if is_task and kind in (EffectKind.LAUNCH, EffectKind.ACKNOWLEDGE) and C.DELEGATE not in frozenset(held):
        return "no_capability"
    return None if NEEDS.get(kind, frozenset()) <= frozenset(held) else "no_capability"


def gate_objection(reason: str, kind: MissionKind, fields: Iterable[str]) -> str | None:
    """Why a requested gate is none: not a decision of the owner, not of this kind, or not explained (M51, M132)."""
    if reason not in set(ASKED_BY_SUPERVISOR):
        return "not_an_owner_decision"
    if reason == GateReason.SEND and kind is not MissionKind.CASE:
        return "owner_missions_never_send"
    return None if all(field.strip() for field in fields) else "gate_not_explained"
