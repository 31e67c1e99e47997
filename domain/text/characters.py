"""Characters no reader sees: taken out, decoded where they spell a message, kept where a script needs them."""

import re
from dataclasses import dataclass

from contracts.mail import HiddenPassage

REASON = "characters"
IN_WORD_MIN = 3
IN_WORDS = "zero-width characters in words"
DECODED_MIN = 4

_ZERO_WIDTH = "\u180e\u200b\u200c\u200d\u2060\ufeff"
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_BIDI_MARKS = "\u061c\u200e\u200f"
_ISOLATES = "\u2066-\u2069"
_INVISIBLE = (
    f"\u00ad{_ZERO_WIDTH}{_FILLERS}{_BIDI_MARKS}{_ISOLATES}"
    "\u202a-\u202e\u2061-\u2064\u206a-\u206f\ufe00-\ufe0f\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ue000-\uf8ff\U000f0000-\U0010ffff\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"
)
_RUN = re.compile(f"[{_INVISIBLE}]++")
_SURROGATES = re.compile("[\ud800-\udfff]")
_TAG_RUN = re.compile("[\U000e0000-\U000e007f]++")
_FLAG = re.compile("\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
                   "|\U000e0077\U000e006c\U000e0073)\U000e007f")
_SELECTORS = re.compile("[\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_IN_WORD_MARK = re.compile(f"[{_ZERO_WIDTH}\u2061-\u2064]")
_BITS = re.compile(f"[{_ZERO_WIDTH}\u2061-\u2064]{{16,}}")
_REVERSED = re.compile("\u202e([^\u202c\n]*+)")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_LETTER = re.compile(r"[^\W\d_]")
_EMOJI = re.compile("[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff\U000e007f\ufe0f]")
_JOINING = re.compile("[\u0600-\u06ff\u0700-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\u1b00-\u1bff\ua840-\ua87f"
                      "\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U00011fff\U0001e900-\U0001e95f]")
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MARKED_WORD = re.compile(f"(?:\\w|[{_ZERO_WIDTH}\u2061-\u2064\U000e0000-\U000e007f])++")
_IN_WORD = re.compile(f"(?<=[^\\W\\d_])[{_ZERO_WIDTH}\u2061-\u2064]++(?=[^\\W\\d_])")


@dataclass(frozen=True, slots=True)
class CleanText:
    """`text` without invisible characters, and `hidden`, what they spelled."""

    text: str
    hidden: tuple[HiddenPassage, ...] = ()


def without_surrogates(text: str) -> str:
    """`text` with lone surrogates, which no encoder takes, as replacement characters; offsets stay."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text


def clean_characters(text: str, place: str = "") -> CleanText:
    """Removes and decodes the `characters` row of HV2, except the joiners, selectors and isolates that HV4 spares."""
    if _RUN.search(text) is None:
        return CleanText(text)
    rtl = _RIGHT_TO_LEFT.search(text) is not None
    kept = _RUN.sub(lambda run: _kept(text, run, rtl), text)
    return CleanText(kept, character_passages(text, place))


def character_passages(text: str, place: str = "") -> tuple[HiddenPassage, ...]:
    """What the invisible characters of `text` spell, each kind as one passage."""
    if text.isascii():
        return ()
    kinds = "".join(set(text))
    found = [
        ("tag characters", _decoded_tags(text) if _TAG_RUN.search(kinds) else ""),
        ("variation selectors", _decoded_selectors(text) if _SELECTORS.search(kinds) else ""),
        ("zero-width bits", _decoded_bits(text) if _IN_WORD_MARK.search(kinds) else ""),
        ("reversed text", _unreversed(text) if "\u202e" in text else ""),
        (IN_WORDS, _marked_words(text) if zero_widths_in_words(text) >= IN_WORD_MIN else ""),
    ]
    return tuple(
        HiddenPassage(reason=REASON, text=hidden, place=f"{place}: {kind}" if place else kind)
        for kind, hidden in found if hidden
    )


def zero_widths_in_words(text: str) -> int:
    """How many zero-width characters stand between letters of scripts that have no use for them (P54)."""
    if text.isascii() or _IN_WORD_MARK.search("".join(set(text))) is None:
        return 0
    return sum(
        len(run[0]) for run in _IN_WORD.finditer(text)
        if not _JOINING.match(text, run.start() - 1) and not _JOINING.match(text, run.end())
    )


def has_tag_characters(text: str) -> bool:
    """Whether tag characters stand anywhere but in a flag (P54)."""
    return not text.isascii() and any(
        not _is_flag(text, run) for run in _TAG_RUN.finditer(text)
    )


def _is_flag(text: str, run: re.Match[str]) -> bool:
    return text[run.start() - 1:run.start()] == "\U0001f3f4" and _FLAG.fullmatch(run[0]) is not None


def _kept(text: str, run: re.Match[str], rtl: bool) -> str:
    """What stays of one run of invisible characters."""
    before = text[run.start() - 1] if run.start() else ""
    after = text[run.end():run.end() + 1]
    characters = run[0]
    if characters[0] == "\U000e0067" and before == "\U0001f3f4" and _FLAG.fullmatch(characters):
        return characters
    if _JOINING.match(before) and len(characters) <= 2:
        return "".join(character for character in characters if character in "\u200c\u200d\u180e")
    if characters in ("\ufe0f\u200d", "\u200d") and _EMOJI.match(before) and _EMOJI.match(after):
        return characters
    if len(characters) == 1 and _is_selector_in_place(before, characters, after):
        return characters
    if characters == "\uf0b7":
        return "\u2022"
    return "".join(c for c in characters if "\u2066" <= c <= "\u2069" or c in _BIDI_MARKS) if rtl else ""


def _is_selector_in_place(before: str, selector: str, after: str) -> bool:
    if selector in "\ufe0e\ufe0f":
        return bool(_EMOJI.match(before)) or (before in tuple("#*0123456789") and after == "\u20e3")
    return bool(_IDEOGRAPH.match(before)) and "\U000e0100" <= selector <= "\U000e01ef"


def _decoded_tags(text: str) -> str:
    """Tag characters outside flags as the ASCII they copy; a lone control tag shows as a replacement mark."""
    runs = [run[0] for run in _TAG_RUN.finditer(text) if not _is_flag(text, run)]
    letters = "".join(chr(ord(c) - 0xE0000) for run in runs for c in run if 0xE0020 <= ord(c) < 0xE007F)
    return letters or ("\ufffd" if runs else "")


def _decoded_selectors(text: str) -> str:
    """Variation selectors as the bytes 0-255 they can carry; empty unless these make readable text."""
    codes = [ord(found[0]) for found in _SELECTORS.finditer(text)]
    return _readable(bytes(code - 0xFE00 if code < 0xE0000 else code - 0xE0100 + 16 for code in codes))


def _readable(data: bytes) -> str:
    decoded = data.decode("utf-8", errors="replace")
    printable = sum(character.isprintable() and character != "\ufffd" for character in decoded)
    return decoded if printable >= DECODED_MIN and printable >= 0.8 * len(decoded) else ""


def _decoded_bits(text: str) -> str:
    """Runs of two zero-width characters as bits, eight to a byte, in either sense."""
    found = []
    for run in _BITS.finditer(text):
        kinds = sorted(set(run[0]))
        for one in kinds if len(kinds) == 2 else ():
            bits = "".join("1" if character == one else "0" for character in run[0])
            found.append(_readable(bytes(int(bits[at:at + 8], 2) for at in range(0, len(bits) - 7, 8))))
    return " ".join(filter(None, found))


def _unreversed(text: str) -> str:
    """What a reader sees of text behind a right-to-left override."""
    return " ".join(span[1][::-1] for span in _REVERSED.finditer(text) if _LETTER.search(span[1]))


def _marked_words(text: str) -> str:
    """The words that hold zero-width characters, with them, so that a detector can count again."""
    return " ".join(word[0] for word in _MARKED_WORD.finditer(text) if _IN_WORD.search(word[0]))
