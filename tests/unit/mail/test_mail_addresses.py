"""Addresses, identities, display names and domains (AM1-AM3, AM6-AM8, C17, RS-36, RS-38)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.mail import Address
from domain.mail.addresses import (
    has_mixed_scripts,
    identity,
    is_spoofed_name,
    organisational_domain,
    parse_address_list,
    shown_domain,
)
from tests.unit.mail.mail_corpus import CORPUS, mail, parsed


@pytest.mark.parametrize(
    ("header", "address", "name"),
    [
        (b"bob@y.example", "bob@y.example", ""),
        (b"Bob Example <bob@y.example>", "bob@y.example", "Bob Example"),
        (b'"Example, Bob" <bob@y.example>', "bob@y.example", "Example, Bob"),
        (b"Example, Bob <bob@y.example>", "bob@y.example", "Example, Bob"),
        (b"bob@y.example (Bob)", "bob@y.example", "Bob"),
        (b"bob @ y . example", "bob@y.example", ""),
        (b"<@relay.example,@other.example:bob@y.example>", "bob@y.example", ""),
        (b"=?utf-8?q?J=C3=BCrgen=2C_Bob?= <bob@y.example>", "bob@y.example", "Jürgen, Bob"),
        (b"=?utf-8?Q?Bob_(Sales),_North?= <bob@y.example>", "bob@y.example", "Bob (Sales), North"),
        (b'"=?utf-8?q?J=C3=BCrgen?=" <bob@y.example>', "bob@y.example", "Jürgen"),
        ('"J\u00fcrgen" <bob@y.example>'.encode("latin-1"), "bob@y.example", "Jürgen"),
        (b'"bob smith"@y.example', '"bob smith"@y.example', ""),
        (b"mailto:bob@y.example", "bob@y.example", ""),
        (b"'Bob' <bob@y.example>", "bob@y.example", "Bob"),
        (b'"bob@y.example" <bob@Y.example>', "bob@Y.example", ""),
    ],
)
def test_an_unambiguous_sender_is_read(header: bytes, address: str, name: str) -> None:
    """Names with commas, comments, routes, encoded words and raw bytes: one address, no doubt (AM1, AM2)."""
    found = parse_address_list(header)
    assert [(each.address, each.name) for each in found.addresses] == [(address, name)]
    assert "ambiguous" not in found.flags


@pytest.mark.parametrize(
    ("header", "address"),
    [
        (b"alice@x.example <bob@y.example>", "bob@y.example"),
        (b"<alice@x.example> <bob@y.example>", "alice@x.example"),
        (b"alice@x.example bob@y.example", "alice@x.example"),
        (b"alice@x.example <>", "alice@x.example"),
        (b"alice@x.example@y.example", "alice@x.example@y.example"),
        (b'"alice@x.example" bob@y.example', "bob@y.example"),
        (b"=?utf-8?q?Alice_=3Calice=40x.example=3E?=", "alice@x.example"),
        (b"alice@x.example\r\nBcc: bob@y.example", "alice@x.example"),
    ],
)
def test_input_that_readers_understand_differently_is_ambiguous(header: bytes, address: str) -> None:
    """One address is chosen, always the same, and the doubt is flagged (AM1, C17, RS-36)."""
    found = parse_address_list(header)
    assert found.addresses[0].address == address
    assert "ambiguous" in found.flags


@pytest.mark.parametrize(
    "headers",
    [
        b"From: alice@x.example <bob@y.example>\r\n",
        b"From: alice@x.example\r\nFrom: bob@y.example\r\n",
        b"From: alice@x.example\r\nFrom: alice@x.example\r\n",
        b"From: alice@x.example, bob@y.example\r\n",
    ],
)
def test_an_ambiguous_sender_is_flagged_on_the_mail(headers: bytes) -> None:
    """Two headers, two addresses or two readings set `ambiguous_sender` (MI8, AM1, RS-36)."""
    assert parsed(headers + b"Subject: s\r\n\r\nx").ambiguous_sender


def test_one_plain_sender_is_not_ambiguous() -> None:
    """An ordinary From raises no flag (AM2)."""
    shown = parsed(CORPUS["plain"])
    assert (shown.ambiguous_sender, shown.display_name_spoof, shown.from_count) == (False, False, 1)
    assert shown.from_ == Address(address="ada@customer.example", identity="ada@customer.example", name="Ada Example")


def test_a_missing_sender_is_no_error() -> None:
    """Without From the mail is kept, and the absence is a defect (AM2)."""
    shown = parsed(b"Subject: s\r\n\r\nx")
    assert (shown.from_, shown.from_count) == (None, 0)
    assert "from_missing" in shown.defects


@pytest.mark.parametrize(
    ("header", "addresses", "flags"),
    [
        (b"undisclosed-recipients:;", [], ("group",)),
        (b"", [], ()),
        (b"Team: a@x.example, B <b@x.example>; c@x.example", ["a@x.example", "b@x.example", "c@x.example"], ("group",)),
        (b"a@x.example; b@x.example", ["a@x.example", "b@x.example"], ()),
        (b"a@x.example,, ,b@x.example", ["a@x.example", "b@x.example"], ()),
        (b"MAILER-DAEMON", ["MAILER-DAEMON"], ("bad_address",)),
    ],
)
def test_groups_and_gaps(header: bytes, addresses: list[str], flags: tuple[str, ...]) -> None:
    """Named groups are expanded, empty ones are nobody, semicolons part addresses too (AM6, RS-38)."""
    found = parse_address_list(header)
    assert [each.address for each in found.addresses] == addresses
    assert found.flags == flags


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Bob@Y.Example", "bob@y.example", True),
        ("müller@bücher.example", "MÜLLER@xn--bcher-kva.example", True),
        ("x@faß.example", "x@fass.example", False),
        ("a.b@y.example", "ab@y.example", False),
        ("a+shop@y.example", "a@y.example", False),
        ("a@y.example.", "a@y.example", True),
        ("mu\u0308ller@y.example", "m\u00fcller@y.example", True),
        ("a@xn--fa-hia.example", "a@faß.example", True),
    ],
)
def test_identity_compares_and_does_not_fold(one: str, other: str, same: bool) -> None:
    """Case and IDNA spelling do not matter, dots, plus parts and ß do (AM7, AM8, RS-38)."""
    assert (identity(one) == identity(other)) is same


def test_the_address_is_kept_as_received() -> None:
    """The international sender of RS-38: address as written, identity as A-label, flagged for SMTPUTF8 (AM7, AM8)."""
    shown = parsed(CORPUS["international"])
    assert shown.from_ is not None
    assert shown.from_.address == "müller@bücher.example"
    assert shown.from_.identity == "müller@xn--bcher-kva.example"
    assert shown.to[0].identity == "x@xn--fa-hia.example"
    assert "from_non_ascii_local" in shown.defects


def test_domains_for_people_and_their_scripts() -> None:
    """U-labels for display; a label that mixes Latin and Cyrillic is flagged, Japanese is not (AM7)."""
    assert shown_domain("xn--bcher-kva.example") == "bücher.example"
    assert has_mixed_scripts("\u0430pple.example")
    assert not has_mixed_scripts("bücher.example")
    assert not has_mixed_scripts("日本のアプリ.example")
    assert "mixed_script" in parse_address_list("x@\u0430pple.example").flags


@pytest.mark.parametrize(
    ("domain", "organisation"),
    [
        ("mail.shop.example", "shop.example"),
        ("a.b.co.uk", "b.co.uk"),
        ("b.co.uk", "b.co.uk"),
        ("co.uk", "co.uk"),
        ("me.github.io", "me.github.io"),
        ("Mail.BÜCHER.example", "xn--bcher-kva.example"),
        ("[192.0.2.1]", "[192.0.2.1]"),
        ("192.0.2.1", "192.0.2.1"),
        ("a..b", "a..b"),
        ("", ""),
    ],
)
def test_organisational_domain(domain: str, organisation: str) -> None:
    """The registrable domain by the public suffix list; what has none is its own (AM4, AM7)."""
    assert organisational_domain(domain) == organisation


@pytest.mark.parametrize(
    ("name", "spoof"),
    [
        ("alice@x.example", True),
        ("Alice \uff20 x", True),
        ("shop.example", True),
        ("Support (www.shop.example)", True),
        ("Example Support", True),
        ("EXAMPLE  support team", True),
        ("Example\u200b Support", True),
        ("mail.evil.example", False),
        ("J.R. Smith", False),
        ("Dr.Meier", False),
        ("Counterexample Supporters", False),
        ("", False),
    ],
)
def test_names_that_pretend_are_flagged(name: str, spoof: bool) -> None:
    """An `@`, a foreign host or one of our names in the display name sets `display_name_spoof` (AM3)."""
    assert (
        is_spoofed_name(Address(address="b@evil.example", identity="b@evil.example", name=name), ("Example Support",))
        is spoof
    )


def test_the_odd_sender_of_the_corpus() -> None:
    """C17: the address used is bob's, and the name that shows another address is flagged (AM3)."""
    shown = parsed(CORPUS["odd from"])
    assert shown.from_ is not None
    assert (shown.from_.address, shown.from_.name) == ("bob@evil.example", "ada@customer.example")
    assert shown.display_name_spoof


def test_display_names_are_data_only() -> None:
    """Controls and bidi marks are gone, 128 characters are kept (AM3)."""
    shown = parsed(b"From: =?utf-8?q?Eve=E2=80=AE=0D=0A_x?= <a@x.example>\r\n\r\nx")
    assert shown.from_ is not None and shown.from_.name == "Eve x"
    long = parsed(b"From: " + b"x" * 500 + b" <a@x.example>\r\n\r\nx")
    assert long.from_ is not None and len(long.from_.name) == 128


def test_a_group_among_the_recipients_is_noted() -> None:
    """Nobody answers "to all" into a group unseen (AM6, RS-38)."""
    assert "to_group" in parsed(b"From: a@x.example\r\nTo: undisclosed-recipients:;\r\n\r\nx").defects
    assert "to_group" not in parsed(CORPUS["plain"]).defects


def test_reply_to_and_copies_are_read() -> None:
    """Reply-To, To and Cc keep their addresses in order; missing ones are empty (AM6)."""
    shown = parsed(mail(b"x", b"Cc: c@x.example, d@x.example", b"Reply-To: r@customer.example"))
    assert [each.address for each in shown.cc] == ["c@x.example", "d@x.example"]
    assert [each.address for each in shown.reply_to] == ["r@customer.example"]
    assert parsed(b"From: a@x.example\r\n\r\nx").to == ()


HOSTILE = st.text(st.sampled_from('a@.,;:<>()"\\ \t=?qb\u00fc\u200b\u202e'), max_size=120)


@given(HOSTILE | st.text(max_size=80))
def test_any_text_is_an_address_list(value: str) -> None:
    """No text raises; names and addresses are single clean lines (MI2, AM2)."""
    for each in parse_address_list(value).addresses:
        assert each.identity == identity(each.address)
        assert len(each.name) <= 128
        assert not any(ord(char) < 32 for char in each.address + each.name)


@pytest.mark.parametrize("unit", ['"', "(", "<", '\\"', "a@b,", ";:", "=?a?q?", "a ", "@ . ", "(\\"])
def test_the_longest_header_is_read_in_linear_steps(unit: str) -> None:
    """A header of 64 KiB of any one mark is read; at most a thousand addresses come out (MI3)."""
    assert len(parse_address_list(unit * (65_536 // len(unit))).addresses) <= 1_000
