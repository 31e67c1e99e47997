"""The status graph as one table; the database holds the same pairs and a test compares them with each other (P32)."""

from contracts.status import TERMINAL, ArchiveReason, Status

S = Status
_WORKING = (S.RECEIVED, S.SECURITY_CHECK, S.CLASSIFYING, S.DRAFTING)
_OPEN = tuple(s for s in S if s not in TERMINAL)

EDGES: dict[str, tuple[tuple[Status | None, Status], ...]] = {
    "E1": ((None, S.RECEIVED),),
    "E2": ((S.RECEIVED, S.SECURITY_CHECK),),
    "E3": ((S.RECEIVED, S.CLASSIFYING),),
    "E4": ((S.RECEIVED, S.DRAFTING),),
    "E5": ((S.RECEIVED, S.ARCHIVED),),
    "E6": ((S.SECURITY_CHECK, S.QUARANTINED),),
    "E7": ((S.SECURITY_CHECK, S.ARCHIVED),),
    "E8": ((S.SECURITY_CHECK, S.CLASSIFYING),),
    "E9": ((S.CLASSIFYING, S.ARCHIVED),),
    "E10": ((S.CLASSIFYING, S.DRAFT_READY),),
    "E11": ((S.CLASSIFYING, S.DRAFTING),),
    "E12": ((S.DRAFTING, S.DRAFT_READY),),
    "E13": ((S.DRAFTING, S.APPROVED),),
    "E14": ((S.DRAFTING, S.QUARANTINED),),
    "E15": ((S.DRAFT_READY, S.APPROVED),),
    "E16": ((S.DRAFT_READY, S.REJECTED),),
    "E17": ((S.DRAFT_READY, S.DRAFTING),),
    "E18": ((S.DRAFT_READY, S.ARCHIVED),),
    "E19": ((S.APPROVED, S.SENT),),
    "E20": ((S.APPROVED, S.DRAFT_READY),),
    "E21": ((S.APPROVED, S.FAILED),),
    "E22": ((S.QUARANTINED, S.RECEIVED),),
    "E23": ((S.FAILED, S.RECEIVED),),
    "E24": ((S.FAILED, S.DRAFT_READY),),
    "E25": ((S.ARCHIVED, S.RECEIVED),),
    "E26": tuple((s, S.FAILED) for s in _WORKING),
    "E27": tuple((s, S.ARCHIVED) for s in _OPEN),
    "E28": tuple((s, S.DRAFT_READY) for s in _OPEN if s is not S.DRAFT_READY),
}

PAIRS: frozenset[tuple[Status | None, Status]] = frozenset(pair for pairs in EDGES.values() for pair in pairs)


def allowed(from_: Status | None, to: Status) -> bool:
    """Is the pair in the graph? Nothing leads to itself."""
    return (from_, to) in PAIRS


def account(
    status: Status, hold: str | None, archive_reason: ArchiveReason | str | None, outbox_state: str | None
) -> str:
    """The one account a pipeline message is counted in (GL1)."""
    if status is S.RECEIVED and hold:
        return f"received:{hold}"
    if status is S.DRAFTING and hold == "mission":
        return "drafting:mission"
    if status is S.APPROVED:
        return f"approved:{_sending_part(outbox_state)}"
    if status is S.ARCHIVED:
        return f"archived:{archive_reason}"
    return str(status)


def _sending_part(outbox_state: str | None) -> str:
    return {"ready": "undo", "sending": "sending", "ambiguous": "ambiguous"}.get(outbox_state or "", "sending")
