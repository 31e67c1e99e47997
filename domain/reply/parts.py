"""The MIME parts of a mail we send: one text, and files that a person approved with it.

The text travels as quoted-printable or base64 and the boundary holds `=_`, which neither encoding can produce. So no
text can close a part, stand as a dot on a line of its own, or make a line longer than 76 octets.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from urllib.parse import quote

from contracts.base import Contract
from domain.reply.headers import field, one_line
from domain.reply.quoting import plain_text

FILE_NAME_LIMIT = 200

_MEDIA_TYPE = re.compile(r"(?!multipart/|message/)[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,100}")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9 ._()+-]{1,60}")
_SECTION = re.compile(r"(?:%[0-9A-F]{2}|[^%]){1,18}")


class ReplyAttachment(Contract):
    """A file to send along: `name` for the reader, `media_type` as sniffed by us, `content` in full."""

    name: str
    media_type: str = "application/octet-stream"
    content: bytes


def text_part(text: str) -> bytes:
    """Header fields and body of a `text/plain` part in UTF-8; the shorter of quoted-printable and base64."""
    octets = plain_text(text).encode()
    printable, coded = _quoted_printable(octets), _base64(octets.replace(b"\n", b"\r\n"))
    encoding, body = ("base64", coded) if len(coded) < len(printable) else ("quoted-printable", printable)
    head = field("Content-Type", ["text/plain;", "charset=utf-8"]) + field("Content-Transfer-Encoding", [encoding])
    return head + b"\r\n" + body


def _quoted_printable(octets: bytes) -> bytes:
    return binascii.b2a_qp(octets, istext=True).replace(b"\n", b"\r\n")


def _base64(octets: bytes) -> bytes:
    return base64.encodebytes(octets).replace(b"\n", b"\r\n")


def mixed_part(text: str, attachments: Sequence[ReplyAttachment]) -> bytes:
    """Header fields and body of a `multipart/mixed` part: the text first, then each file in order."""
    parts = [text_part(text), *(_attachment_part(each) for each in attachments)]
    boundary = f"=_{hashlib.sha256(b''.join(parts)).hexdigest()[:40]}"
    head = field("Content-Type", ["multipart/mixed;", f'boundary="{boundary}"'])
    delimiter = f"--{boundary}".encode()
    body = b"".join(delimiter + b"\r\n" + part + b"\r\n" for part in parts)
    return head + b"\r\n" + body + delimiter + b"--\r\n"


def _attachment_part(attachment: ReplyAttachment) -> bytes:
    known = _MEDIA_TYPE.fullmatch(attachment.media_type.lower())
    head = field("Content-Type", [known[0] if known else "application/octet-stream"])
    head += field("Content-Transfer-Encoding", ["base64"])
    head += field("Content-Disposition", ["attachment;", *_file_name(attachment.name)])
    return head + b"\r\n" + _base64(attachment.content)


def _file_name(name: str) -> list[str]:
    safe = one_line(re.split(r"[/\\]", name)[-1], FILE_NAME_LIMIT).strip(". ") or "attachment"
    if _PLAIN_NAME.fullmatch(safe):
        return [f'filename="{safe}"']
    return _sections(quote(safe, safe=""))


def _sections(percent_encoded: str) -> list[str]:
    """The name in numbered sections, because one parameter could outgrow a line (RFC 2231 3)."""
    pieces = _SECTION.findall(percent_encoded)
    pieces[0] = f"utf-8''{pieces[0]}"
    values = [f"filename*{number}*={piece};" for number, piece in enumerate(pieces)]
    return [*values[:-1], values[-1].removesuffix(";")]
