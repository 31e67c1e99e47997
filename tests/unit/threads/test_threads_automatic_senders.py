"""Which senders are machines, which mail is our own coming back, and what a contact form may do (AU7, AU8, AU10)."""

import pytest

from contracts.mail import Address, AutomaticClass, ParsedMail
from domain.automatic_mail import (
    AutomaticFacts,
    FormSender,
    automatic_hits,
    form_customer,
    form_sender_offer,
    is_ours,
)

A, B = AutomaticClass.A, AutomaticClass.B
SUPPORT = "support@example.org"
FACTS = AutomaticFacts(our_addresses=frozenset({SUPPORT, "help+eu@example.org"}))
FORM = FormSender(identity=SUPPORT, dkim_domains=frozenset({"example.org"}))
FORM_FACTS = FACTS.model_copy(update={"form_senders": (FORM,), "dkim_pass_domains": frozenset({"example.org"})})


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


@pytest.mark.parametrize(
    ("sender", "expected"),
    [
        ("MAILER-DAEMON@mx.customer.example", A),
        ("mailer-daemon", A),
        ("Postmaster@customer.example", A),
        ("bounce@customer.example", A),
        ("bounces+17-anna=x@lists.example", A),
        ("no-reply@shop.example", B),
        ("noreply@shop.example", B),
        ("news-noreply@shop.example", B),
        ("do-not-reply@shop.example", B),
        ("DoNotReply@shop.example", B),
        ("ndr@shop.example", B),
        ("postmasters@customer.example", None),
        ("bouncer@club.example", None),
        ("nora.reply@customer.example", None),
        ("noreplyer@customer.example", None),
        ("anna.noreplysen@customer.example", None),
    ],
)
def test_robots_are_known_by_their_local_part(sender: str, expected: AutomaticClass | None) -> None:
    """Daemons are A, no-reply senders B, and people whose names merely look alike are neither."""  # AU8, RS-48
    assert codes(mail(sender=sender)) == ({"robot": expected} if expected else {})


def test_a_daemon_in_the_envelope_is_a_robot_too() -> None:
    """Some servers replace the null sender by mailer-daemon."""  # AU8
    assert codes(mail(("Return-Path", "<MAILER-DAEMON@mx.example>"))) == {"robot": A}
    assert codes(mail(envelope_sender="mailer-daemon@mx.example")) == {"robot": A}
    assert codes(mail(from_=address("x@mx.example", "Mail Delivery Subsystem"))) == {"robot": B}


def test_our_own_mail_coming_back_is_a_loop() -> None:
    """X-Loop, our verified marker, our Message-ID or our address in From: held."""  # AU7, C3, RS-48
    own = FACTS.model_copy(update={"own_message_ids": frozenset({"out-1@example.org"})})
    assert codes(mail(("X-Loop", "support@example.org"))) == {"own_loop": A}
    assert codes(mail(), FACTS.model_copy(update={"marker_valid": True})) == {"own_loop": A}
    assert codes(mail(message_id="out-1@example.org"), own) == {"own_loop": A}
    assert codes(mail(sender=SUPPORT)) == {"own_loop": A}
    assert codes(mail(sender="support+r.abc.def@example.org")) == {"own_loop": A}


def test_an_answer_to_our_mail_is_no_loop() -> None:
    """Our id in In-Reply-To, an unverified marker or a colleague of our domain is no loop."""  # AU7, RS-48
    own = FACTS.model_copy(update={"own_message_ids": frozenset({"out-1@example.org"})})
    answer = mail(("X-Deskhand-Id", "forged"), ("X-Loop", ""), in_reply_to=("out-1@example.org",), message_id="2@x.org")
    assert codes(answer, own) == {}
    assert codes(mail(sender="boris@example.org")) == {}


def test_a_trusted_form_speaks_for_the_customer_in_reply_to() -> None:
    """With DKIM passing for a configured domain, own address and no-reply rules do not apply."""  # AM5, C16, RS-37
    form = mail(sender=SUPPORT, reply_to=(address("anna@customer.example"),))
    assert form_customer(form, FORM_FACTS) == address("anna@customer.example")
    assert codes(form, FORM_FACTS) == {}
    assert form_sender_offer(form, FORM_FACTS) is None


@pytest.mark.parametrize(
    ("changed", "update"),
    [
        ({}, {"dkim_pass_domains": frozenset({"evil.example"})}),
        ({}, {"form_senders": ()}),
        ({"reply_to": ()}, {}),
        ({"reply_to": (address("help+eu@example.org"),)}, {}),
        ({"reply_to": (address("a@customer.example"), address("b@customer.example"))}, {}),
        ({"ambiguous_sender": True}, {}),
    ],
)
def test_a_form_missing_any_condition_is_held_as_own_loop(changed: dict, update: dict) -> None:
    """No DKIM, no configuration, no single foreign Reply-To or a doubtful sender: hold `automatic`."""  # AM5, C16
    form = mail(sender=SUPPORT, **{"reply_to": (address("anna@customer.example"),), **changed})
    facts = FORM_FACTS.model_copy(update=update)
    assert form_customer(form, facts) is None
    assert codes(form, facts) == {"own_loop": A}


def test_a_form_may_write_as_no_reply() -> None:
    """A configured no-reply form is a customer's mail; the same address without DKIM stays a robot."""  # AM5, AU8
    form = FormSender(identity="noreply@forms.example", dkim_domains=frozenset({"forms.example"}))
    facts = FACTS.model_copy(update={"form_senders": (form,), "dkim_pass_domains": frozenset({"forms.example"})})
    sent = mail(sender="noreply@forms.example", reply_to=(address("anna@customer.example"),))
    assert codes(sent, facts) == {}
    assert codes(sent, facts.model_copy(update={"dkim_pass_domains": frozenset()})) == {"robot": B}


def test_an_unconfigured_form_is_offered_and_a_loop_is_not() -> None:
    """Own address with a foreign Reply-To carries the offer; our own mail coming back does not."""  # AM5, P45, C16
    form = mail(sender=SUPPORT, reply_to=(address("anna@customer.example"),), message_id="1@forms.example")
    assert form_sender_offer(form, FACTS) == address(SUPPORT)
    assert form_sender_offer(mail(sender=SUPPORT), FACTS) is None
    assert form_sender_offer(mail(reply_to=(address("boris@customer.example"),)), FACTS) is None
    assert form_sender_offer(form, FACTS.model_copy(update={"marker_valid": True})) is None
    looped = FACTS.model_copy(update={"own_message_ids": frozenset({"1@forms.example"})})
    assert form_sender_offer(form, looped) is None


def test_mail_that_names_none_of_our_addresses_hits() -> None:
    """To and Cc without us is B; Cc, a reply token or a plus part of ours is enough to be addressed."""  # AU10, RS-48
    assert codes(mail(to=(address("anna@customer.example"),))) == {"not_addressed": B}
    assert codes(mail(to=())) == {"not_addressed": B}
    assert codes(mail(to=(), cc=(address(SUPPORT),))) == {}
    assert codes(mail(to=(address("support+r.abc.def@example.org"),))) == {}
    assert is_ours("help+eu+r.abc.def@example.org", FACTS.our_addresses)
    assert not is_ours("help@example.org", FACTS.our_addresses)
