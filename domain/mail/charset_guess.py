"""Which charset unlabelled bytes are written in. `charset-normalizer` finds the script well but mixes up neighbours
(western and central European, Japanese and Korean), so each reading is also judged by how it looks as writing."""

import unicodedata

from charset_normalizer import from_bytes

SAMPLE_BYTES = 4 * 1024
_CANDIDATES = (
    "cp1252",
    "cp1250",
    "cp1251",
    "koi8_r",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "gb18030",
    "euc_jp",
    "cp932",
    "cp949",
    "big5",
    "cp874",
    "cp1257",
)
_SHARED = "„“”‘’–—…«»€°§"
_WRITINGS = {
    "cp1252": ("äöüßéèêëàâáãåæçíìîïñóòôõøœúùûÿÄÖÜÉÈÀÁÅÆÇÑÓÕØŒ¿¡£",),
    "cp1250": (
        "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ",
        "áčďéěíňóřšťúůýžäĺľôÁČĎÉĚÍŇÓŘŠŤÚŮÝŽ",
        "áéíóöőúüűÁÉÍÓÖŐÚÜŰ",
        "ăâîşţĂÂÎŞŢ",
        "čćžšđČĆŽŠĐ",
    ),
    "cp1254": ("ğışçöüâîûİŞĞÇÖÜ",),
    "cp1257": ("āčēģīķļņšūžĀČĒŠŽ", "ąčęėįšųūžĄČĘĖĮŠŲŪŽ", "äöõüšžÄÖÕÜ"),
}
_LATIN = {codec: tuple(frozenset(each + _SHARED) for each in sets) for codec, sets in _WRITINGS.items()}
_EAST_ASIAN = frozenset({"gb18030", "big5", "cp932", "euc_jp", "cp949"})
_RARE_COST = 1.0
_PREFERENCE = {"cp1252": 0.05, "cp1254": -0.02, "cp1257": -0.1, "cp1256": -0.1}


def guess_charset(raw: bytes) -> str:
    """The most plausible codec for `raw` (a sample is read), or "" if none fits. Linear in the sample."""
    sample = raw[:SAMPLE_BYTES]
    offered = dict.fromkeys((*_machine_opinion(sample), *_CANDIDATES))
    scores = {codec: _plausibility(sample, codec) for codec in offered}
    best = max(scores, key=lambda codec: scores[codec])
    return best if scores[best] > 0 else ""


def _machine_opinion(sample: bytes) -> tuple[str, ...]:
    try:
        best = from_bytes(sample, cp_isolation=list(_CANDIDATES), enable_fallback=False).best()
    except Exception:  # noqa: BLE001 - a guess of a third party; without it our own judgement stands
        return ()
    return (best.encoding,) if best is not None and best.encoding in _CANDIDATES else ()


def _plausibility(sample: bytes, codec: str) -> float:
    """Mean mark of the non-ASCII characters, -2 to 1; a reading that fails in mid-text is out."""
    try:
        text = sample.decode(codec, "strict")
    except UnicodeDecodeError as fault:
        if fault.start < len(sample) - 4 or len(sample) < SAMPLE_BYTES:
            return -2.0
        text = sample[: fault.start].decode(codec, "ignore")
    places = [place for place, char in enumerate(text) if char > "\x7f"]
    if not places:
        return 0.0
    judges = _LATIN.get(codec)
    if judges:
        total = max(sum(_latin_mark(text, place, letters) for place in places) for letters in judges)
    else:
        mark = _east_asian_mark if codec in _EAST_ASIAN else _alphabet_mark
        total = sum(mark(text, place, codec) for place in places)
    return total / len(places) + _PREFERENCE.get(codec, 0.0)


def _latin_mark(text: str, place: int, letters: frozenset[str]) -> float:
    char = text[place]
    if char in letters:
        return 0.5 if _odd_case(text, place) else 0.9
    return 0.0 if char.isalpha() or char == "\xa0" else -_RARE_COST


def _alphabet_mark(text: str, place: int, codec: str) -> float:
    """Letters of another alphabet stand among their like: beside an ASCII letter, or in odd case, they are misread."""
    char = text[place]
    if not char.isalpha() and not unicodedata.combining(char):
        return 0.2 if char in "«»„“”‘’–—…№\xa0" else -_RARE_COST
    if _beside_ascii(text, place):
        return -_RARE_COST
    return -0.5 if _odd_case(text, place) else 0.95


def _beside_ascii(text: str, place: int) -> bool:
    around = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
    return any(char.isascii() and char.isalpha() for char in around)


def _odd_case(text: str, place: int) -> bool:
    return text[place].isupper() and place > 0 and text[place - 1].islower()


def _east_asian_mark(text: str, place: int, codec: str) -> float:
    char = text[place]
    if "\u3040" <= char <= "\u30ff":
        return 1.0 if codec in ("cp932", "euc_jp") else -0.2
    if "\uac00" <= char <= "\ud7a3":
        return 1.0 if codec == "cp949" and 0xB0 <= _lead(char, "euc_kr") <= 0xC8 else -0.5
    if "\uff61" <= char <= "\uff9f" or unicodedata.category(char) in ("Co", "Cn", "Cc"):
        return -1.0
    if "\u4e00" <= char <= "\u9fff":
        return _han_mark(char, codec)
    return 0.6 if "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff5e" else -0.5


_FREQUENT_HAN = {
    "gb18030": ("gb2312", 0xB0, 0xD7),
    "big5": ("big5", 0xA4, 0xC6),
    "cp932": ("euc_jp", 0xB0, 0xCF),
    "euc_jp": ("euc_jp", 0xB0, 0xCF),
}


def _han_mark(char: str, codec: str) -> float:
    """Each national standard puts its frequent characters first, by lead byte; Korean mail hardly uses any."""
    if codec not in _FREQUENT_HAN:
        return -0.3
    charset, first, last = _FREQUENT_HAN[codec]
    return 0.8 if first <= _lead(char, charset) <= last else -0.5


def _lead(char: str, charset: str) -> int:
    try:
        return char.encode(charset)[0]
    except UnicodeEncodeError:
        return 0


def normalised_for(codec: str, text: str) -> str:
    """Vietnamese code pages write tone marks as separate characters; composed, they can be read and found."""
    return unicodedata.normalize("NFC", text) if codec == "cp1258" else text
