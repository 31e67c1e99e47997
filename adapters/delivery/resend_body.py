"""A finished mail as the JSON body of Resend's `POST /emails`.

Resend takes no raw mail, so the fields are read back out of the bytes that were stored. The body is a function of those
bytes alone: a repetition under the same idempotency key must be the same to the last octet (SE6).
"""

import base64
from email import message_from_bytes, policy
from email.message import EmailMessage

import orjson

from contracts.delivery import Outgoing
from contracts.errors import PermanentFault
from domain.reply.recipients import wire_address

_PASSED_ON = (
    "Message-ID",
    "In-Reply-To",
    "References",
    "Auto-Submitted",
    "X-Auto-Response-Suppress",
    "X-Deskhand-Id",
)


def resend_body(mail: Outgoing) -> bytes:
    """The request body for `mail`, always the same for the same mail.

    Raises PermanentFault if the header names other recipients than the envelope: Resend would send to the header's.
    """
    parsed = message_from_bytes(mail.raw, policy=policy.SMTP)
    to, cc = _addresses(parsed, "To"), _addresses(parsed, "Cc")
    if {*to, *cc} != {wire_address(each) for each in mail.recipients}:
        raise PermanentFault("The recipients in the header are not those of the envelope; prepare the reply again.")
    body: dict[str, object] = {
        "from": _sender(parsed),
        "to": to,
        "subject": str(parsed["Subject"]),
        "text": _text(parsed),
        "headers": {name: str(parsed[name]).strip() for name in _PASSED_ON if name in parsed},
        "tags": [{"name": "outbox_id", "value": mail.outbox_id}],
    }
    body |= {name: value for name, value in _optional(parsed, cc).items() if value}
    return orjson.dumps(body, option=orjson.OPT_SORT_KEYS)


def _optional(parsed: EmailMessage, cc: list[str]) -> dict[str, object]:
    return {"cc": cc, "reply_to": _addresses(parsed, "Reply-To"), "attachments": _attachments(parsed)}


def _addresses(parsed: EmailMessage, name: str) -> list[str]:
    return [_utf8(each.addr_spec) for each in parsed[name].addresses] if name in parsed else []


def _sender(parsed: EmailMessage) -> str:
    sender = parsed["From"].addresses[0]
    name = sender.display_name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{name}" <{_utf8(sender.addr_spec)}>' if name else _utf8(sender.addr_spec)


def _utf8(text: str) -> str:
    """UTF-8 in a header (RFC 6532) reaches us as surrogates, which JSON cannot carry."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _text(parsed: EmailMessage) -> str:
    part = parsed.get_body(("plain",))
    return str(part.get_content()).replace("\r\n", "\n") if part else ""


def _attachments(parsed: EmailMessage) -> list[dict[str, str]]:
    return [_attachment(part) for part in parsed.iter_attachments()]


def _attachment(part: EmailMessage) -> dict[str, str]:
    content = part.get_payload(decode=True)
    return {
        "filename": part.get_filename() or "attachment",
        "content": base64.b64encode(content if isinstance(content, bytes) else b"").decode(),
        "content_type": part.get_content_type(),
    }
