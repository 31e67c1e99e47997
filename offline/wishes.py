"""What the trusted part of a prompt asks of a reply: tone, language, signature. Only the system role is read here."""

import re
from dataclasses import dataclass

from offline.language import LANGUAGES
from offline.words import folded

_LANGUAGE = re.compile(
    r"(?im)\bwrite in the language of the current message \(([a-z]{2,3})[^)\n]{0,30}\)|^language: *([a-z]{2})\b"
)
_SIGNATURE = re.compile(
    r"(?im)^(?:close|end|sign)[^:\n]{0,80}\bsignature\b[^:\n]{0,80}:[ \n]?|^signature(?: template)?:[ \n]?"
)
_TONE = re.compile(r"(?im)^tone:([^\n]*)")
# A signature may hold blank lines; what follows it in a prompt begins with one of these.
_AFTER_SIGNATURE = re.compile(
    r"\n\n(?=A colleague asks for this:|The block |The user message carries|Answer with one JSON|Your last answer did)"
)
_FRIENDLY = (" friendly", " warm", " casual", " informal", " relaxed", " freundlich", " locker", " herzlich", " amical",
             " chaleureu", " decontract", " amable", " cercano", " informal")  # fmt: skip
SIGNATURE_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Wishes:
    """`language` is empty where the prompt names none of ours; `signature` is empty where there is none to add."""

    friendly: bool = False
    language: str = ""
    signature: str = ""


def wishes_in(system: str) -> Wishes:
    """The wishes of a system prompt."""
    tone = _TONE.search(system)
    return Wishes(bool(tone) and _is_friendly(tone[1] if tone else ""), _language(system), _signature(system))


def _is_friendly(tone: str) -> bool:
    words = folded(tone)
    return any(cue in words for cue in _FRIENDLY)


def _language(system: str) -> str:
    found = _LANGUAGE.search(system)
    tag = (found[1] or found[2] or "").lower() if found else ""
    return tag if tag in LANGUAGES else ""


def _signature(system: str) -> str:
    found = _SIGNATURE.search(system)
    if not found:
        return ""
    return _AFTER_SIGNATURE.split(system[found.end() :], maxsplit=1)[0].strip()[:SIGNATURE_CHARS]
