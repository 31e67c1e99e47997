"""Mail domains in the one form in which they may be compared, and the questions that are asked of them (AM7)."""

import unicodedata
from functools import lru_cache

import idna
from publicsuffixlist import PublicSuffixList

MAX_DOMAIN_CHARS = 255
_RESERVED_SUFFIXES = frozenset({"example", "test", "invalid", "localhost", "local", "internal", "lan", "home", "onion"})
_JAPANESE = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "LATIN"})
_KOREAN = frozenset({"HANGUL", "CJK", "LATIN"})
_CHINESE = frozenset({"BOPOMOFO", "CJK", "LATIN"})


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@lru_cache(maxsize=4096)
def ascii_domain(domain: str) -> str:
    """The UTS-46 A-label form, lower case, no trailing dot; what is no valid name is only lower-cased. Never raises."""
    mapped = _mapped(domain.strip().rstrip(".")[:MAX_DOMAIN_CHARS])
    return ".".join(_ascii_label(label) for label in mapped.split("."))


def _mapped(domain: str) -> str:
    if domain.isascii():
        return domain.lower()
    try:
        return idna.uts46_remap(domain, std3_rules=False)
    except (idna.IDNAError, UnicodeError, ValueError, IndexError):
        return unicodedata.normalize("NFC", domain).lower()


def _ascii_label(label: str) -> str:
    if label.isascii():
        return label
    try:
        return idna.alabel(label).decode("ascii")
    except (idna.IDNAError, UnicodeError, ValueError, IndexError):
        return label


def shown_domain(domain: str) -> str:
    """The U-label form for people's eyes; a label that does not decode stays as it is. Never raises."""
    return ".".join(_shown_label(label) for label in ascii_domain(domain).split("."))


def _shown_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return idna.ulabel(label)
    except (idna.IDNAError, UnicodeError, ValueError, IndexError):
        return label


def is_valid_domain(domain: str) -> bool:
    """True if the A-label form could be looked up or is an address literal."""
    name = ascii_domain(domain)
    if name.startswith("[") and name.endswith("]"):
        return len(name) > 2
    labels = name.split(".")
    return len(domain) <= MAX_DOMAIN_CHARS and len(name) <= MAX_DOMAIN_CHARS and all(map(_is_valid_label, labels))


def _is_valid_label(label: str) -> bool:
    if not 0 < len(label) <= 63 or label.startswith("-") or label.endswith("-"):
        return False
    return label.isascii() and label.replace("-", "").replace("_", "").isalnum()


def has_mixed_scripts(domain: str) -> bool:
    """True if a label mixes scripts that no language writes together, as look-alike names do."""
    return any(_is_mixed(label) for label in shown_domain(domain).split(".") if not label.isascii())


def _is_mixed(label: str) -> bool:
    scripts = {_script(char) for char in label if char.isalpha()}
    return len(scripts) > 1 and not any(scripts <= together for together in (_JAPANESE, _KOREAN, _CHINESE))


def _script(char: str) -> str:
    return unicodedata.name(char, "UNKNOWN").partition(" ")[0]


@lru_cache(maxsize=4096)
def organisational_domain(domain: str) -> str:
    """The registrable domain by the public suffix list, as A-label; a suffix or a literal is its own. Never raises."""
    name = ascii_domain(domain)
    if name.startswith("[") or name.replace(".", "").isdecimal() or not is_valid_domain(name):
        return name
    return _suffixes().privatesuffix(name) or name


def has_known_suffix(host: str) -> bool:
    """True if `host` ends in a public suffix that exists, or in one reserved by RFC 2606 and its kin."""
    name = ascii_domain(host)
    last = name.rpartition(".")[2]
    return last in _RESERVED_SUFFIXES or _suffixes().publicsuffix(name, accept_unknown=False) is not None
