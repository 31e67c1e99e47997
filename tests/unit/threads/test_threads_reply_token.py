"""Tokens that lead an answer home: what passes, what does not, and what they never grant (TH4)."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.reply_token import MAC_BYTES, TokenKey, find_reply_token, make_reply_address, verify_reply_address

ORGANISATION, MAILBOX, THREAD = UUID(int=1), UUID(int=2), UUID("8c9f6c1e-6f0e-4c2b-9a37-2f8f1d9be001")
KEY, OLD_KEY = TokenKey("2026-03", b"n" * 32), TokenKey("2025-09", b"o" * 32)


def make(mailbox: str = "support@example.org", thread_id: UUID = THREAD, key: TokenKey = KEY) -> str:
    """A tokenised address of the mailbox."""
    made = make_reply_address(mailbox, thread_id, key=key, organisation_id=ORGANISATION, mailbox_id=MAILBOX)
    assert made is not None
    return made


def verify(address: str, mailbox_id: UUID = MAILBOX, organisation_id: UUID = ORGANISATION) -> UUID | None:
    """The thread behind an address, with both keys of a rotation."""
    keys = (KEY, OLD_KEY)
    return verify_reply_address(address, keys=keys, organisation_id=organisation_id, mailbox_id=mailbox_id)


@given(st.uuids())
def test_a_token_leads_back_to_its_thread(thread_id: UUID) -> None:
    """Made and verified, in the agreed form: lower case, at most 64 octets."""  # TH4
    address = make(thread_id=thread_id)
    local = address.partition("@")[0]
    assert local.startswith("support+r.") and address == address.lower() and len(local) <= 64
    assert verify(address) == thread_id


def test_the_mac_has_at_least_eighty_bits() -> None:
    """Short enough for a local part, too long to guess."""  # TH4
    assert MAC_BYTES * 8 >= 80
    assert len(make().partition("@")[0].rpartition(".")[2]) == 16


def test_a_gateway_that_upper_cases_does_no_harm() -> None:
    """Letter case does not matter, neither does the domain the mail came through."""  # TH4, RS-41
    assert verify(make().upper()) == THREAD
    assert verify(make().replace("example.org", "mx.example.net")) == THREAD


def test_one_changed_letter_anywhere_in_the_token_is_refused() -> None:
    """Every single letter of id and MAC is bound, the spare bits of the last one included."""  # TH4, RS-41
    address = make()
    start, end = address.index("+r.") + 3, address.index("@")
    for place in range(start, end):
        for letter in "abcdefghijklmnopqrstuvwxyz234567.":
            changed = address[:place] + letter + address[place + 1 :]
            if changed != address:
                assert verify(changed) is None, changed


def test_a_token_of_another_mailbox_or_organisation_is_refused() -> None:
    """The MAC covers both, so a token works in its own mailbox only."""  # TH4, TH7, RS-41
    assert verify(make(), mailbox_id=UUID(int=3)) is None
    assert verify(make(), organisation_id=UUID(int=3)) is None


def test_two_keys_pass_during_rotation_and_a_removed_one_does_not() -> None:
    """Tokens of the old key stay good while it is listed; the key id is part of what is signed."""  # TH4
    old = make(key=OLD_KEY)
    assert verify(old) == THREAD
    lone = {"organisation_id": ORGANISATION, "mailbox_id": MAILBOX}
    assert verify_reply_address(old, keys=[KEY], **lone) is None
    assert verify_reply_address(old, keys=[TokenKey("renamed", OLD_KEY.secret)], **lone) is None
    assert verify_reply_address(old, keys=[], **lone) is None


@pytest.mark.parametrize("mailbox", ["a-very-long-mailbox-name@x.org", "müller@example.org", "no-at-sign", "@x.org"])
def test_mailboxes_that_cannot_carry_a_token_get_none(mailbox: str) -> None:
    """Too long, not ASCII or no address: no token rather than a broken Reply-To."""  # TH4
    assert make_reply_address(mailbox, THREAD, key=KEY, organisation_id=ORGANISATION, mailbox_id=MAILBOX) is None


def test_the_longest_mailbox_that_fits_is_sixty_four_octets() -> None:
    """Eighteen characters of mailbox name leave room for the token, nineteen do not."""  # TH4
    assert len(make("a" * 18 + "@example.org").partition("@")[0]) == 64
    longer = "a" * 19 + "@example.org"
    assert make_reply_address(longer, THREAD, key=KEY, organisation_id=ORGANISATION, mailbox_id=MAILBOX) is None


def test_a_mailbox_with_a_plus_part_of_its_own_can_carry_one() -> None:
    """The token stands behind whatever plus part the mailbox already has."""  # TH4
    assert verify(make("help+eu@example.org")) == THREAD


def test_the_first_valid_token_among_the_recipients_is_found() -> None:
    """Other addresses and broken tokens in To and Cc are passed over."""  # TH4
    addresses = ["anna@customer.example", make().replace("+r.", "+r.a"), make(), make(thread_id=UUID(int=9))]
    lone = {"organisation_id": ORGANISATION, "mailbox_id": MAILBOX}
    assert find_reply_token(addresses, keys=[KEY], **lone) == THREAD
    assert find_reply_token(addresses[:2], keys=[KEY], **lone) is None


@given(st.text(max_size=80))
def test_no_address_raises(text: str) -> None:
    """Whatever stands in To, verifying it gives a value, and a guess is not a thread."""  # TH4, AM2
    assert verify(text) is None
    assert verify(f"support+r.{text}@example.org") is None
