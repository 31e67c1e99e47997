"""Invitations, winmail.dat, signed and encrypted mail, and mails inside mails (MI13-MI16, RS-33, RS-34, C25, C26)."""

import base64
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tnefparse import TNEF

from domain.mail.calendar import read_calendar
from domain.mail.limits import MAX_DEPTH
from domain.mail.pgp import read_inline_pgp
from domain.mail.rtf import decompress_rtf, rtf_to_text
from domain.mail.smime import signed_content, smime_kind
from domain.mail.tnef import read_tnef
from tests.unit.mail.mail_corpus import (
    CORPUS,
    INNER,
    INVITATION,
    PDF,
    WINMAIL,
    contents,
    file,
    mail,
    nested_mails,
    parsed,
    part,
    text,
    whole,
)
from tests.unit.mail.wrapped_samples import (
    enveloped,
    mapi_binary,
    mapi_block,
    mapi_string,
    opaque_signature,
    streamed_signature,
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


@pytest.mark.parametrize("name", ["smime opaque", "smime streamed"])
def test_opaque_signed_mail_shows_its_content(name: str) -> None:
    """DER and streamed BER: the text inside is the body, the part is kept, "signed" is set (MI15, RS-33, C26)."""
    shown = parsed(CORPUS[name])
    assert shown.text == "Signed words inside."
    assert shown.signed and not shown.encrypted
    assert [each.flags for each in shown.attachments] == [("signed",)]


def test_detached_signatures_keep_body_and_part() -> None:
    """multipart/signed: the body is read, the signature is an attachment (MI15)."""
    shown = parsed(CORPUS["smime detached"])
    assert (shown.text, shown.signed) == ("Signed words.", True)
    assert [(each.name, each.flags) for each in shown.attachments] == [("smime.p7s", ("signature",))]


@pytest.mark.parametrize("name", ["pgp mime", "smime enveloped", "pgp inline"])
def test_encrypted_mail_is_flagged_and_its_cipher_text_is_no_text(name: str) -> None:
    """S/MIME, PGP/MIME and inline PGP: `encrypted`, and nothing of the cipher reaches a model (MI15, RS-33)."""
    shown = parsed(CORPUS[name])
    assert shown.encrypted
    assert "hQEM" not in shown.text + shown.new_text


def test_encrypted_mail_that_a_server_took_apart_is_flagged() -> None:
    """PGP/MIME whose container was rewritten is still known by its control part (MI15)."""
    control = part(b"Version: 1", b"Content-Type: application/pgp-encrypted")
    assert parsed(whole(b"mixed", text(""), control, file(b"x", b"application/octet-stream", b"m.asc"))).encrypted


def test_inline_signed_text_is_read_without_its_armour() -> None:
    """Clear-signed text: marks, hash line and signature go, dash-escaping is undone (MI15)."""
    body = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nHello\n- --dash\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\nfooter"
    )
    assert read_inline_pgp(body) == ("Hello\n--dash\nfooter", True, False)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_signature(data: bytes) -> None:
    """No bytes raise; a damaged signature is kept and named (MI2, MI15)."""
    for cut in (
        data,
        opaque_signature(b"x")[: len(data)] + data,
        streamed_signature(data)[:-3],
        b"\x30\x80" * 100 + data,
    ):
        signed_content(cut)
        smime_kind(cut)


def test_a_signature_without_readable_content_is_a_defect() -> None:
    """An opaque signature that cannot be opened stays an attachment (MI15)."""
    raw = mail(
        base64.encodebytes(opaque_signature(b"x")[:60]),
        b"Content-Type: application/pkcs7-mime",
        b"Content-Transfer-Encoding: base64",
    )
    shown = parsed(raw)
    assert "smime_unreadable" in shown.defects
    assert shown.signed and shown.attachment_only


def test_signatures_inside_signatures_end_at_the_depth_limit() -> None:
    """Each opened signature is one level deeper (MI3)."""
    entity = b"Content-Type: text/plain\r\n\r\ninnermost"
    for _ in range(MAX_DEPTH + 10):
        head = b"Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        entity = head + streamed_signature(entity)
    assert parsed(entity).text == ""


def test_enveloped_data_is_known_without_a_label() -> None:
    """The object identifier decides, not the sender's parameter (MI15)."""
    assert smime_kind(enveloped(), "signed-data").value == "encrypted"


def test_an_attached_mail_is_a_child_of_its_own() -> None:
    """One readable line and a file; its words are not the sender's (MI16, RS-33)."""
    shown = parsed(CORPUS["attached mail"])
    assert shown.text == "See attached."
    assert shown.attached_mails == (
        "From Ada Example <ada@customer.example> | Subject Inner | Date Mon, 1 Jun 2026 10:00:00 +0200",
    )
    assert [each.name for each in shown.attachments] == ["Inner.eml"]
    assert list(contents(CORPUS["attached mail"]).values()) == [INNER]


def test_headers_of_an_attached_mail_decide_nothing() -> None:
    """Auto-Submitted and In-Reply-To inside change neither headers nor threading of the outer mail (MI16, RS-34)."""
    shown = parsed(CORPUS["attached mail"])
    assert shown.in_reply_to == ()
    assert "auto-submitted" not in dict(shown.headers)


@pytest.mark.parametrize("count", [1, 18])
def test_every_nested_mail_is_listed(count: int) -> None:
    """Eighteen mails inside each other are eighteen lines (C25)."""
    shown = parsed(nested_mails(count))
    assert len(shown.attached_mails) == count
    assert len(shown.attachments) == count
    assert "Subject Inner" in shown.attached_mails[-1]


def test_eighteen_mails_side_by_side_are_listed() -> None:
    """The same if they stand next to each other (C25)."""
    shown = parsed(whole(b"mixed", text("x"), *[part(INNER, b"Content-Type: message/rfc822")] * 18))
    assert len(shown.attached_mails) == 18


def test_mails_nested_beyond_the_limit_are_a_defect() -> None:
    """Sixty levels end at the depth limit; the bytes are all in the outermost file (MI3)."""
    shown = parsed(nested_mails(60))
    assert "too_deep" in shown.defects
    assert len(shown.attached_mails) <= MAX_DEPTH


def test_an_attached_mail_in_base64_is_read() -> None:
    """RFC 2046 forbids it, mailers do it (MI16)."""
    shown = parsed(whole(b"mixed", text("x"), file(INNER, b"message/rfc822", b"a.eml")))
    assert "Subject Inner" in shown.attached_mails[0]


def test_a_digest_lists_its_mails() -> None:
    """Parts of a digest are mails by default (RFC 2046 5.1.5)."""
    assert len(parsed(CORPUS["digest"]).attached_mails) == 2


def test_a_report_shows_its_words_and_keeps_the_rest() -> None:
    """The human part is the text; status and returned mail are attachments (MI16)."""
    shown = parsed(CORPUS["report"])
    assert shown.text == "Your message could not be delivered."
    assert [each.declared_type for each in shown.attachments] == ["message/delivery-status", "message/rfc822"]


def test_properties_may_be_named() -> None:
    """MAPI properties with a name of their own do not disturb the ones after them (MI14)."""
    named = struct.pack("<HH16sII", 3, 0x8001, b"\x00" * 16, 0, 7) + struct.pack("<I", 1)
    block = struct.pack("<I", 2) + named + mapi_block(mapi_string(0x1000, "after"))[4:]
    found = read_tnef(tnef(tnef_object(1, 0x9003, block)))
    assert found is not None and found.text == "after"
