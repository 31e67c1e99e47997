"""The customer's own words under our reply, so that a reader sees what is answered, and never more than a screenful.

Both texts of a mail pass through here: line ends become LF, and what no mail may carry is dropped.
"""

from datetime import UTC

from pydantic import AwareDatetime, Field

from contracts.base import Contract
from domain.reply.headers import NAME_LIMIT, one_line

QUOTE_LINES = 60
QUOTE_WIDTH = 72

_MARK = "[...]"
_READ_AT_MOST = 2 * QUOTE_LINES * QUOTE_WIDTH
_DROPPED: dict[int, str | None] = {
    **dict.fromkeys([*range(0x00, 0x09), *range(0x0B, 0x20), 0x7F]),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}


class QuotedMail(Contract):
    """The mail we answer: when and by whom it was written, and its new text."""

    sent_at: AwareDatetime | None = None
    name: str = Field(default="", description="Display name or address to show; empty if neither may be shown.")
    text: str


def plain_text(text: str) -> str:
    """`text` with LF line ends, without controls other than tab; a lone surrogate becomes U+FFFD."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_DROPPED)


def quoted(mail: QuotedMail) -> str:
    """The attribution line and at most 60 quoted lines of at most 72 characters each, ending in a line break (SE3)."""
    lines = _lines(mail.text)
    if len(lines) > QUOTE_LINES:
        lines = [*lines[: QUOTE_LINES - 1], _MARK]
    return "\n".join([attribution(mail), *(_prefixed(line) for line in lines), ""])


def attribution(mail: QuotedMail) -> str:
    """Who wrote the quoted text, and when (UTC)."""
    name = one_line(mail.name, NAME_LIMIT) or "you"
    if mail.sent_at is None:
        return f"Earlier, {name} wrote:"
    return f"On {mail.sent_at.astimezone(UTC):%Y-%m-%d at %H:%M} UTC, {name} wrote:"


def _lines(text: str) -> list[str]:
    bounded = plain_text(text[:_READ_AT_MOST]).strip("\n")
    marked = bounded + f"\n{_MARK}" * (len(text) > _READ_AT_MOST)
    return [piece for line in marked.split("\n") for piece in _wrapped(line.rstrip())]


def _wrapped(line: str) -> list[str]:
    pieces = []
    while len(line) > QUOTE_WIDTH:
        cut = line.rfind(" ", 1, QUOTE_WIDTH + 1)
        end = cut if cut > 0 else QUOTE_WIDTH
        pieces.append(line[:end].rstrip())
        line = line[end:].lstrip(" ")
    return [*pieces, line]


def _prefixed(line: str) -> str:
    return f">{line}" if line.startswith(">") or not line else f"> {line}"
