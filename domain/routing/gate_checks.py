"""Fifteen reasons not to send, each a function that knows one of them: it returns the evidence of its objection, or
None where it has nothing to say (P86)."""

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

from publicsuffixlist import PublicSuffixList

from contracts.classification import Category, Priority
from contracts.status import Status
from domain.briefing.compaction import ContextTier
from domain.budget.spend import SpendLevel
from domain.routing.gate_facts import AuthVerdict, GateFacts
from domain.routing.handling import handling_objection
from domain.routing.working_hours import hours_in_force, hours_objection

GUARD_SCORE = 0.30
OUTBOUND_SCORE = 0.70
_LISTED = 5


class Unreadable(Exception):
    """The input of a gate is missing, so the gate objects."""


T = TypeVar("T")


def _known(value: T | None, what: str) -> T:
    if value is None:
        raise Unreadable(f"{what} could not be read")
    return value


def _reasons(*asked: tuple[bool, str]) -> str | None:
    """The texts of all conditions that hold, or None."""
    return "; ".join(text for holds, text in asked if holds) or None


def _listed(items: Sequence[str]) -> str:
    more = f" and {len(items) - _LISTED} more" if len(items) > _LISTED else ""
    return ", ".join(items[:_LISTED]) + more


def message_state(facts: GateFacts) -> str | None:
    """Gate 1: the message is gone, not in drafting, or has an empty draft."""
    message = _known(facts.message, "the message")
    if not message.exists:
        return "the message is gone"
    return _reasons(
        (message.status is not Status.DRAFTING, f"status is {message.status or 'unknown'}"),
        (not message.draft_text.strip(), "the draft is empty"),
    )


def kill_switch(facts: GateFacts) -> str | None:
    """Gate 2: a switch was thrown since the run began, or an older one still holds."""
    for switch in _known(facts.kill_switches, "the kill switches"):
        if switch.thrown_at >= facts.run_began_at or switch.lifted_at is None:
            return f"kill switch thrown at {switch.thrown_at:%Y-%m-%d %H:%M:%S %Z}"
    return None


def spend_budget(facts: GateFacts) -> str | None:
    """Gate 3: a ceiling is reached, or the ledger cannot be read."""
    spend = _known(facts.spend, "the ledger")
    return f"{spend.ceiling} ceiling reached" if spend.level is SpendLevel.HOLD else None


def working_hours(facts: GateFacts) -> str | None:
    """Gate 4: outside the hours in force, on a public holiday, or with a zone or region nobody knows."""
    hours = _known(facts.hours, "the working hours")
    return hours_objection(hours_in_force(hours.mailbox, hours.rule), facts.now)


def complaint_or_urgent(facts: GateFacts) -> str | None:
    """Gate 5: the model's class or the reviewer's correction says so; a correction does not lift the model's word."""
    classes = _known(facts.classes, "the classification")
    return _reasons(
        (Category.COMPLAINT in (classes.model_category, classes.reviewer_category), "a complaint"),
        (Priority.URGENT in (classes.model_priority, classes.reviewer_priority), "urgent"),
    )


def inbound_guard(facts: GateFacts) -> str | None:
    """Gate 6: the guard was unavailable, the combined score is 0.30 or more, or a person overruled a hit."""
    inbound = _known(facts.inbound, "the security verdict")
    return _reasons(
        (inbound.guard_unavailable, "guard_unavailable"),
        (not inbound.combined_score < GUARD_SCORE, f"combined score {inbound.combined_score:.2f}"),
        (inbound.bypass_used, "a detector was bypassed"),
        (bool(inbound.flags), _listed(inbound.flags)),
    )


def sender_auth(facts: GateFacts) -> str | None:
    """Gate 7: DMARC failed, or no verdict while one is required, or the sender resembles somebody else."""
    sender = _known(facts.sender, "the sender")
    missing = sender.dmarc is AuthVerdict.MISSING and facts.require_sender_auth
    return _reasons(
        (sender.dmarc is AuthVerdict.FAIL, "DMARC failed"),
        (missing, "no DMARC verdict"),
        (bool(sender.doubts), _listed(sender.doubts)),
    )


def recipient_lock(facts: GateFacts) -> str | None:
    """Gate 8: From is not one parsable address, Reply-To leads to another domain, or the reply goes elsewhere too."""
    sender = _known(facts.sender, "the sender")
    if sender.from_count != 1 or len(sender.from_addresses) != 1:
        return f"From holds {sender.from_count} addresses, {len(sender.from_addresses)} parsable"
    author = sender.from_addresses[0]
    foreign = [address for address in sender.reply_to if not _same_organisation(address, author)]
    elsewhere = [address for address in sender.recipients if address.casefold() != author.casefold()]
    return _reasons(
        (bool(foreign), f"Reply-To of another domain: {_listed(foreign)}"),
        (len(sender.recipients) != 1, f"{len(sender.recipients)} recipients"),
        (bool(elsewhere), f"recipient is not the sender: {_listed(elsewhere)}"),
    )


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _same_organisation(left: str, right: str) -> bool:
    """Equal organisational domains by the public-suffix list; a host without one is compared as it is."""
    return _organisation(left) == _organisation(right) != ""


def _organisation(address: str) -> str:
    host = address.rpartition("@")[2].casefold().rstrip(".")
    return str(_suffixes().privatesuffix(host) or host)


def loop_guard(facts: GateFacts) -> str | None:
    """Gate 9: class B automatic mail, a suspected loop, or too many mails of this thread or sender."""
    loop = _known(facts.loop, "the loop signs")
    return _reasons(
        (loop.class_b, "automatic mail of class B"),
        (loop.loop_suspected, "loop_suspected"),
        (loop.thread_cap_reached, "thread cap reached"),
        (loop.sender_cap_reached, "sender cap reached"),
    )


def thread_freshness(facts: GateFacts) -> str | None:
    """Gate 10: a person wrote after what the draft has seen, or a colleague is on the thread."""
    freshness = _known(facts.freshness, "the thread")
    return _reasons(
        (bool(freshness.newer_by_person), f"newer mail: {_listed(freshness.newer_by_person)}"),
        (bool(freshness.colleagues), f"on the thread: {_listed(freshness.colleagues)}"),
    )


def context_complete(facts: GateFacts) -> str | None:
    """Gate 11: the context was cut, has gaps or held nothing to lean on, or the draft states something without a
    source."""
    context = _known(facts.context, "the context")
    return _reasons(
        (context.tier is ContextTier.EMERGENCY, "context tier emergency"),
        (context.truncated, "context_truncated"),
        (bool(context.gaps), f"gaps: {_listed(context.gaps)}"),
        (not context.anything_found, "neither knowledge, file nor history"),
        (bool(context.ungrounded), f"ungrounded: {_listed(context.ungrounded)}"),
    )


def outbound_injection(facts: GateFacts) -> str | None:
    """Gate 12: the draft itself looks like orders to a machine."""
    score = _known(facts.outbound_score, "the scan of the draft")
    return None if score < OUTBOUND_SCORE else f"draft scored {score:.2f}"


def outbound_leak(facts: GateFacts) -> str | None:
    """Gate 13: a secret, another contact's address or a link off the allow-list stands in the draft."""
    leaks = _known(facts.leaks, "the leak scan of the draft")
    return _listed(leaks) or None


def handling_rules(facts: GateFacts) -> str | None:
    """Gate 14: a rule of the team holds this reply back."""
    handling = _known(facts.handling, "the handling rules")
    draft = _known(facts.message, "the message").draft_text
    return handling_objection(handling.rules, handling.message, draft)


def audit_sample(facts: GateFacts) -> str | None:
    """Gate 15: drawn for a person's look, whatever the reply says."""
    audit = _known(facts.audit, "the audit draw")
    if not 0 <= audit.draw < 1:
        raise ValueError(f"an audit draw lies in [0, 1), not at {audit.draw}")
    return f"drawn for audit at rate {audit.rate:.2f}" if audit.draw < audit.rate else None
