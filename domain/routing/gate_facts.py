"""What the gates look at, gathered before any of them is asked. None always means *could not be read*, never *nothing
there*: the gate that needed it objects (P86)."""

from enum import StrEnum

from pydantic import AwareDatetime, Field

from contracts.base import Contract
from contracts.classification import Category, Priority
from contracts.status import Status
from domain.briefing.compaction import Briefing, ContextTier
from domain.budget.spend import SpendVerdict
from domain.draft.grounding import Grounding
from domain.routing.handling import HandledMessage, HandlingRule
from domain.routing.working_hours import HoursOverride, WorkingHours


class AuthVerdict(StrEnum):
    """DMARC for the From address; `none` and `temperror` are missing, never a pass (HS1)."""

    PASS = "pass"
    FAIL = "fail"
    MISSING = "missing"


class SwitchThrow(Contract):
    """One use of the kill switch; `lifted_at` None while it still holds."""

    thrown_at: AwareDatetime
    lifted_at: AwareDatetime | None = None


class MessageFacts(Contract):
    """The message as it stands under the lock. `exists` False: it is gone."""

    exists: bool
    status: Status | None = None
    draft_text: str = ""


class InboundFacts(Contract):
    """The verdict of the scan. `flags` names what else turns autonomy off, such as `maybe_hidden` or `html_too_big`."""

    guard_unavailable: bool
    combined_score: float
    bypass_used: bool
    flags: tuple[str, ...] = ()


class SenderFacts(Contract):
    """Who writes and who would be answered. `from_addresses` holds every parsable address of From, `from_count`
    how many the header had; `doubts` names look-alikes and borrowed display names (HS4)."""

    dmarc: AuthVerdict
    from_addresses: tuple[str, ...]
    from_count: int
    recipients: tuple[str, ...]
    reply_to: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class LoopFacts(Contract):
    """Signs of a machine on the other side."""

    class_b: bool
    loop_suspected: bool
    thread_cap_reached: bool
    sender_cap_reached: bool


class FreshnessFacts(Contract):
    """`newer_by_person` lists inbound mails by people newer than the seen one; `colleagues` who types, claims,
    answers."""

    newer_by_person: tuple[str, ...] = ()
    colleagues: tuple[str, ...] = ()


class ContextFacts(Contract):
    """How complete the context was, and what the draft states without a source."""

    tier: ContextTier
    truncated: bool
    gaps: tuple[str, ...]
    anything_found: bool
    ungrounded: tuple[str, ...]


def context_facts(briefing: Briefing, grounding: Grounding) -> ContextFacts:
    """What gate 11 needs of a briefing and of the grounding of the draft written from it."""
    return ContextFacts(
        tier=briefing.tier,
        truncated=briefing.context_truncated,
        gaps=briefing.context_gaps,
        anything_found=briefing.knowledge_found or briefing.files_found or briefing.history_found,
        ungrounded=tuple(item.text for item in grounding.ungrounded),
    )


class HoursFacts(Contract):
    """The mailbox's hours and what the governing rule sets instead."""

    mailbox: WorkingHours
    rule: HoursOverride | None = None


class ClassFacts(Contract):
    """What the model said, and what a reviewer corrected, if anyone did."""

    model_category: Category
    model_priority: Priority
    reviewer_category: Category | None = None
    reviewer_priority: Priority | None = None


class HandlingFacts(Contract):
    """The mailbox's handling rules and the message they are read against."""

    rules: tuple[HandlingRule, ...]
    message: HandledMessage


class AuditFacts(Contract):
    """`draw` is a fresh random number in [0, 1), drawn outside; below `rate` a person looks (0.05 to 0.10)."""

    draw: float
    rate: float = Field(default=0.05, ge=0.05, le=0.10)


class GateFacts(Contract):
    """Everything all fifteen gates need. `unreadable` holds (gate name, reason) of inputs that failed or timed out."""

    now: AwareDatetime
    run_began_at: AwareDatetime
    message: MessageFacts | None = None
    kill_switches: tuple[SwitchThrow, ...] | None = None
    spend: SpendVerdict | None = None
    hours: HoursFacts | None = None
    classes: ClassFacts | None = None
    inbound: InboundFacts | None = None
    require_sender_auth: bool = True
    sender: SenderFacts | None = None
    loop: LoopFacts | None = None
    freshness: FreshnessFacts | None = None
    context: ContextFacts | None = None
    outbound_score: float | None = None
    leaks: tuple[str, ...] | None = None
    handling: HandlingFacts | None = None
    audit: AuditFacts | None = None
    unreadable: tuple[tuple[str, str], ...] = ()
