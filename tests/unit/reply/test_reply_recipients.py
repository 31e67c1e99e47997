"""Whom a reply goes to: From, or a Reply-To of the same house; everything else is a person's decision."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.mail import Address, ParsedMail
from domain.reply.recipients import (
    ConfirmReason,
    UnsendableReply,
    recipients_hash,
    reply_recipients,
    wire_address,
)

OWN = frozenset({"support@desk.example", "help@desk.example"})


def at(address: str) -> Address:
    """An address whose identity is its lower-case form."""
    return Address(address=address, identity=address.lower())


def mail(sender: str | None = "Ada@Customer.example", **fields: object) -> ParsedMail:
    """A parsed mail from `sender` with other fields given as lists of plain addresses."""
    values = {"parser_version": "t", "from_": at(sender) if sender else None} | fields
    lists = {name: tuple(at(each) for each in value) for name, value in fields.items() if isinstance(value, list)}
    return ParsedMail.model_validate(values | lists)


def test_sender_as_received() -> None:
    """Without Reply-To the reply goes to From, spelled as received, and to nobody else."""  # AM8, OB11
    found = reply_recipients(mail(to=["support@desk.example", "ben@x.example"], cc=["cy@x.example"]), OWN)
    assert (found.to, found.cc, found.confirm) == (("Ada@Customer.example",), (), ())


@pytest.mark.parametrize("wish", ["Ada@Customer.example", "orders@customer.example", "a@mail.eu.customer.example"])
def test_reply_to_of_the_same_house(wish: str) -> None:
    """One Reply-To with the sender's address or organisational domain takes over."""  # AM4
    found = reply_recipients(mail(reply_to=[wish]), OWN)
    assert (found.to, found.confirm) == ((wish,), ())


@pytest.mark.parametrize(
    ("sender", "wish"),
    [
        ("ada@customer.example", "eve@evil.example"),
        ("ada@customer.co.uk", "eve@evil.co.uk"),
        ("ada@customer.example", "ada@customer.example.evil.test"),
        ("ada@one.github.io", "eve@two.github.io"),
    ],
)
def test_foreign_reply_to_needs_a_person(sender: str, wish: str) -> None:
    """A Reply-To of another house never takes over by itself; it is offered."""  # AM4
    found = reply_recipients(mail(sender, reply_to=[wish]), OWN)
    assert (found.to, found.confirm, found.offered) == ((sender,), (ConfirmReason.REPLY_TO_FOREIGN,), (wish,))


def test_several_reply_to_need_a_person() -> None:
    """Two different Reply-To addresses are no answer to whom; the same one twice is one."""  # AM4
    several = reply_recipients(mail(reply_to=["a@customer.example", "b@customer.example"]), OWN)
    assert several.confirm == (ConfirmReason.REPLY_TO_SEVERAL,)
    twice = reply_recipients(mail(reply_to=["a@customer.example", "A@customer.example"]), OWN)
    assert (twice.to, twice.confirm) == (("a@customer.example",), ())


def test_own_reply_to_is_ignored() -> None:
    """A Reply-To that is one of our own addresses counts as none."""  # AM4
    found = reply_recipients(mail(reply_to=["support@desk.example"]), OWN)
    assert (found.to, found.confirm) == (("Ada@Customer.example",), ())


def test_never_answers_itself_unseen() -> None:
    """Mail from our own address goes nowhere without a person, with or without a Reply-To."""  # AM5
    for wishes in ([], ["support@desk.example"], ["eve@evil.example"], ["boss@desk.example"]):
        assert ConfirmReason.OWN_ADDRESS in reply_recipients(mail("support@desk.example", reply_to=wishes), OWN).confirm


def test_contact_form() -> None:
    """Behind a trusted form sender the one Reply-To is the customer; without one a person decides."""  # AM5
    form = reply_recipients(mail("support@desk.example", reply_to=["eve@customer.example"]), OWN, form_sender=True)
    assert (form.to, form.confirm) == (("eve@customer.example",), ())
    bare = reply_recipients(mail("support@desk.example"), OWN, form_sender=True)
    assert bare.confirm == (ConfirmReason.OWN_ADDRESS,)


def test_doubtful_senders_need_a_person() -> None:
    """No sender, several, an ambiguous or an undeliverable one is never used silently."""  # AM1, AM2
    assert reply_recipients(mail(None), OWN).confirm == (ConfirmReason.NO_SENDER,)
    assert reply_recipients(mail(None), OWN).to == ()
    assert reply_recipients(mail(ambiguous_sender=True), OWN).confirm == (ConfirmReason.AMBIGUOUS_SENDER,)
    assert reply_recipients(mail(from_count=2), OWN).confirm == (ConfirmReason.AMBIGUOUS_SENDER,)
    assert reply_recipients(mail("a b@customer.example"), OWN).confirm == (ConfirmReason.BAD_ADDRESS,)


def test_local_part_beyond_ascii() -> None:
    """A non-ASCII local part needs a channel with SMTPUTF8, else a person; a non-ASCII domain needs neither."""  # AM7
    foreign = mail("j\u00fcrgen@customer.example")
    assert reply_recipients(foreign, OWN).confirm == (ConfirmReason.NEEDS_SMTPUTF8,)
    assert reply_recipients(foreign, OWN, smtputf8=True).confirm == ()
    assert reply_recipients(mail("ada@b\u00fccher.example"), OWN).confirm == ()


def test_reply_all_is_a_choice() -> None:
    """If a person chose it, the other To and Cc addresses are copied, once each and without ours."""  # OB11
    asked = mail(
        to=["Support@desk.example", "ben@x.example"], cc=["BEN@x.example", "ada@customer.example", "cy@x.example"]
    )
    found = reply_recipients(asked, OWN, reply_all=True)
    assert (found.to, found.cc) == (("Ada@Customer.example",), ("ben@x.example", "cy@x.example"))


def test_wire_form() -> None:
    """Local part in NFC and as spelled, domain as A-labels under UTS 46."""  # AM7, AM8
    assert wire_address("Ju\u0308rgen@B\u00dcCHER.example") == "J\u00fcrgen@xn--bcher-kva.example"
    assert wire_address("info@stra\u00dfe.example") == "info@xn--strae-oqa.example"
    assert wire_address('"odd, but legal"@Customer.example') == '"odd, but legal"@Customer.example'
    assert wire_address("dots..kept.@mobile.example") == "dots..kept.@mobile.example"


@given(st.text(max_size=60))
def test_wire_form_never_breaks_a_line(address: str) -> None:
    """Whatever is asked for, what comes out cannot end a command or a header field."""  # RS-65
    try:
        wire = wire_address(address)
    except UnsendableReply:
        return
    assert wire.isprintable() and "\n" not in wire and "@" in wire
    assert wire.startswith('"') or not set(" <>,;:()") & set(wire)


@given(st.lists(st.text(max_size=8), max_size=4), st.lists(st.text(max_size=8), max_size=4), st.randoms())
def test_hash_ignores_order_only(to: list[str], cc: list[str], random: object) -> None:
    """The same sets hash alike in any order; moving an address between To and Cc changes the hash."""  # OB1, OB11
    shuffled = sorted(to, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert recipients_hash(to, cc, []) == recipients_hash(shuffled, cc, [])
    assert (recipients_hash(to, cc, []) == recipients_hash(cc, to, [])) == (sorted(to) == sorted(cc))
    assert recipients_hash(to, cc, ["0" * 64]) != recipients_hash(to, cc, [])
