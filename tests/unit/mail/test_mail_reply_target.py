"""Whom an answer would go to (AM2, AM4, AM5, AM7, C16, RS-37, RS-38)."""

import pytest

from contracts.mail import ParsedMail
from domain.mail.addresses import TargetRule, reply_target
from tests.unit.mail.mail_corpus import parsed

OURS = ("support@shop.example", "Help@Shop.example")


def mail(sender: str, reply_to: str = "") -> ParsedMail:
    """A mail with that From and Reply-To."""
    extra = f"Reply-To: {reply_to}\r\n" if reply_to else ""
    return parsed(f"From: {sender}\r\n{extra}Subject: s\r\n\r\nx".encode())


@pytest.mark.parametrize(
    ("sender", "reply_to", "rule", "address"),
    [
        ("ada@customer.example", "", TargetRule.FROM, "ada@customer.example"),
        ("ada@customer.example", "Ada <ADA@customer.example>", TargetRule.FROM, "ada@customer.example"),
        ("ada@mail.customer.example", "orders@customer.example", TargetRule.REPLY_TO, "orders@customer.example"),
        ("ada@customer.example", "ada@freemail.example", TargetRule.FOREIGN_REPLY_TO, "ada@customer.example"),
        ("ada@a.co.uk", "ada@b.co.uk", TargetRule.FOREIGN_REPLY_TO, "ada@a.co.uk"),
        (
            "ada@customer.example",
            "a@customer.example, b@customer.example",
            TargetRule.SEVERAL_REPLY_TO,
            "ada@customer.example",
        ),
        ("ada@customer.example", "help@shop.example", TargetRule.FROM, "ada@customer.example"),
        ("ada@customer.example, b@x.example", "", TargetRule.AMBIGUOUS_SENDER, "ada@customer.example"),
        ("MAILER-DAEMON", "", TargetRule.UNUSABLE_ADDRESS, "MAILER-DAEMON"),
        ("ada@-bad-.example", "", TargetRule.UNUSABLE_ADDRESS, "ada@-bad-.example"),
    ],
)
def test_reply_to_moves_the_recipient_only_within_one_organisation(
    sender: str, reply_to: str, rule: TargetRule, address: str
) -> None:
    """Same address or organisation: taken; ours: ignored; foreign, several or odd: a person (AM2, AM4, RS-37)."""
    target = reply_target(mail(sender, reply_to), OURS, ())
    assert target.rule is rule
    assert target.address is not None and target.address.address == address
    assert target.needs_person is (rule not in (TargetRule.FROM, TargetRule.REPLY_TO))


def test_both_addresses_are_shown_to_the_person() -> None:
    """With a foreign Reply-To the person chooses between both (AM4, RS-37)."""
    target = reply_target(mail("ada@customer.example", "ada@freemail.example"), OURS, ())
    assert [each.address for each in target.candidates] == ["ada@customer.example", "ada@freemail.example"]


def test_no_sender_needs_a_person() -> None:
    """Without From there is nobody to answer, but a Reply-To may be offered (AM2)."""
    target = reply_target(parsed(b"Reply-To: a@x.example\r\n\r\nx"), OURS, ())
    assert (target.address, target.rule, target.needs_person) == (None, TargetRule.NO_SENDER, True)
    assert [each.address for each in target.candidates] == ["a@x.example"]


@pytest.mark.parametrize("forms", [("Support@shop.example",), {"support@shop.example": "forms.shop.example"}])
def test_a_trusted_contact_form_speaks_for_its_customer(forms: object) -> None:
    """With the form's DKIM passed, the Reply-To is the customer, also on a foreign domain (AM5, C16, RS-37)."""
    form = mail("Form <support@shop.example>", "ada@freemail.example")
    target = reply_target(form, OURS, forms, dkim_domains=("shop.example",))  # type: ignore[arg-type]
    assert (target.rule, target.needs_person) == (TargetRule.CONTACT_FORM, False)
    assert target.address is not None and target.address.address == "ada@freemail.example"


@pytest.mark.parametrize("passed", [(), ("evil.example",)])
def test_a_form_without_its_signature_is_not_trusted(passed: tuple[str, ...]) -> None:
    """Anybody can write our address into From; only a passing DKIM of the configured domain counts (AM5)."""
    form = mail("support@shop.example", "ada@freemail.example")
    target = reply_target(form, OURS, ("support@shop.example",), dkim_domains=passed)
    assert (target.rule, target.needs_person) == (TargetRule.FORM_UNAUTHENTICATED, True)


def test_our_own_address_with_a_foreign_reply_to_offers_the_form() -> None:
    """Not configured as a form: a person, with the offer to add it (AM5, C16, RS-37)."""
    target = reply_target(mail("support@shop.example", "ada@freemail.example"), OURS, ())
    assert (target.rule, target.offers_form_sender) == (TargetRule.OWN_ADDRESS, True)
    assert not reply_target(mail("support@shop.example"), OURS, ()).offers_form_sender


def test_a_non_ascii_local_part_needs_smtputf8() -> None:
    """The relay has to speak SMTPUTF8, otherwise a person (AM7, RS-38)."""
    assert reply_target(mail("müller@bücher.example"), OURS, ()).needs_smtputf8
    assert not reply_target(mail("mueller@bücher.example"), OURS, ()).needs_smtputf8
