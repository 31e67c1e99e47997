"""The mails of the file channel as a customer would have received them (SE7)."""

import email
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

from domain.mail.encoded_words import decode_header


@dataclass(frozen=True)
class SentMail:
    """One sent mail: its file and the parts people look for."""

    file: str
    to: str
    subject: str
    in_reply_to: str
    body: str


def sent_mails(folder: Path) -> list[SentMail]:
    """The mails in a folder, the oldest first; drafts of a crashed write have another ending and stay out."""
    files = sorted(folder.glob("*.eml"), key=lambda file: (file.stat().st_mtime_ns, file.name))
    return [_read(file) for file in files if not file.name.startswith(".")]


def _read(file: Path) -> SentMail:
    mail = email.message_from_bytes(file.read_bytes())
    to, subject, parent = (_header(mail, name) for name in ("To", "Subject", "In-Reply-To"))
    return SentMail(file.name, to, subject, parent, _body(mail))


def _header(mail: Message, name: str) -> str:
    return decode_header(str(mail.get(name, "")).encode("utf-8", "surrogateescape")).text


def _body(mail: Message) -> str:
    for part in mail.walk():
        content = part.get_payload(decode=True)
        if part.get_content_type() == "text/plain" and isinstance(content, bytes):
            return content.decode("utf-8", "replace")
    return ""
