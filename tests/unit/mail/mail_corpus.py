"""Mails that have broken others, one of each kind, with invented names. Tests read single ones; the property tests and
the differential test against the standard library run over all of them and their mutations."""

import base64
from datetime import UTC, datetime
from typing import Any

from contracts.mail import ParsedMail
from domain.mail.parse import Arrival, parse_strictly
from tests.unit.mail.wrapped_samples import (
    enveloped,
    mapi_string,
    opaque_signature,
    streamed_signature,
    tnef,
    tnef_file,
    tnef_message,
)

RECEIVED = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
HEADERS = (
    b"From: Ada Example <ada@customer.example>\r\nTo: support@shop.example\r\n"
    b"Date: Mon, 1 Jun 2026 10:00:00 +0200\r\nMessage-ID: <m1@customer.example>\r\n"
)
PDF = b"%PDF-1.7\n%%EOF\n"
PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 16


def parsed(raw: bytes, **arrival: Any) -> ParsedMail:
    """`raw` parsed without the safety net, so that a fault of the parser fails the test."""
    return parse_strictly(raw, Arrival(RECEIVED, **arrival))[0]


def contents(raw: bytes) -> dict[str, bytes]:
    """The attachments of `raw` by SHA-256."""
    return parse_strictly(raw, Arrival(RECEIVED))[1]


def mail(body: bytes, *headers: bytes, subject: bytes = b"Order 4711") -> bytes:
    """A mail with ordinary headers, further `headers`, and `body`."""
    return HEADERS + b"Subject: " + subject + b"\r\n" + b"".join(h + b"\r\n" for h in headers) + b"\r\n" + body


def part(body: bytes, *headers: bytes) -> bytes:
    """One MIME part."""
    return b"".join(h + b"\r\n" for h in headers) + b"\r\n" + body + b"\r\n"


def multipart(subtype: bytes, *parts: bytes, boundary: bytes = b"=_b1", parameters: bytes = b"") -> tuple[bytes, bytes]:
    """The Content-Type header and the body of a multipart."""
    header = b"Content-Type: multipart/" + subtype + b'; boundary="' + boundary + b'"' + parameters
    lines = b"".join(b"--" + boundary + b"\r\n" + each for each in parts)
    return header, lines + b"--" + boundary + b"--\r\n"


def container(subtype: bytes, *parts: bytes, boundary: bytes, parameters: bytes = b"") -> bytes:
    """A multipart as a part of another one."""
    header, body = multipart(subtype, *parts, boundary=boundary, parameters=parameters)
    return part(body, header)


def whole(subtype: bytes, *parts: bytes, parameters: bytes = b"", subject: bytes = b"Order 4711") -> bytes:
    """A mail that is one multipart."""
    header, body = multipart(subtype, *parts, parameters=parameters)
    return mail(body, header, subject=subject)


def text(content: str, charset: str = "utf-8", kind: bytes = b"plain") -> bytes:
    """A text part, undeclared if `charset` is empty, in which case it is Latin-1."""
    label = f"; charset={charset}".encode() if charset else b""
    return part(content.encode(charset or "latin-1"), b"Content-Type: text/" + kind + label)


def html(content: str) -> bytes:
    """An HTML part."""
    return text(content, kind=b"html")


def file(data: bytes, kind: bytes, name: bytes, *headers: bytes) -> bytes:
    """An attached file in base64."""
    disposition = b'Content-Disposition: attachment; filename="' + name + b'"'
    encoded = base64.encodebytes(data).replace(b"\n", b"\r\n")
    return part(encoded, b"Content-Type: " + kind, b"Content-Transfer-Encoding: base64", disposition, *headers)


QUESTION = "Guten Tag, wo ist mein Paket?"
INVITATION = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nEND:VTIMEZONE\r\n"
    "BEGIN:VEVENT\r\nUID:77@customer.example\r\nSUMMARY:Talk about the\r\n  delivery\\, again\r\n"
    "DTSTART;TZID=Europe/Berlin:20260610T100000\r\nDTEND;TZID=Europe/Berlin:20260610T110000\r\n"
    "ORGANIZER;CN=Ada Example:mailto:ada@customer.example\r\nLOCATION:Room 4\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
WINMAIL = tnef(
    tnef_message(mapi_string(0x1000, "The body that Outlook hid.")),
    tnef_file("BILL~1.PDF", PDF, mapi_string(0x3707, "bill for June.pdf"), mapi_string(0x370E, "application/pdf")),
)
INNER = mail(
    b"I am somebody else.\r\n", b"Auto-Submitted: auto-replied", b"In-Reply-To: <z@foreign.example>", subject=b"Inner"
)
ENTITY = b"Content-Type: text/plain; charset=utf-8\r\n\r\nSigned words inside.\r\n"


def nested_mails(count: int) -> bytes:
    """`count` mails, each inside the one before."""
    inner = INNER
    for number in range(count - 1):
        inner = mail(inner, b"Content-Type: message/rfc822", subject=b"Level %d" % number)
    return whole(b"mixed", text("See below."), part(inner, b"Content-Type: message/rfc822"))


def deep(levels: int) -> bytes:
    """Multiparts nested `levels` deep around one text."""
    opening = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(levels))
    return HEADERS + opening + b"\r\nThe innermost text\r\n"


CORPUS: dict[str, bytes] = {
    "plain": mail(b"Where is my parcel?\r\n"),
    "alternative": whole(b"alternative", text(QUESTION), html(f"<p>{QUESTION}</p>")),
    "html only": mail(b"<p>Where is <b>my</b> parcel?</p>", b"Content-Type: text/html; charset=utf-8"),
    "related": whole(
        b"alternative",
        text("See the picture of my parcel."),
        container(
            b"related",
            html('<p>See the picture of my parcel.</p><img src="cid:pic@x">'),
            file(PNG, b"image/png", b"p.png", b"Content-ID: <pic@x>"),
            boundary=b"=_b2",
        ),
    ),
    "mixed files": whole(b"mixed", text("Two files."), file(PDF, b"application/pdf", b"a.pdf"), text("And a footer.")),
    "contradiction": whole(
        b"alternative", text("Please cancel order 1."), html("<p>Wire money to account nine now</p>")
    ),
    "hidden newline": mail(b"x\r\n", subject=b"=?UTF-8?Q?x=0D=0ABcc:_v@evil.example?="),
    "odd from": b'From: "ada@customer.example" <bob@evil.example>\r\nSubject: s\r\n\r\nx\r\n',
    "two from": b"From: a@customer.example\r\nFrom: b@evil.example\r\nSubject: s\r\n\r\nx\r\n",
    "bad ids": b"From: a@x.test\r\nMessage-ID: <>\r\nIn-Reply-To: <[1@x]>\r\nReferences: <@> <<a@b>> <c@D.test>\n\nx",
    "no header": b"just text, no header at all\r\n",
    "empty": b"",
    "subject only": mail(b"", subject=b"Where is my parcel?"),
    "gb2312": mail("您好，我还没有收到我的订单。".encode("gb2312"), b"Content-Type: text/plain; charset=gb2312"),
    "iso-2022-jp": mail("注文はどこですか。".encode("iso2022_jp"), b"Content-Type: text/plain; charset=iso-2022-jp"),
    "windows-1258": mail("Đơn hàng".encode("cp1258", "ignore"), b"Content-Type: text/plain; charset=windows-1258"),
    "undeclared latin-1": mail("Où est ma commande ? Hélène".encode("latin-1")),
    "broken base64": mail(
        b"SGVsbG8*gd29y\r\nbGQ", b"Content-Transfer-Encoding: base64", b"Content-Type: text/plain; charset=utf-8"
    ),
    "broken qp": mail(b"caf=E9 =ZZ =\r\nend=", b"Content-Transfer-Encoding: quoted-printable"),
    "uuencode": mail(b"Here it is:\r\nbegin 644 hello.txt\r\n%:&5L;&\\\r\n`\r\nend\r\nRegards\r\n"),
    "yenc": mail(b"Here:\r\n=ybegin line=128 size=5 name=h.bin\r\n\x92\x8f\x96\x96\x99\r\n=yend size=5\r\nbye\r\n"),
    "name in pieces": whole(
        b"mixed",
        text("file"),
        part(
            b"MZ\x90",
            b"Content-Type: image/jpeg",
            b"Content-Disposition: attachment; filename*0*=utf-8''..%5C..%5Ca%5C;\r\n"
            b" filename*1*=%E2%80%AEgpj; filename*2=.exe",
        ),
    ),
    "calendar": whole(
        b"alternative", text("Invitation"), part(INVITATION.encode(), b"Content-Type: text/calendar; method=REQUEST")
    ),
    "invite only": mail(INVITATION.encode(), b"Content-Type: text/calendar; charset=utf-8; method=REQUEST"),
    "winmail": whole(b"mixed", file(WINMAIL, b"application/ms-tnef", b"winmail.dat")),
    "pgp mime": whole(
        b"encrypted",
        part(b"Version: 1", b"Content-Type: application/pgp-encrypted"),
        part(
            b"-----BEGIN PGP MESSAGE-----\r\nhQEM\r\n-----END PGP MESSAGE-----",
            b"Content-Type: application/octet-stream",
        ),
    ),
    "pgp inline": mail(b"Hi\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA\r\n-----END PGP MESSAGE-----\r\n"),
    "smime opaque": mail(
        base64.encodebytes(opaque_signature(ENTITY)),
        b'Content-Type: application/pkcs7-mime; smime-type=signed-data; name="smime.p7m"',
        b"Content-Transfer-Encoding: base64",
    ),
    "smime streamed": mail(
        base64.encodebytes(streamed_signature(ENTITY[:20], ENTITY[20:])),
        b"Content-Type: application/x-pkcs7-mime",
        b"Content-Transfer-Encoding: base64",
    ),
    "smime enveloped": mail(
        base64.encodebytes(enveloped()),
        b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data",
        b"Content-Transfer-Encoding: base64",
    ),
    "smime detached": whole(
        b"signed", text("Signed words."), file(b"\x30\x00", b"application/pkcs7-signature", b"smime.p7s")
    ),
    "attached mail": whole(b"mixed", text("See attached."), part(INNER, b"Content-Type: message/rfc822")),
    "eighteen mails": nested_mails(18),
    "report": whole(
        b"report",
        text("Your message could not be delivered."),
        part(b"Reporting-MTA: dns; mx.example\r\n\r\nAction: failed\r\n", b"Content-Type: message/delivery-status"),
        part(INNER, b"Content-Type: message/rfc822"),
        parameters=b"; report-type=delivery-status",
    ),
    "digest": whole(b"digest", part(INNER), part(INNER)),
    "forward": mail(
        b"---------- Forwarded message ---------\r\nFrom: Eve <eve@other.example>\r\nDate: Fri, 29 May 2026\r\n"
        b"Subject: Invoice\r\nTo: ada@customer.example\r\n\r\nPlease pay.\r\n",
        subject=b"Fwd: Invoice",
    ),
    "interleaved": mail(b"> When did you order?\r\nOn Monday.\r\n> Which size?\r\nLarge.\r\n"),
    "missing end": HEADERS + b"Content-Type: multipart/mixed; boundary=q\r\n\r\n--q\r\n\r\nstill here",
    "no boundary": mail(b"text in a container", b"Content-Type: multipart/mixed"),
    "boundary never seen": mail(b"text in a container", b"Content-Type: multipart/mixed; boundary=zz"),
    "deep": deep(200),
    "many parts": whole(b"mixed", *[part(b"")] * 1_200),
    "long header": b"X-Long: " + b"y" * 100_000 + b"\r\n" + mail(b"after"),
    "many headers": b"".join(b"X-%d: y\r\n" % n for n in range(1_500)) + mail(b"after"),
    "bare cr": mail(b"line one\r\nline two").replace(b"\r\n", b"\r"),
    "bad date": b"From: a@x.example\r\nDate: Fri, 31 Jun 2026 10:00:00 +0000\r\n\r\nx",
    "international": "From: Jürgen <müller@bücher.example>\r\nTo: x@faß.example\r\nSubject: Grüße\r\n\r\nHi".encode(),
    "flowed": mail(
        b"one \r\nparagraph\r\n> quoted \r\n> line\r\n-- \r\nAda\r\n", b"Content-Type: text/plain; format=flowed"
    ),
}
