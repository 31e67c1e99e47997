"""What a reviewer sees in the terminal, and the approval of exactly that."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from rich.console import Console

from cli.api_client import Api
from cli.follow import reason_of
from cli.message_ids import short_id
from cli.tables import age_words, moment_words, safe_line, safe_text, say, show_table
from cli.trust import current_findings, flags_of, word_of
from contracts.errors import DeskhandError
from contracts.status import Status

OFFLINE: Final = "offline"
OVERDUE: Final = "overdue"
CLASS: Final = ("category", "priority", "sentiment", "intent")


class NotToApprove(DeskhandError):
    """There is nothing to approve as things stand; the message says what to do instead."""


async def waiting(api: Api, statuses: Sequence[Status], limit: int) -> list[dict[str, Any]]:
    """Messages in these statuses with everything about them, newest first."""
    page = await api.get("/api/messages", status=[status.value for status in statuses], limit=limit)
    calls = (api.get(f"/api/messages/{row['id']}") for row in page["messages"])
    return list(await asyncio.gather(*calls))


def show_waiting(console: Console, details: Sequence[Mapping[str, Any]]) -> None:
    """One line per message: what a person needs to choose the next one."""
    rows = [_waiting_row(detail, datetime.now(UTC)) for detail in details]
    if console.is_terminal and not rows:
        say(console, "Nothing waits for you.")
        return
    show_table(console, ("id", "from", "subject", "age", "look", "category", "note"), rows)


def _waiting_row(detail: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    mail = detail["message"] or {}
    age = age_words(datetime.fromisoformat(mail["received_at"]), now)
    category = (detail["classification"] or {}).get("category")
    sender = mail["from_name"] or mail["from_address"]
    return short_id(detail["id"]), sender, mail["subject"], age, _look(detail), category, ", ".join(_notes(detail))


def _look(detail: Mapping[str, Any]) -> str:
    """The trust word of a draft; elsewhere the status with its reason."""
    if detail["status"] == Status.DRAFT_READY:
        return word_of(detail)
    reason = reason_of(detail, detail["status"])
    return f"{detail['status']}: {reason}" if reason else str(detail["status"])


def _notes(detail: Mapping[str, Any]) -> list[str]:
    offline = (detail["draft"] or {}).get("offline_model")
    overdue = (detail["work"] or {}).get("review_overdue_at")
    return [note for note, holds in ((OFFLINE, offline), (OVERDUE, overdue)) if holds]


def show_message(console: Console, detail: Mapping[str, Any]) -> None:
    """The whole message: facts, its text, the draft, and what was found in it."""
    for name, value in _facts(detail):
        if value:
            say(console, f"{name + ':':<12}{safe_line(value, 500)}")
    _show_text(console, "Message", (detail["message"] or {}).get("text_body"))
    _show_text(console, _draft_title(detail), (detail["draft"] or {}).get("text"))
    for finding in current_findings(detail):
        say(console, f"finding {finding_words(finding)}")
    say(console, _next_step(detail), "bold")


def _facts(detail: Mapping[str, Any]) -> list[tuple[str, object]]:
    mail, recipients = detail["message"] or {}, detail["recipients"] or {}
    kind, status = detail["classification"] or {}, detail["status"] or detail["account"]
    copies = [f"Cc {each}" for each in recipients.get("cc") or ()]
    return [
        ("Id", detail["id"]),
        ("From", f"{mail.get('from_name') or ''} <{mail.get('from_address') or ''}>".strip()),
        ("To", ", ".join(mail.get("to_addresses") or ())),
        ("Subject", mail.get("subject")),
        ("Received", moment_words(mail.get("received_at"))),
        ("Status", f"{status} {reason_of(detail, status)}"),
        ("Class", ", ".join(str(kind[name]) for name in CLASS if kind.get(name))),
        ("Look", ", ".join([word_of(detail), *_notes(detail)]) if status == Status.DRAFT_READY else ""),
        ("Flags", ", ".join(flags_of(detail))),
        ("Files", ", ".join(str(each.get("name") or "") for each in detail["attachments"])),
        ("Reply to", ", ".join([*(recipients.get("to") or ()), *copies])),
        ("Run", detail["links"].get("temporal")),
    ]


def _show_text(console: Console, title: str, text: str | None) -> None:
    if text:
        say(console, f"\n--- {title}", "bold")
        say(console, f"{safe_text(text)}\n")


def _draft_title(detail: Mapping[str, Any]) -> str:
    draft = detail["draft"] or {}
    label = ", written offline from templates" if draft.get("offline_model") else ""
    return f"Draft, revision {draft.get('revision')}{label}: {safe_line(draft.get('subject'))}"


def finding_words(finding: Mapping[str, Any]) -> str:
    """One finding of the outgoing scan: its id, its kind, the passage, and whether a person may overrule it."""
    may = "" if finding["confirmable"] else " (cannot be confirmed; edit the text)"
    return f"{finding['finding_id']}: {finding['detector']}: {safe_line(finding['snippet'])}{may}"


def _next_step(detail: Mapping[str, Any]) -> str:
    name = short_id(detail["id"])
    if detail["to_approve"]:
        return f"deskhand review approve {name} --revision {detail['to_approve']['revision']}"
    steps = {
        Status.DRAFT_READY: f"deskhand review write {name}",
        Status.QUARANTINED: f"deskhand review release {name}   or   deskhand review archive {name}",
        Status.FAILED: f"deskhand review retry {name}",
        Status.APPROVED: f"deskhand review undo {name}",
        Status.ARCHIVED: f"deskhand review restore {name}",
        Status.RECEIVED: f"deskhand review draft {name}   or   deskhand review write {name}",
    }
    return steps.get(detail["status"], "")


def approval_of(
    detail: Mapping[str, Any], found: Sequence[Mapping[str, Any]], confirmed: Sequence[str], reason: str | None
) -> dict[str, Any]:
    """The body of an approval of what `detail` shows; `found` is what the scan found in the text that will leave.

    Raises NotToApprove without a draft, and while a finding is still open (P98a).
    """
    if detail["to_approve"] is None:
        raise NotToApprove(_why_not(detail))
    still_open = [each for each in found if each["finding_id"] not in confirmed]
    if still_open:
        raise NotToApprove(_open_words(detail, still_open))
    body = dict(detail["to_approve"]) | {"confirmed_findings": list(confirmed)}
    return body | ({"reason": reason} if reason else {})


def _why_not(detail: Mapping[str, Any]) -> str:
    if detail["status"] == Status.DRAFT_READY:
        return f"There is no draft yet. Write one: deskhand review write {short_id(detail['id'])}"
    return f"This message is {detail['status'] or detail['account']}; only a draft in review can be approved."


def _open_words(detail: Mapping[str, Any], still_open: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"  {finding_words(each)}" for each in still_open]
    how = f"Edit the text, or add `--confirm FINDING` for each, with a --reason. Message {short_id(detail['id'])}."
    return "\n".join(["The text holds what should not leave unseen:", *lines, how])
