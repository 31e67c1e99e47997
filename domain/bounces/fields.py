"""The groups of fields inside machine-readable report parts (RFC 3464, RFC 5965, RFC 8098), read so leniently that
broken transfer encodings, stray blank lines and comments do not hide them."""

import base64
import binascii
import quopri
import re
from collections.abc import Iterator
from email.message import Message

Fields = dict[str, list[str]]
MAX_GROUPS = 200
_FIELD = re.compile(r"([A-Za-z0-9-]{1,80})[ \t]{0,8}:(.*)", re.DOTALL)
_STATUS = re.compile(r"(?<![0-9.])([245]\.[0-9]{1,3}\.[0-9]{1,3})(?![0-9.])")
_REPLY_CODE = re.compile(r"(?<![0-9.])([245])[0-5][0-9](?![0-9.])")
_TYPED = re.compile(r"[A-Za-z0-9-]{1,40}[ \t]{0,8};(.*)", re.DOTALL)


def field_groups(part: Message) -> Iterator[Fields]:
    """The groups of a report part, each a map from lower-case name to values; empty groups are left out."""
    group: Fields = {}
    count = 0
    for line in (*_unfolded(_text(part)), ""):
        found = _FIELD.fullmatch(line)
        if found:
            group.setdefault(found[1].lower(), []).append(" ".join(found[2].split()))
        elif not line.strip() and group:
            yield group
            group, count = {}, count + 1
        if count >= MAX_GROUPS:
            return


def first(fields: Fields, *names: str) -> str:
    """The first non-empty value among these fields, in the order of the names."""
    return next((value for name in names for value in fields.get(name, ()) if value), "")


def typed_value(value: str) -> str:
    """The value of `type; value` without type and angle brackets, as in `rfc822; user@example.org`."""
    found = _TYPED.fullmatch(value)
    return (found[1] if found else value).strip().strip("<>").strip()


def status_code(*values: str) -> str:
    """The first enhanced status code in these texts, else the class of an SMTP reply code as `5.0.0`, else empty."""
    for value in values:
        if found := _STATUS.search(value):
            return found[1]
    for value in values:
        if found := _REPLY_CODE.search(value):
            return f"{found[1]}.0.0"
    return ""


def _unfolded(text: str) -> Iterator[str]:
    """Logical lines: continuation lines joined to the line they continue."""
    pending: list[str] = []
    for line in text.splitlines():
        if line[:1] in (" ", "\t") and line.strip() and pending:
            pending.append(line)
            continue
        yield "".join(pending)
        pending = [line]
    yield "".join(pending)


def _text(part: Message) -> str:
    """The part's text again, whatever the parser made of it, with its transfer encoding undone."""
    payload = part.get_payload()
    blocks = payload if isinstance(payload, list) else [payload]
    text = "\n\n".join(_block_text(block) for block in blocks)
    return _decoded(text, str(part.get("Content-Transfer-Encoding", "")).strip().lower())


def _block_text(block: object) -> str:
    if not isinstance(block, Message):
        return str(block)
    headers = "\n".join(f"{name}: {value}" for name, value in block.raw_items())
    inner = block.get_payload(decode=True)
    return f"{headers}\n\n{inner.decode('utf-8', 'surrogateescape')}" if isinstance(inner, bytes) else headers


def _decoded(text: str, encoding: str) -> str:
    data = text.encode("utf-8", "surrogateescape")
    try:
        if encoding == "base64":
            data = base64.b64decode(b"".join(data.split()))
        elif encoding == "quoted-printable":
            data = quopri.decodestring(data)
    except binascii.Error:
        pass
    return data.decode("utf-8", "replace")
