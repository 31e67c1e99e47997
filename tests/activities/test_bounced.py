"""Bounces and complaints about our own mail reach the outbox row they are about, and nothing else (C2, RS-52)."""

from uuid import UUID

from contracts.lifecycle import Approve, SendResult
from tests.activities.conftest import World, mail_bytes

REPORT = """From: MAILER-DAEMON@mx.kunde.example
To: support@shop.example
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
Content-Type: multipart/report; report-type=delivery-status; boundary="b1"
MIME-Version: 1.0

--b1
Content-Type: text/plain

The mail could not be delivered.

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.kunde.example

Final-Recipient: rfc822; anna@kunde.example
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 no such user

--b1
Content-Type: text/rfc822-headers

Message-ID: <{ours}>
Subject: Re: Where is my order?

--b1--
"""


async def _sent(world: World) -> tuple[UUID, str]:
    message = await world.arrive(mail_bytes())
    await world.to_draft_ready(message)
    await world.do(message, Approve(), actor="user:1")
    row = await world.sql.fetchrow("SELECT id, rfc_message_id FROM outbox WHERE message_id = $1", message)
    await world.sql.execute("UPDATE outbox SET state = 'sent', sent_at = now() WHERE id = $1", row["id"])
    await world.do(message, SendResult(outbox_id=row["id"]))
    return message, row["rfc_message_id"]


async def test_a_bounce_of_our_reply_is_recorded_on_it(world: World) -> None:
    """C2, RS-52: outbox row bounced, address suppressed, the report itself held and never drafted."""
    message, ours = await _sent(world)
    report = await world.arrive(REPORT.format(ours=ours).replace("\n", "\r\n").encode(), **{"x-envelope-from": ""})
    assert await world.sql.fetchval("SELECT state FROM outbox WHERE message_id = $1", message) == "bounced"
    blocked = await world.sql.fetchval("SELECT address FROM address_blocks WHERE kind = 'suppressed_recipient'")
    row = await world.row(report)
    assert blocked == "anna@kunde.example" and row["hold_reason"] == "automatic"
    assert "report_failed" in row["content_flags"]
    assert await world.status(message) == "sent"


async def test_a_bounce_of_a_mail_we_never_sent_has_no_effect(world: World) -> None:
    """RS-52, BO1: kept, flagged as unmatched."""
    await _sent(world)
    report = await world.arrive(REPORT.format(ours="foreign@x.example").replace("\n", "\r\n").encode())
    assert "bounce_unmatched" in (await world.row(report))["content_flags"]
    assert await world.sql.fetchval("SELECT count(*) FROM address_blocks") == 0
