"""Reports about mail we sent: what is read out of them, and that nothing makes the reader fall over (BO1-BO3)."""

import base64

import pytest

from domain.automatic_mail import sent_marker
from domain.bounces import BounceReport, ReportKind, read_bounce

ORIGINAL = """\
Message-ID: <out-1.x7@EXAMPLE.org>
X-Deskhand-Id: out-1.{marker}
From: Support <support@example.org>
To: anna@customer.example
Subject: Re: Rechnung 77

Guten Tag
""".format(marker="a" * 26)
FAILED_GROUP = """\
Original-Recipient: rfc822;anna@customer.example
Final-Recipient: rfc822; <a.nna@inner.customer.example>
Action: failed
Status: 5.1.1 (bad destination)
Diagnostic-Code: smtp; 550 5.1.1 <anna@customer.example>:
    no such user
"""


def part(media_type: str, content: str, *headers: str) -> str:
    """One MIME part."""
    return "\n".join([f"Content-Type: {media_type}", *headers, "", content])


def dsn(*groups: str, original: str = part("message/rfc822", ORIGINAL), status_headers: tuple[str, ...] = ()) -> bytes:
    """A delivery report as RFC 3464 describes it."""
    per_message = "Reporting-MTA: dns; mx.customer.example\nOriginal-Envelope-Id: env-7\n"
    status = part("message/delivery-status", "\n".join([per_message, *groups]), *status_headers)
    parts = [part("text/plain", "Your mail could not be delivered."), status, original]
    return report("delivery-status", parts)


def report(report_type: str, parts: list[str], subject: str = "Returned mail") -> bytes:
    """A multipart/report of any type from a mail server."""
    body = "".join(f"--b\n{each}\n" for each in parts) + "--b--\n"
    head = (
        "Return-Path: <>\nFrom: MAILER-DAEMON@mx.customer.example\nTo: support@example.org\n"
        f'Subject: {subject}\nContent-Type: multipart/report; report-type={report_type}; boundary="b"\n'
        "In-Reply-To: <out-1.x7@example.org>\n\n"
    )
    return (head + body).encode()


def plain(text: str, *headers: str) -> bytes:
    """A free-form bounce."""
    return "\n".join([*headers, "Content-Type: text/plain", "", text]).encode()


def read(raw: bytes) -> BounceReport:
    """The report in a mail that is one."""
    found = read_bounce(raw)
    assert found is not None
    return found


def test_a_permanent_failure_is_read_whole() -> None:
    """Recipient as we wrote it, action, status, folded diagnostic, ids, marker and envelope id."""  # BO1, RS-52
    found = read(dsn(FAILED_GROUP))
    assert (found.kind, found.format, found.action, found.status) == (ReportKind.FAILED, "rfc3464", "failed", "5.1.1")
    assert [recipient.address for recipient in found.recipients] == ["anna@customer.example"]
    assert found.diagnostic == "550 5.1.1 <anna@customer.example>: no such user"
    assert found.original_message_id == "out-1.x7@example.org"
    assert found.related_message_ids == ("out-1.x7@example.org",)
    assert found.marker == "out-1." + "a" * 26 and found.envelope_id == "env-7"
    assert found.recipients[0].gave_up


def test_line_ends_do_not_matter() -> None:
    """The same report with CRLF and with bare CR reads the same."""  # BO1
    raw = dsn(FAILED_GROUP)
    assert read(raw.replace(b"\n", b"\r\n")) == read(raw.replace(b"\n", b"\r")) == read(raw)


@pytest.mark.parametrize(
    ("action", "status", "kind", "gave_up"),
    [
        ("failed", "5.1.1", ReportKind.FAILED, True),
        ("Failed", "", ReportKind.FAILED, True),
        ("failed", "4.4.7", ReportKind.DELAYED, True),
        ("failure", "5.0.0", ReportKind.FAILED, True),
        ("error", "5.0.0", ReportKind.FAILED, True),
        ("delayed", "4.4.1", ReportKind.DELAYED, False),
        ("delayed", "5.0.0", ReportKind.DELAYED, False),
        ("delivered", "2.1.5", ReportKind.DELIVERED, False),
        ("relayed", "2.0.0", ReportKind.DELIVERED, False),
        ("expanded", "2.0.0", ReportKind.DELIVERED, False),
        ("", "5.1.1", ReportKind.FAILED, True),
        ("", "4.2.2", ReportKind.DELAYED, False),
        ("odd", "", ReportKind.UNKNOWN, False),
    ],
)
def test_action_and_status_make_the_kind(action: str, status: str, kind: ReportKind, gave_up: bool) -> None:
    """Only a final action without a temporary status is a failure for good."""  # BO2, RS-52
    lines = ["Final-Recipient: rfc822;anna@customer.example"]
    lines += [f"Action: {action}"] if action else []
    lines += [f"Status: {status}"] if status else []
    found = read(dsn("\n".join(lines) + "\n"))
    assert (found.kind, found.recipients[0].gave_up) == (kind, gave_up)


@pytest.mark.parametrize(
    ("diagnostic", "status"),
    [("smtp; 550 no such user", "5.0.0"), ("smtp;452 4.2.2 full", "4.2.2"), ("host 10.1.1.550 said", ""), ("", "")],
)
def test_a_missing_status_is_read_from_the_diagnostic(diagnostic: str, status: str) -> None:
    """Enhanced code first, SMTP reply code second, and no code out of an IP address."""  # BO1
    group = f"Final-Recipient: rfc822;anna@customer.example\nAction: failed\nDiagnostic-Code: {diagnostic}\n"
    assert read(dsn(group)).status == status


def test_the_worst_recipient_decides() -> None:
    """One failed recipient among delivered ones makes the report a failure, and its words are shown."""  # BO2
    delivered = "Final-Recipient: rfc822;boris@customer.example\nAction: delivered\nStatus: 2.0.0\n"
    found = read(dsn(delivered, FAILED_GROUP))
    assert found.kind is ReportKind.FAILED and found.status == "5.1.1"
    assert [recipient.kind for recipient in found.recipients] == [ReportKind.DELIVERED, ReportKind.FAILED]


@pytest.mark.parametrize("media_type", ["text/rfc822-headers", "message/rfc822-headers", "message/global"])
def test_returned_headers_are_found_under_any_media_type(media_type: str) -> None:
    """Servers return the headers alone, and under names of their own."""  # BO1
    found = read(dsn(FAILED_GROUP, original=part(media_type, ORIGINAL)))
    assert found.original_message_id == "out-1.x7@example.org" and found.marker


def test_an_encoded_status_part_is_decoded() -> None:
    """Some gateways wrap the fields in base64 although they must not."""  # BO1
    encoded = base64.encodebytes(("Reporting-MTA: dns; x\n\n" + FAILED_GROUP).encode()).decode()
    status = part("message/delivery-status", encoded, "Content-Transfer-Encoding: base64")
    found = read(report("delivery-status", [part("text/plain", "x"), status]))
    assert (found.kind, found.status) == (ReportKind.FAILED, "5.1.1")


def test_international_reports_are_read() -> None:
    """RFC 6533 renames the part; its fields are the same."""  # BO1
    group = "Final-Recipient: utf-8; änna@customer.example\nAction: failed\nStatus: 5.1.1\n"
    parts = [part("text/plain", "x"), part("message/global-delivery-status", "Reporting-MTA: dns;x\n\n" + group)]
    assert read(report("delivery-status", parts)).recipients[0].address == "änna@customer.example"


def test_a_free_form_bounce_gives_recipient_reason_and_original() -> None:
    """A bounce in prose is read by its wording; code and original id come from its text."""  # BO1
    text = (
        "Hi. This is the qmail-send program at mx.customer.example.\nI'm afraid I wasn't able to deliver your message "
        "to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n"
        "<anna@customer.example>:\n192.0.2.9 does not like recipient.\n"
        "Remote host said: 550 5.1.1 User unknown\n\n--- Below this line is a copy of the message.\n\n" + ORIGINAL
    )
    found = read(plain(text, "Return-Path: <>", "From: MAILER-DAEMON@mx.customer.example", "Subject: failure notice"))
    assert (found.kind, found.format, found.status) == (ReportKind.FAILED, "wording", "5.1.1")
    assert found.recipients[0].address == "anna@customer.example"
    assert found.original_message_id == "out-1.x7@example.org" and found.marker


def test_failed_recipients_named_in_a_header_are_enough() -> None:
    """Exim names the recipients in a header of its own."""  # BO1, AU3
    found = read(plain("sorry", "From: x@mx.example", "X-Failed-Recipients: anna@customer.example, b@customer.example"))
    assert [recipient.address for recipient in found.recipients] == ["anna@customer.example", "b@customer.example"]
    assert found.kind is ReportKind.FAILED


def test_a_report_that_says_nothing_is_unknown_and_not_lost() -> None:
    """The form of a report without readable content is still a report."""  # BO1
    found = read(report("delivery-status", [part("text/plain", "Something went wrong.")]))
    assert (found.kind, found.format) == (ReportKind.UNKNOWN, "unreadable")
    assert found.action == found.status == found.diagnostic == ""


@pytest.mark.parametrize(
    ("feedback_type", "kind"),
    [("abuse", ReportKind.COMPLAINT), ("fraud", ReportKind.COMPLAINT), ("", ReportKind.COMPLAINT)]
    + [("not-spam", ReportKind.UNKNOWN), ("auth-failure", ReportKind.UNKNOWN)],
)
def test_complaints_are_told_from_other_feedback(feedback_type: str, kind: ReportKind) -> None:
    """Abuse is a complaint; "not spam" and authentication reports are none."""  # BO3
    fields = f"Version: 1\nOriginal-Rcpt-To: <anna@customer.example>\nFeedback-Type: {feedback_type}\n"
    parts = [part("text/plain", "x"), part("message/feedback-report", fields), part("message/rfc822", ORIGINAL)]
    found = read(report("feedback-report", parts))
    assert (found.kind, found.format, found.feedback_type) == (kind, "rfc5965", feedback_type)
    assert found.recipients[0].address == "anna@customer.example"
    assert found.original_message_id == "out-1.x7@example.org"


def test_a_read_receipt_is_a_note_about_its_original() -> None:
    """A receipt names the mail in a field of its own and who displayed it."""  # BO3
    fields = (
        "Final-Recipient: rfc822;anna@customer.example\nOriginal-Message-ID: <out-1.x7@EXAMPLE.org>\n"
        "Disposition: manual-action/MDN-sent-manually; displayed/error\n"
    )
    found = read(report("disposition-notification", [part("message/disposition-notification", fields)]))
    assert (found.kind, found.action) == (ReportKind.READ_RECEIPT, "displayed")
    assert found.original_message_id == "out-1.x7@example.org"


def test_a_person_who_writes_about_a_bounce_sends_none() -> None:
    """Forwarded, quoted or attached reports have no effect, whatever ids they name."""  # AU15, BO1, RS-34
    bounce = dsn(FAILED_GROUP).decode()
    forward = plain(bounce, "From: anna@customer.example", "Subject: Fwd: Undelivered Mail Returned to Sender")
    assert read_bounce(forward) is None
    attached = (
        'From: anna@customer.example\nSubject: What is this?\nContent-Type: multipart/mixed; boundary="o"\n\n'
        f"--o\nContent-Type: message/rfc822\n\n{bounce}\n--o--\n"
    )
    assert read_bounce(attached.encode()) is None
    from_daemon = attached.replace("From: anna@customer.example", "From: MAILER-DAEMON@x.example", 1)
    assert read_bounce(from_daemon.encode()) is None


@pytest.mark.parametrize("header", ["Return-Path: <>", "Auto-Submitted: auto-replied"])
def test_a_vacation_reply_is_no_bounce(header: str) -> None:
    """Absence notes come from the null sender too and report nothing."""  # C4
    note = plain("I am on holiday until Monday.", header, "From: anna@customer.example", "Subject: Automatic reply: x")
    assert read_bounce(note) is None


def test_personal_mail_is_no_report() -> None:
    """Ordinary mail, empty input and a bare header are no reports."""  # BO1
    assert read_bounce(plain("Hello", "From: anna@customer.example", "Subject: Rechnung")) is None
    assert read_bounce(b"") is None and read_bounce(b"From") is None


def test_an_encoded_title_is_read() -> None:
    """A failure titled in another language inside an encoded word is recognised."""  # BO1, MI6
    word = base64.b64encode("Échec de la remise".encode()).decode()
    found = read(plain("x", "From: system@mx.example", f"Subject: =?utf-8?B?{word}?="))
    assert found.kind is ReportKind.UNKNOWN


def test_a_marker_of_ours_survives_the_way_back() -> None:
    """The marker found in a returned mail is the one we put on it."""  # BO1, AU7
    marker = sent_marker(b"key", "0198-ab")
    original = ORIGINAL.replace("out-1." + "a" * 26, marker)
    assert read(dsn(FAILED_GROUP, original=part("message/rfc822", original))).marker == marker
