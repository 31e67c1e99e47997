"""The parts of a mail that detectors and guard must read, each by the name that evidence will show (P53, HX6)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from contracts.mail import HiddenPassage, ParsedMail
from domain.text.visible import visible_text

WINDOW_CHARACTERS = 8_000
WINDOW_OVERLAP = 1_000
WINDOWS_MAX = 16
SPLIT_SHARE_MIN = 0.95


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of a mail. `hidden`: no reader sees it; `quoted`: others wrote it; `reason`: why it is hidden."""

    place: str
    text: str
    hidden: bool = False
    quoted: bool = False
    source_message_id: str | None = None
    reason: str = ""


def parts_of(mail: ParsedMail, source_message_id: str | None = None) -> tuple[TextPart, ...]:
    """Everything in `mail` that could carry an order; `source_message_id` names a coalesced message (P51)."""
    named = [*_headers(mail), *_bodies(mail), *_files(mail)]
    visible = [TextPart(place, text, quoted=quoted, source_message_id=source_message_id)
               for place, text, quoted in named if text.strip()]
    return (*visible, *_hidden(mail, source_message_id))


def _headers(mail: ParsedMail) -> Iterator[tuple[str, str, bool]]:
    yield "subject", mail.subject, False
    if mail.from_ is not None:
        yield "display name", mail.from_.name, False
    for address in (*mail.reply_to, *mail.to, *mail.cc):
        yield "address name", address.name, False


def _bodies(mail: ParsedMail) -> Iterator[tuple[str, str, bool]]:
    known = len(mail.new_text) + len(mail.quoted_text) + len(mail.signature)
    # A split that lost text is not trusted: then the whole text is read as the sender's own.
    yield "text", mail.new_text if known >= SPLIT_SHARE_MIN * len(mail.text) else mail.text, False
    yield "quoted text", mail.quoted_text, True
    yield "signature", mail.signature, False
    if mail.html:
        shown = visible_text(mail.html).text
        if shown.split() != mail.text.split():
            yield "html", shown, False


def _files(mail: ParsedMail) -> Iterator[tuple[str, str, bool]]:
    for attachment in mail.attachments:
        yield "attachment name", attachment.name, False
    for line in mail.attached_mails:
        yield "attached mail", line, False
    for fact in mail.calendar:
        yield "calendar", fact, False


def _hidden(mail: ParsedMail, source_message_id: str | None) -> Iterator[TextPart]:
    for passage in (*mail.hidden, *mail.attribute_text):
        yield _hidden_part(passage, source_message_id)
    pieces = [passage.text for passage in mail.hidden]
    if len(pieces) > 1:
        # An order may be cut into passages that say nothing alone.
        yield TextPart("hidden text together", " ".join(pieces), True, False, source_message_id)


def _hidden_part(passage: HiddenPassage, source_message_id: str | None) -> TextPart:
    place = f"hidden ({passage.reason}) {passage.place}".strip()
    return TextPart(place, passage.text, True, False, source_message_id, passage.reason)


@dataclass(frozen=True, slots=True)
class GuardWindow:
    """What one guard call reads; `place` is stable for the same mail."""

    place: str
    text: str
    hidden: bool


def guard_windows(parts: Sequence[TextPart]) -> tuple[tuple[GuardWindow, ...], bool]:
    """Windows over every part, hidden text apart (P56); False if a tail had to stay unseen.

    Visible and hidden windows take turns, so that padding one kind can never keep the guard from the other.
    """
    lanes = [_lane(parts, hidden) for hidden in (False, True)]
    windows = [window for window in chain.from_iterable(zip_longest(*lanes)) if window is not None]
    return tuple(windows[:WINDOWS_MAX]), len(windows) <= WINDOWS_MAX


def _lane(parts: Sequence[TextPart], hidden: bool) -> list[GuardWindow]:
    name = "hidden" if hidden else "visible"
    text = _labelled(part for part in parts if part.hidden == hidden)
    return [GuardWindow(f"{name} window {number}", piece, hidden) for number, piece in enumerate(_windows(text), 1)]


def _labelled(parts: Iterable[TextPart]) -> str:
    return "\n\n".join(f"[{part.place}]\n{part.text}" for part in parts)


def _windows(text: str) -> Iterator[str]:
    step = WINDOW_CHARACTERS - WINDOW_OVERLAP
    for start in range(0, max(1, len(text) - WINDOW_OVERLAP) if text else 0, step):
        yield text[start:start + WINDOW_CHARACTERS]
