"""Bytes to text. Labels lie, so a declared charset is only the first of several readings, and the one that was used is
recorded together with the number of characters it could not read (MI4)."""

import codecs
import re
from encodings.aliases import aliases
from functools import lru_cache
from typing import NamedTuple

from domain.mail.charset_guess import guess_charset, normalised_for

DETECTION_MIN_BYTES = 64
FALLBACK = "windows-1252"
_REPLACEMENT = "\ufffd"
_LABEL_JUNK = re.compile(r"[^a-z0-9]+")
_REFUSED = frozenset({"unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined", "mbcs", "oem", "palmos"})
_MISBRANDED_WINDOWS = {"latin_1": "cp1252", "iso8859_1": "cp1252", "iso8859_9": "cp1254"}
_SUPERSETS = {
    **_MISBRANDED_WINDOWS,
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "tis_620": "cp874",
    "iso8859_11": "cp874",
    "big5": "cp950",
    "iso2022_jp": "iso2022_jp_2",
}
_ALIASES = {
    "ks_c_5601": "cp949",
    "ks_c_5601_1987": "cp949",
    "ksc5601": "cp949",
    "x_euc_kr": "cp949",
    "iso_8859_8_i": "iso8859_8",
    "iso_8859_8_e": "iso8859_8",
    "iso_8859_6_i": "iso8859_6",
    "logical": "iso8859_8",
    "visual": "iso8859_8",
    "x_gbk": "gb18030",
    "gb_2312_80": "gb18030",
    "x_sjis": "cp932",
    "x_ms_cp932": "cp932",
    "windows_31j": "cp932",
    "x_euc_jp": "euc_jp",
    "big5_hkscs": "big5hkscs",
    "cn_big5": "cp950",
    "x_x_big5": "cp950",
    "x_mac_roman": "mac_roman",
    "macintosh": "mac_roman",
    "x_mac_cyrillic": "mac_cyrillic",
    "x_user_defined": "cp1252",
    "ansi_x3_110_1983": "latin_1",
    "unicode_1_1_utf_7": "utf_7",
    "x_unicode_2_0_utf_7": "utf_7",
    "mac": "mac_roman",
    "iso_2022_jp_ms": "iso2022_jp_ext",
    "cp50220": "iso2022_jp_ext",
    "utf8mb4": "utf_8",
    "unicode_1_1_utf_8": "utf_8",
    "ansi": "cp1252",
    "win_1252": "cp1252",
    "dos_850": "cp850",
    "koi": "koi8_r",
    "koi8": "koi8_r",
    "tis620": "cp874",
    "iso_ir_149": "cp949",
    "dos_862": "cp862",
}
_UNLISTED = frozenset(
    {"koi8_u", "koi8_t", "utf_8_sig", "cp720", "cp737", "cp856", "cp874", "cp875", "cp1006", "mac_croatian"}
)
_KNOWN = (
    _UNLISTED
    | frozenset(aliases.values())
    | frozenset(aliases)
    | frozenset(_ALIASES.values())
    | frozenset(_SUPERSETS.values())
)
_SINGLE_BYTE = re.compile(
    r"(?:cp(?:125\d|4\d\d|7\d\d|8\d\d|1006|1026|1125)|iso8859_\d+|latin_1|mac_\w+|koi8_\w|cp874|ptcp154)$"
)


class Decoded(NamedTuple):
    """Text, the charset that was used, and how many characters could not be read."""

    text: str
    charset: str
    replacements: int = 0


@lru_cache(maxsize=512)
def codec_for(label: str) -> str:
    """The Python codec for a charset label as found in mail, or "" if there is none that may be used."""
    name = _LABEL_JUNK.sub("_", label[:60].lower()).strip("_")
    name = _ALIASES.get(name) or _spelt_otherwise(name)
    return _SUPERSETS.get(name, name) if name and name not in _REFUSED and _is_text_codec(name) else ""


def _spelt_otherwise(name: str) -> str:
    bare = name.removeprefix("x_").removeprefix("cs")
    forms = (name, aliases.get(name, ""), bare, aliases.get(bare, ""), bare.replace("_", ""), _run_together(bare))
    return next((aliases.get(form, form) for form in forms if form in _KNOWN), "")


def _run_together(name: str) -> str:
    """`cp_850`, `windows1252`, `iso88591` and `iso_8859_1` are one family of spellings."""
    bare = name.replace("_", "")
    for prefix, codec in (("windows", "cp"), ("win", "cp"), ("ibm", "cp"), ("cp", "cp")):
        if bare.startswith(prefix) and bare[len(prefix) :].isdecimal():
            return codec + bare[len(prefix) :]
    return f"iso8859_{bare[7:]}" if bare.startswith("iso8859") and bare[7:].isdecimal() else bare


def _is_text_codec(name: str) -> bool:
    try:
        return codecs.lookup(name)._is_text_encoding
    except (LookupError, ValueError, ImportError):
        return False


def decode_bytes(raw: bytes, declared: str = "", detect: bool = True) -> Decoded:
    """`raw` as text: declared charset, UTF-8, detection on 64 bytes or more, windows-1252 with replacement (MI4).

    Detection costs about a millisecond; without `detect` it is left out.
    """
    codec = codec_for(declared) if declared else ""
    for reading in (_by_mark, _declared, _seven_bit_escapes, _utf8, *[_guessed] * detect):
        found = reading(raw, codec)
        if found is not None:
            return found
    text = raw.decode("cp1252", "replace")
    return Decoded(text, FALLBACK, text.count(_REPLACEMENT))


def _by_mark(raw: bytes, codec: str) -> Decoded | None:
    if raw.startswith(codecs.BOM_UTF8):
        return _mostly(raw[3:], "utf_8")
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and (not codec or codec.startswith("utf_16")):
        return _mostly(raw, "utf_16")
    return None


def _declared(raw: bytes, codec: str) -> Decoded | None:
    """The declared reading; a one-byte charset over bytes that are well-formed UTF-8 is a wrong label."""
    if not codec:
        return None
    if raw.isascii() and not _is_stateful(codec):
        return (
            Decoded(raw.decode("ascii"), _shown(codec))
            if not codec.startswith(("utf_16", "utf_32"))
            else _mostly(raw, codec)
        )
    if _SINGLE_BYTE.match(codec) and (utf8 := _strict(raw, "utf_8")) is not None:
        return utf8
    return _mostly(raw, codec)


def _is_stateful(codec: str) -> bool:
    return codec.startswith("iso2022") or codec in ("hz", "utf_7") or codec.startswith("cp") and codec in _EBCDIC


_EBCDIC = frozenset({"cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140"})


def _seven_bit_escapes(raw: bytes, codec: str) -> Decoded | None:
    """Undeclared ISO-2022: plain ASCII but for its escape sequences."""
    if b"\x1b$" not in raw:
        return None
    return _mostly(raw, "iso2022_kr" if b"\x1b$)C" in raw else "iso2022_jp_2")


def _utf8(raw: bytes, codec: str) -> Decoded | None:
    return _mostly(raw, "utf_8")


def _guessed(raw: bytes, codec: str) -> Decoded | None:
    if len(raw) < DETECTION_MIN_BYTES:
        return None
    guess = guess_charset(raw)
    return _mostly(raw, guess) if guess else None


def _strict(raw: bytes, codec: str) -> Decoded | None:
    try:
        return Decoded(raw.decode(codec), _shown(codec))
    except (UnicodeError, ValueError, LookupError):
        return None


def _mostly(raw: bytes, codec: str) -> Decoded | None:
    """The strict reading, or a lenient one if enough non-ASCII could be read: half in UTF-8, otherwise four fifths."""
    found = _strict(raw, codec) or _lenient(raw, codec)
    if found is None:
        return None
    return found._replace(text=normalised_for(codec, found.text.removeprefix("\ufeff")))


def _lenient(raw: bytes, codec: str) -> Decoded | None:
    try:
        text = raw.decode(codec, "replace")
    except (UnicodeError, ValueError, LookupError):
        return None
    bad = text.count(_REPLACEMENT)
    foreign = len(text) - len(text.encode("ascii", "ignore")) - bad
    return Decoded(text, _shown(codec), bad) if foreign >= bad * (1 if codec == "utf_8" else 4) else None


def _shown(codec: str) -> str:
    if codec.startswith("cp125"):
        return f"windows-{codec[2:]}"
    spelt = codec.replace("iso8859_", "iso_8859_").replace("iso2022_", "iso_2022_").replace("_", "-")
    return "iso-2022-jp" if spelt.startswith("iso-2022-jp") else spelt
