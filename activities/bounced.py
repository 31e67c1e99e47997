"""A report about mail of ours reaches the outbox row it is about; a report about anything else has no effect
(BO1-BO3)."""

from typing import Any
from uuid import UUID

from activities.ports import Transaction
from domain.automatic_mail import verify_marker
from domain.bounces import BounceReport, read_bounce
from domain.bounces.report import ReportKind
from domain.keys import Keyring
from domain.mail.address_list import identity

EFFECTS = {
    ReportKind.FAILED: "news_bounced",
    ReportKind.DELIVERED: "news_delivered",
    ReportKind.COMPLAINT: "news_complained",
}
SUPPRESSING = frozenset({ReportKind.FAILED, ReportKind.COMPLAINT})
INCIDENTS = {ReportKind.FAILED: "bounced", ReportKind.COMPLAINT: "complained"}


def report_in(raw: bytes) -> BounceReport | None:
    """The report a mail carries, if it is one; bounded, never raises."""
    return read_bounce(raw)


async def apply_report(tx: Transaction, row: Any, report: BounceReport, keyring: Keyring) -> UUID | None:
    """Matches by our Message-ID or marker, books the news, flags the mail; the outbox id if it was about us."""
    ids = [i for i in (report.original_message_id, *report.related_message_ids) if i]
    marked = verify_marker([keyring.marker], report.marker) if report.marker else None
    outbox = await tx.one("parse_bounced_outbox", row["mailbox_id"], ids, marked or "")
    if outbox is None:
        await tx.run("parse_flag", row["message_id"], "bounce_unmatched")
        return None
    await tx.run("parse_flag", row["message_id"], f"report_{report.kind}")
    effect = EFFECTS.get(report.kind)
    if effect is not None:
        await tx.run(effect, outbox["id"])
    if report.kind in INCIDENTS:
        await tx.run("outcome_rejected", outbox["id"], INCIDENTS[report.kind], row["message_id"])
    if report.kind in SUPPRESSING:
        for address in outbox["recipients"]:
            await tx.run("news_suppress", outbox["mailbox_id"], identity(address), report.kind)
    cause = f"{outbox['message_id']}:report/{row['message_id']}"
    await tx.run("wake", f"message/{outbox['message_id']}", "wake", {"cause": cause}, cause)
    return UUID(str(outbox["id"]))
