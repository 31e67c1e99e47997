"""Folding to the plain letters that phrases are written in: no case, no accents, no typographic variants (HX2)."""

import unicodedata

_SMALL_CAPITALS = {
    "\u026a": "i", "\u1d00": "a", "\u0299": "b", "\u1d04": "c", "\u1d05": "d", "\u1d07": "e", "\ua730": "f",
    "\u0262": "g", "\u029c": "h", "\u1d0a": "j", "\u1d0b": "k", "\u029f": "l", "\u1d0d": "m", "\u0274": "n",
    "\u1d0f": "o", "\u1d18": "p", "\u0280": "r", "\ua731": "s", "\u1d1b": "t", "\u1d1c": "u", "\u1d20": "v",
    "\u1d21": "w", "\u028f": "y", "\u1d22": "z", "\u0251": "a", "\u0261": "g", "\u0131": "i", "\u0142": "l",
    "\u00f8": "o", "\u0111": "d",
}
_PUNCTUATION = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u00b4\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00b7", "-"),
    **dict.fromkeys("\u2028\u2029", "\n"), "\u2022": "*", "\u2026": " ",
}
REPLACEMENTS_MAX = 60
_ASCII = frozenset(map(chr, range(128)))
_RANGES = (
    (0xA0, 0x370), (0x1D00, 0x1DC0), (0x1E00, 0x1F00), (0x2000, 0x2213), (0x2460, 0x2500), (0x3000, 0x3001),
    (0xA720, 0xA780), (0xFB00, 0xFB07), (0xFF01, 0xFFEF), (0x1D400, 0x1D800), (0x1F100, 0x1F200),
)
_ALPHABETS = (0x1F1E6, 0x1F170)
"""Where regional indicators and negative squared letters begin, which have no compatibility form."""


def fold(text: str) -> str:
    """`text` with compatibility forms resolved (NFKC), case-folded, without accents."""
    if text.isascii():
        return text.lower()
    fancy = set(text) - _ASCII
    if len(text) > 4 * len(fancy) and len(fancy) <= REPLACEMENTS_MAX:
        # Long texts hold few different letters: a handful of replacements beats a look at every character.
        for character in fancy:
            text = text.replace(character, _folded(character))
        return text.lower()
    return _folded(text)


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(map(_plain, decomposed))


def _plain(character: str) -> str:
    if unicodedata.combining(character):
        return ""
    if character.isspace() and character not in "\n\r\t\u2028\u2029":
        return " "
    for first in _ALPHABETS:
        if first <= ord(character) < first + 26:
            return chr(ord("a") + ord(character) - first)
    return _SMALL_CAPITALS.get(character) or _PUNCTUATION.get(character, character)


def _tables() -> tuple[dict[int, str], frozenset[str]]:
    """Characters that fold to one plain character, and those that fold to none or several."""
    single: dict[int, str] = {}
    several: list[str] = []
    for code in (code for low, high in _RANGES for code in range(low, high)):
        plain = "".join(_PUNCTUATION.get(chr(code), fold(chr(code))))
        if plain.isascii() and len(plain) == 1:
            single[code] = plain
        elif plain.isascii():
            several.append(chr(code))
    return single, frozenset(several)


ONE_TO_ONE, SEVERAL = _tables()
"""A table for `str.translate` that keeps every offset, and what is left to `fold`: ligatures, sharp s, accents."""
