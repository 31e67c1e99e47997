"""The forms of a text that detectors read: as it came, with every disguise taken off, and what encoded runs decode to.

Each form keeps the way back, so that a hit in it can be shown in the original text (HX1-HX4).
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

import re2

from domain.text.characters import character_passages
from domain.text.confusable import MIXABLE, skeleton
from domain.text.decode import decoded_runs
from domain.text.fold import ONE_TO_ONE, REPLACEMENTS_MAX, SEVERAL, fold

RAW, NORMALISED, JOINED, DECODED = "raw", "normalised", "joined", "decoded"
JOINED_LETTERS_MIN = 12

_ASCII = frozenset(map(chr, range(128)))

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})++")
_QUOTED = re.compile(r"(?:=[0-9A-F]{2})++|=\r?\n")
_MIXED = re.compile(f"[A-Za-z]{MIXABLE.pattern}|{MIXABLE.pattern}[A-Za-z]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]++")
_TOKEN = re.compile(r"\w++")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u206a-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ue000-\uf8ff\U000f0000-\U0010ffff\x00-\x08\x0e-\x1f\x7f]++"
)
_SPACED = re.compile(r"(?<![^\W_])[^\W\d_](?:[ \t.\-*+,|/\xb7\u2022\n_]{1,3}+[^\W\d_](?![^\W_])){4,}+")
_BETWEEN = r"[ \t.\-*+,|/\n_]{1,3}"
_SPACED_GUARD = re2.compile(rf"\b[A-Za-z]{_BETWEEN}[A-Za-z]{_BETWEEN}[A-Za-z]{_BETWEEN}[A-Za-z]\b".encode())
_SPACED_GAP = re.compile(r"[^\w]++|_")
_LEET = re.compile(r"(?<![A-Za-z0-9@$])(?:[A-Za-z]++[0-9@$]|[0-9@$]++[A-Za-z])[A-Za-z0-9@$]*+")
_SWAPS = [str.maketrans("013457@$8", one) for one in ("oieastasb", "oleastasb", "oieasiasb")]


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Offsets of a changed text back to the text before: from `at[i]` on, add `shift[i]`."""

    at: tuple[int, ...]
    shift: tuple[int, ...]

    def back(self, offset: int) -> int:
        """The offset in the text before the change; one inside a replacement stays inside what it replaced."""
        index = bisect_right(self.at, offset)
        before = offset + self.shift[index - 1] if index else offset
        return min(before, self.at[index] + self.shift[index] - 1) if index < len(self.at) else before


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a text; `origin` leads a span of it back to the original, `base` is where a decoded run stands."""

    name: str
    text: str
    maps: tuple[OffsetMap, ...] = ()
    base: tuple[int, int] | None = None

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Character offsets in the original text for a span of this form."""
        if self.base is not None:
            return self.base
        for step in reversed(self.maps):
            start, end = step.back(start), step.back(end)
        return start, end


@dataclass(frozen=True, slots=True)
class Forms:
    """All forms of one text; `complete` is False if runs were left undecoded for their number or size."""

    forms: tuple[Form, ...]
    complete: bool = True


def forms_of(text: str, vocabulary: frozenset[str] = frozenset()) -> Forms:
    """The forms of `text`; `vocabulary` are the words on which digit-for-letter swaps are undone."""
    found = [Form(RAW, text), *_changed_forms(text, vocabulary)]
    decoded, complete = decoded_runs(text if text.isascii() else _INVISIBLE.sub("", text))
    spelled = [(run.text, (run.start, run.end)) for run in decoded]
    spelled += [(passage.text, (0, len(text))) for passage in character_passages(text)]
    for inner, base in spelled:
        plain = next(iter(_changed_forms(inner, vocabulary)), None)
        found.append(Form(DECODED, inner if plain is None else plain.text, base=base))
    return Forms(tuple(found), complete)


def _changed_forms(text: str, vocabulary: frozenset[str]) -> list[Form]:
    """The normalised form, if it differs, and the joined ones, in the order of HX2 and HX3."""
    raw = Form(RAW, text)
    form = undisguised(raw)
    runs = list(_SPACED.finditer(form.text)) if _SPACED_GUARD.search(form.text.encode(errors="replace")) else []
    joined = [Form(JOINED, _unspaced(run[0]), base=form.origin(run.start(), run.end())) for run in runs]
    form = _changed(form, _SPACED, _unspaced) if runs else form
    if vocabulary:
        form = _changed(form, _LEET, lambda token: _unswapped(token, vocabulary))
    form = _renamed(form, form.text.replace("_", " "))
    return [form][form is raw:] + [run for run in joined if max(map(len, run.text.split())) >= JOINED_LETTERS_MIN]


def _renamed(form: Form, text: str) -> Form:
    """The form with a text of the same length and offsets."""
    return form if text == form.text else Form(NORMALISED if form.name == RAW else form.name, text, form.maps)


def undisguised(form: Form, *, mail_encoding: bool = True) -> Form:
    """Entities, percent and (with `mail_encoding`) quoted-printable remains, unseen characters, look-alikes."""
    form = _unescaped(form)
    form = _substituted(form, "=", _QUOTED, _unquoted_printable) if mail_encoding else form
    return form if form.text.isascii() else _plain_letters(form)


def unwrapped(form: Form) -> Form:
    """Entities, percent escapes, unseen and wide characters taken off, letters kept: host names are told by them."""
    form = _unescaped(form)
    if form.text.isascii():
        return form
    form = _changed(form, _INVISIBLE, lambda run: "")
    if unicodedata.is_normalized("NFKC", form.text):
        return form
    return _changed(form, _NOT_ASCII, lambda run: unicodedata.normalize("NFKC", run))


def _unescaped(form: Form) -> Form:
    for _ in range(2):
        form = _substituted(form, "&", _ENTITY, html.unescape)
    return _substituted(form, "%", _PERCENT, _unquoted)


def _plain_letters(form: Form) -> Form:
    """Everything but ASCII taken off or folded; what characters there are is asked first, since mostly few are."""
    distinct = "".join(set(form.text) - _ASCII)
    if _INVISIBLE.search(distinct):
        form = _changed(form, _INVISIBLE, lambda run: "")
    if MIXABLE.search(distinct) and _MIXED.search(form.text):
        form = _changed(form, _TOKEN, skeleton)
        distinct = "".join(set(form.text) - _ASCII)
    form = _renamed(form, _translated(form.text, distinct))
    several = "".join(re.escape(character) for character in distinct if character in SEVERAL)
    return _changed(form, re.compile(f"[{several}]++"), fold) if several else form


def _translated(text: str, distinct: str) -> str:
    """One plain character for each fancy one; a few replacements beat a table that is asked for every character."""
    single = [character for character in distinct if ord(character) in ONE_TO_ONE]
    if len(single) > REPLACEMENTS_MAX:
        return text.translate(ONE_TO_ONE)
    for character in single:
        text = text.replace(character, ONE_TO_ONE[ord(character)])
    return text


def _substituted(form: Form, mark: str, pattern: re.Pattern[str], replace: Callable[[str], str]) -> Form:
    return _changed(form, pattern, replace) if mark in form.text else form


def _changed(form: Form, pattern: re.Pattern[str], replace: Callable[[str], str]) -> Form:
    """The form after replacing each match, with one more step on the way back if lengths changed."""
    pieces: list[str] = []
    at: list[int] = []
    shift: list[int] = []
    position = written = 0
    for match in pattern.finditer(form.text):
        old = match[0]
        new = replace(old)
        if new == old:
            continue
        pieces += (form.text[position:match.start()], new)
        written += match.start() - position + len(new)
        position = match.end()
        if len(new) != len(old):
            at.append(written)
            shift.append(position - written)
    if not pieces:
        return form
    pieces.append(form.text[position:])
    maps = (*form.maps, OffsetMap(tuple(at), tuple(shift))) if at else form.maps
    return _renamed(Form(form.name, form.text, maps), "".join(pieces))


def _unquoted(run: str) -> str:
    text = unquote(run, errors="replace")
    return text if text.isprintable() and "\ufffd" not in text else run


def _unquoted_printable(run: str) -> str:
    return "" if run[1] in "\r\n" else _unquoted(run.replace("=", "%"))


def _unspaced(run: str) -> str:
    """Letters set apart, joined; a gap wider than the usual one parts words."""
    gaps = _SPACED_GAP.findall(run)
    usual = min(map(len, gaps))
    return _SPACED_GAP.sub(lambda gap: " " if len(gap[0]) > usual else "", run)


def _unswapped(token: str, vocabulary: frozenset[str]) -> str:
    for swap in _SWAPS:
        word = token.lower().translate(swap)
        if word in vocabulary:
            return word
    return token
