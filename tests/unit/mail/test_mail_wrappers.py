"""Invitations and winmail.dat (MI13, MI14, RS-33, C26)."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tnefparse import TNEF

from domain.mail.calendar import read_calendar
from domain.mail.rtf import decompress_rtf, rtf_to_text
from domain.mail.tnef import read_tnef
from tests.unit.mail.mail_corpus import (
    CORPUS,
    INVITATION,
    PDF,
    WINMAIL,
    contents,
    file,
    parsed,
    text,
    whole,
)
from tests.unit.mail.wrapped_samples import (
    mapi_binary,
    mapi_block,
    mapi_string,
    tnef,
    tnef_file,
    tnef_message,
    tnef_object,
    uncompressed_rtf,
)


def test_an_invitation_becomes_facts() -> None:
    """METHOD, UID, SUMMARY, start and end with zone, organiser (MI13, RS-33)."""
    shown = parsed(CORPUS["calendar"])
    assert shown.calendar_method == "REQUEST"
    assert shown.calendar == (
        "METHOD: REQUEST",
        "UID: 77@customer.example",
        "SUMMARY: Talk about the delivery, again",
        "DTSTART: 20260610T100000 (Europe/Berlin)",
        "DTEND: 20260610T110000 (Europe/Berlin)",
        "ORGANIZER: Ada Example <ada@customer.example>",
        "LOCATION: Room 4",
    )


def test_an_invitation_alone_shows_its_facts() -> None:
    """A mail that is only an invitation reaches reviewer and model as its facts (C26)."""
    shown = parsed(CORPUS["invite only"])
    assert shown.text.startswith("METHOD: REQUEST\nUID: 77@customer.example")
    assert not shown.attachment_only


@pytest.mark.parametrize("method", ["REPLY", "CANCEL", "reply"])
def test_the_method_of_answers_is_known(method: str) -> None:
    """REPLY and CANCEL can be told from REQUEST, whatever the case and wherever it stands (MI13, RS-33)."""
    body = INVITATION.replace("METHOD:REQUEST\r\n", "")
    assert read_calendar(body, declared_method=method).method == method.upper()
    assert read_calendar(INVITATION.replace("REQUEST", method)).method == method.upper()


def test_an_answer_names_who_answered() -> None:
    """The participation status of a REPLY is a fact (MI13)."""
    body = INVITATION.replace("LOCATION:Room 4", "ATTENDEE;CN=Bob;PARTSTAT=DECLINED:mailto:bob@x.example")
    assert "ATTENDEE: Bob <bob@x.example> (DECLINED)" in read_calendar(body).lines


@given(st.text(st.sampled_from('BEGIN:VEVENT\r\nUID;=\\",: '), max_size=300))
def test_any_text_is_a_calendar(value: str) -> None:
    """No text raises, and facts are single lines (MI2, MI13)."""
    assert all("\n" not in line for line in read_calendar("BEGIN:VEVENT\r\n" + value).lines)


def test_winmail_is_unpacked() -> None:
    """Body and files come out under their long names (MI14, RS-33)."""
    shown = parsed(CORPUS["winmail"])
    assert shown.text == "The body that Outlook hid."
    assert [(each.name, each.declared_type) for each in shown.attachments] == [("bill for June.pdf", "application/pdf")]
    assert list(contents(CORPUS["winmail"]).values()) == [PDF]


def test_the_public_reader_of_winmail_agrees() -> None:
    """On well-formed input our bounded reader finds what tnefparse finds (MI14)."""
    ours, theirs = read_tnef(WINMAIL), TNEF(WINMAIL)
    assert ours is not None
    assert ours.text == theirs.body
    assert [(each.name, each.data) for each in ours.files] == [(a.long_filename(), a.data) for a in theirs.attachments]


def test_a_text_beside_winmail_stays_the_body() -> None:
    """What the sender's program wrote as text goes before the copy inside (MI14)."""
    raw = whole(b"mixed", text("The plain text."), file(WINMAIL, b"application/octet-stream", b"winmail.dat"))
    assert parsed(raw).text == "The plain text."


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (tnef_message(mapi_binary(0x1013, b"<p>Hello <b>there</b></p>")), "Hello there"),
        (tnef_message(mapi_binary(0x1009, uncompressed_rtf(b"{\\rtf1\\ansi Gr\\'fc\\'dfe\\par bye}"))), "Grüße\nbye"),
        (tnef_object(1, 0x800C, "Grüße".encode("cp1252") + b"\x00"), "Grüße"),
    ],
)
def test_every_kind_of_body_in_winmail_is_read(message: bytes, shown: str) -> None:
    """HTML, compressed RTF and the old plain attribute (MI14)."""
    assert parsed(whole(b"mixed", file(tnef(message), b"application/ms-tnef", b"winmail.dat"))).text == shown


@pytest.mark.parametrize("data", [b"", b"no tnef", WINMAIL[:40], WINMAIL[:-40]])
def test_a_broken_winmail_is_shown_as_a_file(data: bytes) -> None:
    """What cannot be unpacked whole is an attachment with a note, never an error (MI14)."""
    shown = parsed(whole(b"mixed", text("hi"), file(data, b"application/ms-tnef", b"winmail.dat")))
    assert "winmail.dat" in [each.name for each in shown.attachments]
    assert {"tnef_unreadable", "tnef_incomplete"} & set(shown.defects)


@pytest.mark.parametrize(
    "bomb",
    [
        tnef(tnef_object(1, 0x9003, struct.pack("<I", 0xFFFFFFFF))),
        tnef(tnef_object(1, 0x9003, struct.pack("<IHHI", 1, 0x1002, 1, 0xFFFFFFFF))),
        tnef(tnef_object(1, 0x9003, struct.pack("<IHHI", 1, 0x1E, 1, 0xFFFFFFFF))),
        tnef(*[tnef_file("x", b"")] * 5_000),
        tnef(*[tnef_object(1, 0x9004, struct.pack("<I", 0xFFFFFFFF))] * 10),
    ],
)
def test_counts_in_winmail_are_not_believed(bomb: bytes) -> None:
    """Four billion announced properties or thousands of files end at the limits (MI3, MI14)."""
    found = read_tnef(bomb)
    assert found is not None
    assert len(found.files) <= 100


@given(st.binary(max_size=300))
@settings(max_examples=60)
def test_any_bytes_are_winmail(data: bytes) -> None:
    """No bytes raise, as objects, as properties or as RTF (MI2)."""
    read_tnef(tnef() + data)
    read_tnef(tnef(tnef_object(1, 0x9003, data), tnef_object(2, 0x9002, b""), tnef_object(2, 0x9005, data)))
    rtf_to_text(uncompressed_rtf(data))
    decompress_rtf(struct.pack("<IIII", 0, 0, 0x75465A4C, 0) + data)


def test_compressed_rtf_is_decompressed() -> None:
    """The worked example of MS-OXRTFCP: references into the preset dictionary resolve."""
    sample = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert decompress_rtf(sample) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert rtf_to_text(sample) == "hello world"


def test_html_wrapped_in_rtf_shows_its_text() -> None:
    """Outlook's HTML in RTF: tags and the RTF twin are left out (MI14)."""
    body = (
        b"{\\rtf1\\fromhtml1{\\*\\htmltag64 <p>}\\htmlrtf {\\b\\htmlrtf0 \\u8364?5 caf\\'e9\\htmlrtf }\\htmlrtf0\\par}"
    )
    assert rtf_to_text(uncompressed_rtf(body)) == "€5 café"


def test_properties_may_be_named() -> None:
    """MAPI properties with a name of their own do not disturb the ones after them (MI14)."""
    named = struct.pack("<HH16sII", 3, 0x8001, b"\x00" * 16, 0, 7) + struct.pack("<I", 1)
    block = struct.pack("<I", 2) + named + mapi_block(mapi_string(0x1000, "after"))[4:]
    found = read_tnef(tnef(tnef_object(1, 0x9003, block)))
    assert found is not None and found.text == "after"
