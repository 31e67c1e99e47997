"""Signed and encrypted mail, and mails inside mails (MI15, MI16, RS-33, RS-34, C25, C26)."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.mail.limits import MAX_DEPTH
from domain.mail.pgp import read_inline_pgp
from domain.mail.smime import signed_content, smime_kind
from tests.unit.mail.mail_corpus import CORPUS, INNER, contents, file, mail, nested_mails, parsed, part, text, whole
from tests.unit.mail.wrapped_samples import enveloped, opaque_signature, streamed_signature


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
