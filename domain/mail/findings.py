"""What has been found in one mail so far. Every reader of a part adds to it; nothing is ever taken back, so that a
defect met on the way stands in the result whatever happens later."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote

from contracts.mail import Attachment, HiddenPassage
from domain.mail.charsets import Decoded
from domain.mail.cleaning import seen_text
from domain.mail.limits import (
    MAX_ALL_TAGS,
    MAX_ALL_TEXTS_BYTES,
    MAX_ATTACHED_MAILS,
    MAX_ATTACHMENTS,
    MAX_PARTS,
    MAX_PASSAGES,
    MAX_TEXT_PARTS,
)
from domain.mail.parameters import media_type, safe_file_name
from domain.mail.sniff import file_flags, sniff_type
from domain.text.visible import VisibleText

_REFERRED = re.compile(r"""cid:([^"'\s)>]{1,200})""", re.IGNORECASE)
MAX_CONTENT_ID_CHARS = 250


@dataclass(slots=True)
class Findings:
    """The growing result of one parse. `contents` holds the bytes of the attachments by SHA-256."""

    parts_left: int = MAX_PARTS
    texts_left: int = MAX_TEXT_PARTS
    text_bytes_left: int = MAX_ALL_TEXTS_BYTES
    tags_left: int = MAX_ALL_TAGS
    defects: dict[str, None] = field(default_factory=dict)
    decoded_as: dict[str, None] = field(default_factory=dict)
    replacements: int = 0
    attachments: list[Attachment] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)
    attached_mails: list[str] = field(default_factory=list)
    calendar: list[str] = field(default_factory=list)
    calendar_method: str = ""
    html: list[str] = field(default_factory=list)
    hidden: list[HiddenPassage] = field(default_factory=list)
    attribute_text: list[HiddenPassage] = field(default_factory=list)
    hidden_share: float = 0.0
    maybe_hidden: bool = False
    fallback_text: str = ""
    has_text: bool = False
    parts_differ: bool = False
    signed: bool = False
    encrypted: bool = False

    def note(self, *codes: str) -> None:
        """Remember defect codes, each once, in the order met."""
        self.defects.update(dict.fromkeys(codes))

    def may_read_text(self, size_bytes: int) -> bool:
        """True if a text of that size is within the budget of all texts of the mail, which it is charged to (MI3)."""
        if self.texts_left <= 0 or size_bytes > self.text_bytes_left:
            self.note("too_many_texts")
            return False
        self.texts_left -= 1
        self.text_bytes_left -= size_bytes
        return True

    def may_render(self, html: str) -> bool:
        """The same for the tags of an HTML text: a first one is always rendered, which has limits of its own (HV6)."""
        tags = html.count("<")
        is_within = not self.html or tags <= self.tags_left
        self.tags_left -= tags
        if not is_within:
            self.note("too_many_texts")
        return is_within

    def note_charset(self, decoded: Decoded) -> str:
        """Remember how a text was decoded and pass its text on (MI4)."""
        self.decoded_as[decoded.charset] = None
        self.replacements += decoded.replacements
        return decoded.text

    def note_visible(self, seen: VisibleText) -> str:
        """Remember what is hidden in a text and pass the visible part on."""
        self.hidden += seen.hidden[: MAX_PASSAGES - len(self.hidden)]
        self.attribute_text += seen.attribute_text[: MAX_PASSAGES - len(self.attribute_text)]
        self.hidden_share = max(self.hidden_share, seen.hidden_share)
        self.maybe_hidden = self.maybe_hidden or seen.maybe_hidden
        self.note(*seen.defects)
        return seen.text

    def attach(
        self, data: bytes, declared: str, name: str = "", content_id: str = "", flags: Iterable[str] = ()
    ) -> None:
        """Keep a file by its digest, with what its bytes, name and declared type say of each other (MI19)."""
        if len(self.attachments) >= MAX_ATTACHMENTS:
            self.note("too_many_attachments")
            return
        digest = hashlib.sha256(data).hexdigest()
        self.contents[digest] = data
        sniffed = sniff_type(data)
        kind = media_type(declared.lower())
        safe_name = safe_file_name(name, self._default_name(kind or sniffed))
        self.attachments.append(
            Attachment(
                name=safe_name,
                declared_type=kind,
                sniffed_type=sniffed,
                size_bytes=len(data),
                sha256=digest,
                content_id=_content_id(content_id),
                flags=tuple(dict.fromkeys((*flags, *file_flags(data, safe_name, kind, sniffed)))),
            )
        )

    def list_only(self, declared: str, name: str, size_bytes: int, delivered: bool, flags: Iterable[str] = ()) -> None:
        """List a file whose bytes are not kept apart: not delivered, or inside another attachment."""
        if len(self.attachments) >= MAX_ATTACHMENTS:
            self.note("too_many_attachments")
            return
        kind = media_type(declared.lower())
        shown = safe_file_name(name, self._default_name(kind))
        self.attachments.append(
            Attachment(name=shown, declared_type=kind, size_bytes=size_bytes, delivered=delivered, flags=tuple(flags))
        )

    def list_mail(self, line: str) -> None:
        """One readable line for an attached mail (MI16)."""
        if len(self.attached_mails) < MAX_ATTACHED_MAILS:
            self.attached_mails.append(line)
        else:
            self.note("too_many_attached_mails")

    def with_inline_flags(self) -> tuple[Attachment, ...]:
        """The attachments; those an HTML part refers to by Content-ID carry the flag `inline` (MI19)."""
        referred = {unquote(found) for html in self.html for found in _REFERRED.findall(html)}
        return tuple(
            each.model_copy(update={"flags": ("inline", *each.flags)}) if each.content_id in referred else each
            for each in self.attachments
        )

    def _default_name(self, kind: str) -> str:
        subtype = kind.rpartition("/")[2]
        extension = _EXTENSIONS.get(kind) or (subtype if len(subtype) <= 4 and subtype.isalnum() else "bin")
        return f"attachment-{len(self.attachments) + 1}.{extension}"


_EXTENSIONS = {
    "image/jpeg": "jpg",
    "text/plain": "txt",
    "text/calendar": "ics",
    "application/octet-stream": "bin",
    "message/rfc822": "eml",
    "message/global": "eml",
    "message/delivery-status": "txt",
    "text/rfc822-headers": "txt",
    "application/pkcs7-signature": "p7s",
    "application/x-pkcs7-signature": "p7s",
    "application/pgp-signature": "asc",
    "application/pgp-encrypted": "txt",
    "application/pkcs7-mime": "p7m",
    "application/x-pkcs7-mime": "p7m",
    "application/ms-tnef": "dat",
    "image/svg+xml": "svg",
    "text/x-script": "txt",
}


def _content_id(value: str) -> str:
    return seen_text(value).strip("<> ")[:MAX_CONTENT_ID_CHARS]
