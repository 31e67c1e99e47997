"""What the sender wrote anew, apart from what is quoted and signed. Nothing is deleted: the three texts stand side by
side, and whenever the split is in doubt the text stays whole (MI17, MI18).

Reading is by lines and fixed words. A reply parser of regular expressions takes quadratic time on a long line of an
attacker's choice, which this one does not.
"""

from typing import NamedTuple

from contracts.mail import Address
from domain.mail.address_list import read_address_list
from domain.mail.quote_markers import (
    ATTRIBUTION_OPENINGS,
    ATTRIBUTION_VERBS,
    FORWARD_MARKERS,
    FORWARD_PREFIXES,
    HEADER_LABELS,
    REPLY_SEPARATORS,
)
from domain.mail.signatures import split_signature

MAX_LINES = 50_000
_ATTRIBUTION_LINES = 3
_ATTRIBUTION_CHARS = 400
_BLOCK_LINES = 12
_BLOCK_LABELS = 3
_RULE_CHARS = "-_=*:>. \u00a0\u2010\u2013\u2014"


class SplitText(NamedTuple):
    """New text, quoted text and signature of one body; `forwarded` if the quoted part is a forward."""

    new: str
    quoted: str = ""
    signature: str = ""
    forwarded: bool = False


class _Marker(NamedTuple):
    """Where quoted text begins: the marker's first line, the first line after it, and whether it marks a forward."""

    start: int
    after: int
    forward: bool = False


def split_text(text: str, subject: str = "") -> SplitText:
    """Part `text` by the marks of mail programs; a `Fwd:` subject makes a header block a forward. Linear."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        return SplitText(text)
    marker = _first_marker(lines, _is_forward_subject(subject))
    head = lines[: marker.start] if marker else lines
    below = lines[marker.start :] if marker else []
    found = _split_head(head, below)
    forwarded = bool(marker and marker.forward)
    if found is None or not found.new.strip():
        return SplitText(text, forwarded=forwarded)
    return found._replace(forwarded=forwarded)


def _split_head(head: list[str], below: list[str]) -> SplitText | None:
    """Split at `>` lines; None if answers stand between the quotes."""
    quoted = [place for place, line in enumerate(head) if _is_quoted(line)]
    if not quoted:
        own = split_signature(head)
        return SplitText(_text(own.text), _text(below), _text(own.signature))
    first, last = _attribution_start(head, quoted[0]), quoted[-1]
    before, after = split_signature(head[:first]), split_signature(head[last + 1 :])
    between = _has_text(line for line in head[quoted[0] : last] if not _is_quoted(line) and not _is_attribution(line))
    if between or (_has_text(before.text) and _has_text(after.text)):
        return None
    own, other = (after, before) if _has_text(after.text) else (before, after)
    signature = own.signature + other.signature
    return SplitText(_text(own.text), _text(head[first : last + 1] + below), _text(signature))


def _text(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n").rstrip()


def _has_text(lines) -> bool:  # type: ignore[no-untyped-def]
    return any(line.strip() for line in lines)


def _is_quoted(line: str) -> bool:
    return line.lstrip(" ").startswith(">")


def _attribution_start(lines: list[str], quote: int) -> int:
    """The line at which the attribution above a quote begins; the quote itself if there is none."""
    end = quote
    while end > 0 and not lines[end - 1].strip():
        end -= 1
    for size in range(min(_ATTRIBUTION_LINES, end), 0, -1):
        if _is_window(lines, end - size, size) and is_attribution(" ".join(lines[end - size : end]), above_quote=True):
            return end - size
    return quote


def _is_window(lines: list[str], start: int, size: int) -> bool:
    """True if an attribution may be folded over these lines: none is blank, and the first begins like one."""
    window = lines[start : start + size]
    if size == 1:
        return True
    return all(line.strip() for line in window) and window[0].lstrip()[:20].casefold().startswith(ATTRIBUTION_OPENINGS)


def _first_marker(lines: list[str], forward_subject: bool) -> _Marker | None:
    """The first line from which on everything below is somebody else's text."""
    for place, line in enumerate(lines):
        if not line.strip() or _is_quoted(line):
            continue
        found = (
            _named_marker(lines, place) or _block_marker(lines, place, forward_subject) or _attribution(lines, place)
        )
        if found is not None:
            return found
    return None


def _named_marker(lines: list[str], place: int) -> _Marker | None:
    line = lines[place]
    if len(line) > 200:
        return None
    words = line.strip(_RULE_CHARS).casefold()
    is_set_off = line.strip()[:2] in ("--", "__", "==", "**") or line.rstrip().endswith(":")
    if words in FORWARD_MARKERS and is_set_off:
        return _Marker(place, place + 1, forward=True)
    return _Marker(place, place + 1) if words in REPLY_SEPARATORS and is_set_off else None


def _block_marker(lines: list[str], place: int, forward_subject: bool) -> _Marker | None:
    """A block of From, Sent, To, Subject as Outlook writes it, with or without a rule above."""
    if header_label(lines[place]) != "from":
        return None
    labels = [header_label(line) for line in lines[place : place + _BLOCK_LINES]]
    kinds = {label for label in labels if label}
    if len(kinds) < _BLOCK_LABELS or not kinds & {"date", "subject"}:
        return None
    last = max(offset for offset, label in enumerate(labels) if label)
    return _Marker(_rule_above(lines, place), place + last + 1, forward=forward_subject)


def _rule_above(lines: list[str], place: int) -> int:
    above = place - 1
    while above >= 0 and place - above <= 2 and not lines[above].strip():
        above -= 1
    is_rule = above >= 0 and len(lines[above].strip()) >= 5 and not lines[above].strip(_RULE_CHARS)
    return above if is_rule else place


def header_label(line: str) -> str:
    """The kind of a header line in a quoted block (`from`, `date`, `to`, `subject`, `cc`), or ""."""
    head, colon, _ = line[:60].partition(":")
    return HEADER_LABELS.get(head.strip(" *_>\u00a0\t").casefold(), "") if colon else ""


def _attribution(lines: list[str], place: int) -> _Marker | None:
    """An attribution without `>` below it: everything that follows is the quote, as HTML mail leaves it."""
    for size in range(1, _ATTRIBUTION_LINES + 1):
        if not _is_window(lines, place, size) or not is_attribution(" ".join(lines[place : place + size])):
            continue
        following = next((line for line in lines[place + size : place + size + 5] if line.strip()), "")
        return None if _is_quoted(following) else _Marker(place, place + size)
    return None


def _is_attribution(line: str) -> bool:
    return is_attribution(line, above_quote=True)


def is_attribution(text: str, above_quote: bool = False) -> bool:
    """True for `On ... wrote:` and its kin. Directly above a quote a line with the verb is enough; elsewhere it needs a
    date or address and the opening words."""
    folded = " ".join(text[: _ATTRIBUTION_CHARS + 1].split()).casefold()
    if len(text) > _ATTRIBUTION_CHARS or not folded.endswith(":"):
        return False
    has_verb = any(verb in folded for verb in ATTRIBUTION_VERBS)
    has_address = "@" in folded and any(map(str.isdecimal, folded))
    if above_quote:
        return has_verb or has_address
    dated = any(map(str.isdecimal, folded)) and (folded.startswith(ATTRIBUTION_OPENINGS) or "@" in folded)
    return dated and (has_verb or ("@" in folded and folded[:4].isdecimal()))


def _is_forward_subject(subject: str) -> bool:
    return subject.partition(":")[0].strip().casefold() in FORWARD_PREFIXES and ":" in subject


def original_sender(text: str) -> Address | None:
    """The From of the first quoted header block in `text`, for a forward by a colleague (MI17, C18)."""
    lines = text.split("\n", MAX_LINES)[:MAX_LINES]
    for line in lines:
        if header_label(line) == "from":
            found = read_address_list(line.partition(":")[2].strip(" *\u00a0")).addresses
            return found[0] if found and "@" in found[0].address else None
    return None
