"""The rendered reply: its header says exactly what was ordered, whatever a model or a customer wrote."""

import re
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import Message

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.reply.compose import ReplyOrder, compose, outgoing
from domain.reply.parts import ReplyAttachment
from domain.reply.quoting import QuotedMail, plain_text
from domain.reply.recipients import UnsendableReply

PARENT = "<CAF.Parent+77@Mail.Example.ORG>"
FIELDS = [
    "Date", "From", "Reply-To", "To", "Message-ID", "In-Reply-To", "References", "Subject",
    "X-Deskhand-Id", "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
]  # fmt: skip
HOSTILE = "To: eve@evil.example\r\nBcc: e@evil.example\r\n\r\n.\r\n--=_0\r\nContent-Type: text/html\r\n\r\n<b>\n.\n"


def order(**changes: object) -> ReplyOrder:
    """A plain human-approved reply with `changes` applied."""
    values: dict[str, object] = {
        "outbox_id": "ob-1",
        "message_id": "<ob-1.k7Qp@desk.example>",
        "date": datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC),
        "from_address": "support@desk.example",
        "from_name": "Desk Support",
        "reply_to": "support+r.abc.def@desk.example",
        "deskhand_id": "v1.ob-1.mac",
        "to": ("ada@customer.example",),
        "subject": "Re: Where is my parcel?",
        "parent_message_id": PARENT,
        "body": "Dear Ada,\n\nit leaves today.\n",
        "human_approved": True,
    }
    return ReplyOrder.model_validate(values | changes)


def parsed(raw: bytes) -> Message:
    """The mail as a lenient reader sees it."""
    return message_from_bytes(raw, policy=policy.compat32)


def text_of(mail: Message) -> str:
    """The decoded first text part with LF line ends."""
    part = next(each for each in mail.walk() if each.get_content_type() == "text/plain")
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode().replace("\r\n", "\n")


def header_of(raw: bytes) -> bytes:
    """All octets before the first empty line."""
    return raw.partition(b"\r\n\r\n")[0]


def test_fields_in_order() -> None:
    """A plain reply has these fields, once each and in this order, and the ids of its parent."""  # SE1
    mail = parsed(compose(order()))
    assert mail.keys() == FIELDS
    assert (mail["In-Reply-To"], mail["References"]) == (PARENT, PARENT)
    assert mail["Message-ID"] == "<ob-1.k7Qp@desk.example>"
    assert mail["From"] == "Desk Support <support@desk.example>"
    assert mail["Date"] == "Wed, 04 Mar 2026 05:06:07 +0000"


@given(
    subject=st.text(max_size=300), body=st.text(max_size=400), name=st.text(max_size=140), quote=st.text(max_size=300)
)
@example(subject="=?UTF-8?Q?x=0ABcc:...?=", body=HOSTILE, name='"; <eve@evil.example>', quote=HOSTILE)
@example(subject="Re: x\nBcc: eve@evil.example", body="\r\n.\r\n", name="a\r\nTo: b", quote="From eve\n.")
@example(subject="x " * 200, body="y" * 5000, name="\u202eevil", quote="z" * 5000)
def test_no_text_moves_the_header(subject: str, body: str, name: str, quote: str) -> None:
    """Whatever subject, body, names and quoted text hold, fields and recipients stay those of the order."""  # RS-65
    raw = compose(order(subject=subject, body=body, from_name=name, quote=QuotedMail(name=name, text=quote)))
    mail = parsed(raw)
    assert mail.keys() == FIELDS
    assert mail["To"] == "ada@customer.example"
    assert mail["From"].endswith("support@desk.example>") or mail["From"] == "support@desk.example"
    assert header_of(raw).isascii()
    assert text_of(mail).startswith(plain_text(body))


@given(body=st.text(max_size=2000))
@example(body=HOSTILE)
@example(body="\u30d1\u30b9\u30ef\u30fc\u30c9\u3092\u5fd8\u308c\u307e\u3057\u305f\u3002" * 300)
@example(body="trailing blanks   \n\t\n=3D =\n" + "w" * 2000)
def test_wire_format(body: str) -> None:
    """No line exceeds 998 octets, no CR or LF stands alone, no line is a single dot, and the text comes back whole."""
    raw = compose(order(body=body, attachments=(ReplyAttachment(name="a.bin", content=b"\r\n.\r\n"),)))  # SE3
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", raw)
    assert max(len(line) for line in raw.split(b"\r\n")) <= 998
    assert b"\r\n.\r\n" not in raw
    text = plain_text(body)
    assert text_of(parsed(raw)) == (text if text.endswith("\n") else text + "\n")


@given(subject=st.text(max_size=400))
def test_subject_is_one_clean_line(subject: str) -> None:
    """A reader decodes exactly one Subject of at most 250 characters without controls or bidi marks."""  # SE1
    mail = parsed(compose(order(subject=subject)))
    unfolded = re.sub(r"\r?\n(?=[ \t])", "", mail["Subject"])
    decoded = str(make_header(decode_header(unfolded)))
    assert len(decoded) <= 250
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]", decoded)


def test_encoded_word_subject_stays_literal() -> None:
    """A subject that looks like an encoded word with a hidden newline arrives as the text it is."""  # C21
    hostile = "Re: =?UTF-8?Q?x=0ABcc:_eve=40evil.example?="
    mail = parsed(compose(order(subject=hostile)))
    assert mail.get_all("Bcc") is None and len(mail.get_all("Subject") or []) == 1
    assert str(make_header(decode_header(mail["Subject"]))) == hostile


def test_decoded_newline_in_subject() -> None:
    """A newline that the parser decoded out of an encoded word becomes a blank."""  # C21
    mail = parsed(compose(order(subject="Re: x\nBcc: eve@evil.example")))
    assert mail["Subject"] == "Re: x Bcc: eve@evil.example" and mail["Bcc"] is None


def test_only_unapproved_replies_are_marked_automatic() -> None:
    """Auto-Submitted and its companion stand exactly in replies no human approved; Precedence never."""  # RS-63
    human, machine = (parsed(compose(order(human_approved=approved))) for approved in (True, False))
    assert (human["Auto-Submitted"], human["X-Auto-Response-Suppress"]) == (None, None)
    assert (machine["Auto-Submitted"], machine["X-Auto-Response-Suppress"]) == ("auto-replied", "All")
    assert human["Precedence"] is machine["Precedence"] is None


def test_disclosure_follows_the_same_switch() -> None:
    """The disclosure line is added when no human approved and left out otherwise."""  # SE2
    line = "This answer was written by software."
    assert line in text_of(parsed(compose(order(human_approved=False, disclosure=line))))
    assert line not in text_of(parsed(compose(order(human_approved=True, disclosure=line))))


def test_references_of_a_long_thread() -> None:
    """200 earlier mails leave 40 ids, first and last, folded between ids; In-Reply-To is the parent."""  # RS-64
    earlier = tuple(f"<{number}.x@thread.example>" for number in range(200))
    raw = compose(order(parent_references=earlier))
    ids = parsed(raw)["References"].split()
    assert ids == [*earlier[:20], *earlier[181:], PARENT]
    assert all(len(line) <= 78 for line in header_of(raw).split(b"\r\n"))
    assert parsed(raw)["In-Reply-To"] == PARENT


def test_long_parent_id_is_not_encoded() -> None:
    """An id far over 76 characters stands in the header as received, on a line a reader accepts."""  # SE1
    parent = f"<{'a' * 940}@long.example>"
    mail = parsed(compose(order(parent_message_id=parent)))
    assert (mail["In-Reply-To"].strip(), mail["References"].strip()) == (parent, parent)


@pytest.mark.parametrize("bad", ["", "<>", "no-at-sign", "<a\r\nBcc: e@x>", "<ä@x.example>", f"<{'a' * 2000}@x>"])
def test_unusable_parent_id_is_left_out(bad: str) -> None:
    """Without a usable parent id the reply has neither In-Reply-To nor References."""  # AM9
    mail = parsed(compose(order(parent_message_id=bad)))
    assert mail["In-Reply-To"] is None and mail["References"] is None


@pytest.mark.parametrize("bad", ["eve@x.example>\r\nBcc: e@x", "a b@x.example", "a@", "@x", "a,b@x.example", "a@b>c"])
def test_address_that_could_break_out_is_refused(bad: str) -> None:
    """An address that could end its field or command stops the rendering; nothing is guessed."""  # OB11
    with pytest.raises(UnsendableReply):
        compose(order(to=(bad,)))


def test_own_ids_are_checked_too() -> None:
    """A Message-ID or X-Deskhand-Id that could break a line is refused, although we made it."""  # RS-65
    with pytest.raises(UnsendableReply):
        compose(order(message_id="<a@x>\r\nBcc: e@x"))
    with pytest.raises(UnsendableReply):
        compose(order(deskhand_id="v1\r\nBcc: e@x"))


def test_attachments_keep_name_and_content() -> None:
    """Attached files arrive whole, under a safe name, and never as a message or multipart."""  # SE3
    long = "R\u00fcckgabe " + "\u00fc" * 150 + ".pdf"
    files = (
        ReplyAttachment(name=f"../../{long}", media_type="application/pdf", content=b"%PDF"),
        ReplyAttachment(name="mail.eml", media_type="message/rfc822", content=b"From: e@x\r\n\r\n"),
        ReplyAttachment(name='a"\r\nBcc: e@x', content=b""),
    )
    mail = message_from_bytes(compose(order(attachments=files)), policy=policy.default)
    got = [(part.get_content_type(), part.get_payload(decode=True)) for part in mail.iter_attachments()]
    octets = "application/octet-stream"
    assert got == [("application/pdf", b"%PDF"), (octets, b"From: e@x\r\n\r\n"), (octets, b"")]
    names = [part.get_filename() for part in mail.iter_attachments()]
    assert names == [long, "mail.eml", 'a" Bcc: e@x']
    assert mail["Bcc"] is None and mail.defects == []


def test_same_order_same_bytes() -> None:
    """Rendering is a function of the order alone, boundary included."""  # OB6
    files = (ReplyAttachment(name="a.txt", content=b"abc"),)
    assert compose(order(attachments=files)) == compose(order(attachments=files))


def test_international_addresses() -> None:
    """A domain goes out as A-labels; a non-ASCII local part stays as received, in UTF-8 (AM7)."""  # AM7
    raw = compose(order(to=("info@b\u00fccher.example", "j\u00fcrgen@customer.example")))
    assert b"To: info@xn--bcher-kva.example, j\xc3\xbcrgen@customer.example\r\n" in raw


def test_envelope_is_that_of_the_order() -> None:
    """The envelope holds To and Cc once each and the stored ids; the raw bytes are the rendering."""  # OB2
    full = order(cc=("ben@customer.example", "ada@customer.example"))
    mail = outgoing(full, "bounces@desk.example")
    assert mail.recipients == ("ada@customer.example", "ben@customer.example")
    assert (mail.envelope_sender, mail.message_id) == ("bounces@desk.example", full.message_id)
    assert mail.raw == compose(full)
