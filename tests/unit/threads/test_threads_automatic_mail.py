"""Which mail a machine wrote: header rules with hits and near-misses, and what all hits add up to (AU1-AU6, AU14)."""

import pytest

from contracts.mail import Address, AutomaticClass, ParsedMail
from domain.automatic_mail import AutomaticFacts, automatic_class, automatic_hits, spam_score_hit

A, B, NONE = AutomaticClass.A, AutomaticClass.B, AutomaticClass.NONE
SUPPORT = "support@example.org"
FACTS = AutomaticFacts(our_addresses=frozenset({SUPPORT}))


def address(text: str, name: str = "") -> Address:
    """An address whose identity is its lower-case form."""
    return Address(address=text, identity=text.lower(), name=name)


def mail(*headers: tuple[str, str], sender: str = "anna@customer.example", **changed: object) -> ParsedMail:
    """A personal mail of Anna to our mailbox with some more headers."""
    fields: dict[str, object] = {"from_": address(sender), "to": (address(SUPPORT),), "subject": "Rechnung 77"}
    return ParsedMail(parser_version="1", headers=headers, **{**fields, **changed})  # type: ignore[arg-type]


def codes(parsed: ParsedMail, facts: AutomaticFacts = FACTS) -> dict[str, AutomaticClass]:
    """Code and class of each hit."""
    return {item.code: item.mail_class for item in automatic_hits(parsed, facts)}


def class_of(parsed: ParsedMail, facts: AutomaticFacts = FACTS) -> AutomaticClass:
    """What the hits of a mail add up to."""
    return automatic_class(automatic_hits(parsed, facts))


def test_personal_mail_has_no_hit() -> None:
    """Ordinary mail is in no class."""  # AU16
    assert codes(mail(("Subject", "Rechnung 77"))) == {} and class_of(mail()) is NONE


HEADER_CASES = [
    ("auto_submitted", "Auto-Submitted", "auto-replied", A),
    ("auto_submitted", "AUTO-SUBMITTED", "(vacation) Auto-Generated; type=x", A),
    ("auto_submitted", "Auto-Submitted", "auto-forwarded", B),
    ("auto_submitted", "Auto-Submitted", "no", None),
    ("auto_submitted", "Auto-Submitted", "No (a person); x=auto-replied", None),
    ("auto_submitted", "Auto-Submitted", " ", None),
    ("null_sender", "Return-Path", "<>", A),
    ("null_sender", "Return-Path", " < > ", A),
    ("null_sender", "Return-Path", "<anna@customer.example>", None),
    ("report", "Content-Type", "multipart/report; report-type=delivery-status; boundary=x", A),
    ("report", "Content-Type", "Message/Disposition-Notification", A),
    ("report", "Content-Type", "message/feedback-report", A),
    ("report", "X-Failed-Recipients", "bob@customer.example", A),
    ("report", "Content-Type", "multipart/mixed; x=multipart/report", None),
    ("list", "List-Id", "<talk.example.net>", A),
    ("list", "List-Post", "NO", A),
    ("list", "Precedence", "bulk", A),
    ("list", "Precedence", "LIST", A),
    ("list", "Precedence", "junk", A),
    ("list", "Precedence", "auto_reply", A),
    ("list", "List-Unsubscribe", "<mailto:out@customer.example>", B),
    ("list", "Precedence", "first-class", None),
    ("list", "List-Help", "<mailto:help@customer.example>", None),
    ("vendor", "X-Autoreply", "yes", A),
    ("vendor", "X-Autorespond", "1", A),
    ("vendor", "X-Autoresponse", "on", A),
    ("vendor", "X-Autoresponder", "mailbot 1.0", A),
    ("vendor", "X-Mail-Autoreply", "true", A),
    ("vendor", "X-FC-MachineGenerated", "true", A),
    ("vendor", "X-AutoReply-From", "anna@customer.example", A),
    ("vendor", "X-Autoreply", "no", None),
    ("vendor", "X-Autosave", "yes", None),
    ("suppress", "X-Auto-Response-Suppress", "DR, OOF, AutoReply", B),
    ("suppress", "X-Auto-Response-Suppress", "None", None),
]


@pytest.mark.parametrize(("code", "name", "value", "expected"), HEADER_CASES)
def test_header_rules_hit_and_nearly_miss(code: str, name: str, value: str, expected: AutomaticClass | None) -> None:
    """AU1 to AU6: each admitting header hits with its class, its harmless cousin does not."""  # AU1-AU6, RS-48
    assert codes(mail((name, value))) == ({code: expected} if expected else {})
    assert class_of(mail((name, value))) is (expected or NONE)


@pytest.mark.parametrize(("envelope", "expected"), [("", A), ("<>", A), (None, NONE), ("anna@customer.example", NONE)])
def test_the_null_envelope_sender_hits_and_an_unknown_one_does_not(
    envelope: str | None, expected: AutomaticClass
) -> None:
    """An empty envelope sender is a machine's; one that no source told us says nothing."""  # AU2, RS-48
    assert class_of(mail(envelope_sender=envelope)) is expected


@pytest.mark.parametrize(("method", "expected"), [("REPLY", A), ("cancel", A), ("REQUEST", NONE), ("COUNTER", NONE)])
def test_calendar_answers_hit_and_invitations_do_not(method: str, expected: AutomaticClass) -> None:
    """A click sent REPLY and CANCEL; a REQUEST asks a person."""  # AU5, MI13, RS-48
    assert class_of(mail(calendar_method=method)) is expected


def test_the_spam_verdict_of_the_source_hits() -> None:
    """A verdict restricts to B; its absence says nothing."""  # AU14, AD5, RS-48
    assert codes(mail(), FACTS.model_copy(update={"source_spam": True})) == {"spam": B}


@pytest.mark.parametrize(("score", "hits"), [(49, False), (50, True), (79, True), (80, False)])
def test_a_spam_score_hits_between_fifty_and_seventy_nine(score: int, hits: bool) -> None:
    """Below is clean, above is archived."""  # AU14, P58, RS-48
    assert (spam_score_hit(score) is not None) is hits


def test_rules_never_see_attached_mails_or_quotes() -> None:
    """A forwarded bounce, quoted or attached, changes nothing about the mail around it."""  # AU15, RS-34
    quoted = "Return-Path: <>\nAuto-Submitted: auto-replied\nFrom: mailer-daemon@x.example"
    forward = mail(text=quoted, quoted_text=quoted, attached_mails=("Undelivered Mail Returned to Sender",))
    assert codes(forward) == {}


def test_a_vacation_reply_is_class_a_in_all_three_fashions() -> None:
    """Gmail, Outlook and a bare X-Autoresponder end alike."""  # C4
    gmail = mail(("Auto-Submitted", "auto-replied"), ("Precedence", "bulk"), subject="Out of office Re: Rechnung 77")
    outlook = mail(
        ("Auto-Submitted", "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
        subject="Automatische Antwort: Rechnung 77",
    )
    bare = mail(("X-Autoresponder", "yes"), subject="Re: Rechnung 77")
    assert {class_of(each) for each in (gmail, outlook, bare)} == {A}


def test_forwarded_human_mail_is_never_dropped() -> None:
    """auto-forwarded runs the chain as B; auto-generated is held with its reason."""  # C6
    assert class_of(mail(("Auto-Submitted", "auto-forwarded"))) is B
    held = automatic_hits(mail(("Auto-Submitted", "auto-generated")), FACTS)
    assert automatic_class(held) is A and held[0].evidence == "Auto-Submitted: auto-generated"


def test_list_unsubscribe_on_personal_mail_reaches_a_human() -> None:
    """List-Unsubscribe alone is B; with an exemption it is nothing at all."""  # C7, RS-48
    personal = mail(("List-Unsubscribe", "<mailto:out@customer.example>"))
    exempt = FACTS.model_copy(update={"exempt_senders": frozenset({"anna@customer.example"})})
    assert class_of(personal) is B and class_of(personal, exempt) is NONE


@pytest.mark.parametrize("rule", ["anna@customer.example", "@customer.example"])
def test_an_exemption_lifts_the_hold_and_not_the_caution(rule: str) -> None:
    """An exempt sender's held mail runs the chain, but is still never answered automatically."""  # P45
    exempt = FACTS.model_copy(update={"exempt_senders": frozenset({rule})})
    assert class_of(mail(("Precedence", "bulk")), exempt) is B
    assert class_of(mail(("Precedence", "bulk"), sender="boris@other.example"), exempt) is A
    robots = mail(("Auto-Submitted", "auto-replied"), subject="Automatic reply: x")
    assert class_of(robots, exempt) is B


@pytest.mark.parametrize("header", [("Return-Path", "<>"), ("X-Failed-Recipients", "b@x.example"), ("X-Loop", "x")])
def test_no_exemption_lets_a_bounce_or_loop_through(header: tuple[str, str]) -> None:
    """Null sender, reports and our own mail stay held whoever is exempt."""  # P45, RS-52
    exempt = FACTS.model_copy(update={"exempt_senders": frozenset({"anna@customer.example"})})
    assert class_of(mail(header), exempt) is A


def test_evidence_is_one_bounded_line() -> None:
    """Evidence shows the header that hit, however long and however hostile."""  # AU15
    item = automatic_hits(mail(("List-Id", "a\r\nBcc: x " * 100)), FACTS)[0]
    assert item.evidence.startswith("List-Id: a Bcc: x") and len(item.evidence) <= 200 and "\n" not in item.evidence
