"""Host names as they must be compared: A-labels, organisational domains, and tricks to look like another."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import idna
from publicsuffixlist import PublicSuffixList
from rapidfuzz.distance import OSA

from domain.text.confusable import latin_reading, mixes_scripts
from domain.text.fold import fold

RESERVED_SUFFIXES = frozenset("example test invalid localhost local internal lan home corp onion alt".split())
IMITATED_LETTERS_MIN = 5
NEAR_LETTERS_MIN = 6
_DOTS = re.compile("[\u3002\uff0e\uff61]")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_LURES = frozenset(
    "login signin secure security account accounts verify verification support service update auth billing payment"
    " confirm wallet online portal help mail webmail konto anmelden sicherheit kunden compte connexion cuenta".split()
)


@dataclass(frozen=True, slots=True)
class Host:
    """A host in A-label form, with the reasons why no link to it may pass unseen (HL4); empty `name` if unreadable."""

    name: str
    defects: tuple[str, ...] = ()


def has_invisible(text: str) -> bool:
    """Whether zero-width, bidi or other unseen characters stand in `text`."""
    return _INVISIBLE.search(text) is not None


def parse_host(raw: str) -> Host:
    """Reads a host as a browser would and names every disguise in it."""
    defects: list[str] = []
    if _INVISIBLE.search(raw):
        defects.append("invisible_characters")
    if "%" in raw:
        defects.append("percent_encoded_host")
    if any(ord(character) < 33 or character == "\\" for character in raw):
        defects.append("control_characters")
    host = _DOTS.sub(".", _INVISIBLE.sub("", raw)).lower()
    if host.startswith("[") or _NUMERIC.fullmatch(host.rstrip(".")):
        return Host(host.strip("[]."), (*defects, "ip_host"))
    if host.endswith("."):
        defects.append("trailing_dot")
    name = a_label(host.rstrip("."))
    if not name or any(label.startswith("xn--") and _decoded(label) == label for label in name.split(".")):
        defects.append("unreadable_host")
    if any(mixes_scripts(label) for label in u_label(name or host).split(".")):
        defects.append("mixed_scripts")
    if "." not in host.strip("."):
        defects.append("single_label")
    return Host(name, tuple(defects))


def a_label(host: str) -> str:
    """The host in lower-case A-label form after UTS 46; empty if it is no valid host name."""
    try:
        name = idna.encode(host, uts46=True).decode().lower() if not host.isascii() else host.lower()
    except (idna.IDNAError, UnicodeError):
        return ""
    labels = name.split(".")
    return name if len(name) <= 253 and all(_LABEL.fullmatch(label) for label in labels) else ""


def u_label(host: str) -> str:
    """The host as people read it; labels that do not decode stay as they are."""
    return ".".join(_decoded(label) for label in host.split("."))


def _decoded(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return idna.decode(label)
    except (idna.IDNAError, UnicodeError):
        return label


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False)


def has_public_suffix(host: str) -> bool:
    """Whether the host ends in a suffix that mail clients turn into a link; reserved test names count."""
    name = host.lower().rstrip(".")
    return name.rpartition(".")[2] in RESERVED_SUFFIXES or _suffixes().publicsuffix(name) is not None


def organisational_domain(host: str) -> str:
    """The registrable domain of a host; the last two labels where the suffix is unknown."""
    name = host.lower().rstrip(".")
    if name.rpartition(".")[2] not in RESERVED_SUFFIXES:
        private = _suffixes().privatesuffix(name)
        if private:
            return str(private)
    return ".".join(name.split(".")[-2:])


def main_label(host: str) -> str:
    """The label a person recognises, such as `shop` in `www.shop.co.uk`."""
    return organisational_domain(host).partition(".")[0]


def lookalike_of(host: str, protected: Iterable[str], *, near: bool = False) -> str:
    """The protected domain that `host` passes itself off as; empty if none. All in A-label form.

    With `near`, a name one letter away counts too: right for our own domains, too much for the names of big firms.
    """
    domain = organisational_domain(host)
    names = {organisational_domain(name) for name in protected}
    if domain in names:
        return ""
    return next((name for name in sorted(names) if _imitates(host, name, near)), "")


def _imitates(host: str, protected: str, near: bool) -> bool:
    if f".{protected}." in f".{host}":
        return True
    own, wanted = main_label(host), main_label(protected)
    if own == wanted or len(wanted) < IMITATED_LETTERS_MIN:
        return False
    seen = _skeleton(u_label(own))
    if seen == _skeleton(wanted):
        return True
    if near and len(wanted) >= NEAR_LETTERS_MIN and OSA.distance(u_label(own), wanted, score_cutoff=1) == 1:
        return True
    words = set(re.split(r"[-.]", host))
    return wanted in words and bool(words & _LURES)


def _skeleton(label: str) -> str:
    """What a hasty eye reads: look-alike letters, digits for letters, rn for m."""
    plain = fold(latin_reading(label)).translate(str.maketrans("01357$", "olest" + "s"))
    return plain.replace("rn", "m").replace("vv", "w").replace("i", "l")
