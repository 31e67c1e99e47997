"""Letters of other scripts that pass for Latin ones, folded only inside words that mix scripts (HX3)."""

import re

_LOOKALIKES = {
    # Cyrillic
    "\u0430": "a", "\u0435": "e", "\u0456": "i", "\u0457": "i", "\u0458": "j", "\u043e": "o", "\u0440": "p",
    "\u0441": "c", "\u0443": "y", "\u0445": "x", "\u0455": "s", "\u0501": "d", "\u051b": "q", "\u051d": "w",
    "\u04bb": "h", "\u04cf": "l", "\u0475": "v", "\u0461": "w", "\u043a": "k", "\u043c": "m", "\u0442": "t",
    "\u043d": "h", "\u0432": "b", "\u0433": "r", "\u043f": "n", "\u0438": "u", "\u0491": "r", "\u0437": "3",
    "\u0410": "A", "\u0412": "B", "\u0415": "E", "\u0405": "S", "\u0406": "I", "\u0408": "J", "\u041a": "K",
    "\u041c": "M", "\u041d": "H", "\u041e": "O", "\u0420": "P", "\u0421": "C", "\u0422": "T", "\u0423": "Y",
    "\u0425": "X", "\u04c0": "I", "\u050c": "G",
    # Greek
    "\u03b1": "a", "\u03b2": "b", "\u03b3": "y", "\u03b5": "e", "\u03b9": "i", "\u03ba": "k", "\u03bd": "v",
    "\u03bf": "o", "\u03c1": "p", "\u03c3": "o", "\u03c4": "t", "\u03c5": "u", "\u03c7": "x", "\u03c9": "w",
    "\u03b7": "n", "\u03bc": "u", "\u03f2": "c", "\u03f3": "j", "\u03ac": "a", "\u03ad": "e", "\u03af": "i",
    "\u03cc": "o", "\u03cd": "u", "\u0391": "A", "\u0392": "B", "\u0395": "E", "\u0396": "Z", "\u0397": "H",
    "\u0399": "I", "\u039a": "K", "\u039c": "M", "\u039d": "N", "\u039f": "O", "\u03a1": "P", "\u03a4": "T",
    "\u03a5": "Y", "\u03a7": "X", "\u03f9": "C", "\u037f": "J",
    # Armenian
    "\u0561": "w", "\u0563": "q", "\u0566": "q", "\u0570": "h", "\u0578": "n", "\u057c": "n", "\u057d": "u",
    "\u0581": "g", "\u0584": "f", "\u0585": "o", "\u056c": "l", "\u0575": "j", "\u0555": "O", "\u054d": "U",
    "\u054f": "S", "\u053c": "L",
    # Cherokee and Lisu capitals
    "\u13a0": "D", "\u13a1": "R", "\u13a2": "T", "\u13a5": "i", "\u13a9": "Y", "\u13aa": "A", "\u13ab": "J",
    "\u13ac": "E", "\u13b3": "W", "\u13b7": "M", "\u13bb": "H", "\u13c0": "G", "\u13c2": "h", "\u13c3": "Z",
    "\u13cf": "b", "\u13d2": "R", "\u13da": "S", "\u13de": "L", "\u13df": "C", "\u13e2": "P", "\u13e6": "K",
    "\ua4d0": "B", "\ua4d1": "P", "\ua4d2": "d", "\ua4d3": "D", "\ua4d4": "T", "\ua4d6": "G", "\ua4d7": "K",
    "\ua4d9": "J", "\ua4da": "C", "\ua4dc": "Z", "\ua4dd": "F", "\ua4df": "M", "\ua4e0": "N", "\ua4e1": "L",
    "\ua4e2": "S", "\ua4e3": "R", "\ua4e6": "V", "\ua4e7": "H", "\ua4ea": "W", "\ua4eb": "X", "\ua4ec": "Y",
    "\ua4ee": "A", "\ua4f0": "E", "\ua4f2": "I", "\ua4f3": "O", "\ua4f4": "U",
}
MIXABLE = re.compile("[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\ua4d0-\ua4ff]")
_LATIN = re.compile("[A-Za-z\uff21-\uff3a\uff41-\uff5a]")
_TABLE = str.maketrans(_LOOKALIKES)


def skeleton(word: str) -> str:
    """A word that mixes Latin with look-alikes in Latin only; a word in one script comes back as it is."""
    if word.isascii() or MIXABLE.search(word) is None or _LATIN.search(word) is None:
        return word
    return word.translate(_TABLE)


def latin_reading(word: str) -> str:
    """A word as an eye takes it for Latin, whatever its scripts; for comparing host names."""
    return word.translate(_TABLE)


def mixes_scripts(word: str) -> bool:
    """Whether Latin letters stand beside letters of a script that looks like Latin."""
    return MIXABLE.search(word) is not None and _LATIN.search(word) is not None
