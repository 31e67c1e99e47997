"""Secrets and personal numbers that must not leave in a reply: keys, tokens, codes, bank and card numbers (HW5)."""

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from domain.outbound.links import find_links
from domain.outbound.numbers import find_numbers

TOKEN_LENGTH_MIN = 16
TOKEN_BITS_PER_CHARACTER_MIN = 2.8


@dataclass(frozen=True, slots=True)
class Leak:
    """A secret at `start` to `end` of the text."""

    detector: str
    start: int
    end: int


_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}+\.[A-Za-z0-9_-]{5,}+\.[A-Za-z0-9_-]*+")
_KEYS = re.compile(
    r"(?<![A-Za-z0-9_-])(?:sk-(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{20,}+|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}+"
    r"|gh[opusr]_[A-Za-z0-9]{30,}+|github_pat_[A-Za-z0-9_]{30,}+|glpat-[A-Za-z0-9_-]{18,}+"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}+|(?:AKIA|ASIA|AGPA|AIDA)[A-Z0-9]{16}(?![A-Z0-9])|AIza[A-Za-z0-9_-]{35}"
    r"|SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+"
    r"|npm_[A-Za-z0-9]{30,}+|pypi-[A-Za-z0-9_-]{30,}+|hf_[A-Za-z0-9]{30,}+|dop_v1_[a-f0-9]{40,}+|shp(?:at|ss"
    r"|ca)_[a-f0-9]{30,}+"
    r"|ya29\.[A-Za-z0-9_-]{20,}+|whsec_[A-Za-z0-9+/=]{20,}+|key-[a-f0-9]{32}(?![a-f0-9])|EAA[A-Za-z0-9]{60,}+"
    r"|(?:AC|SK)[a-f0-9]{32}(?![a-f0-9]))"
)
_SECRET_WORDS = (
    r"api[ _-]?key|api[ _-]?token|api-?schl\u00fcssel|cl[e\u00e9] (?:d')?api|clave (?:de )?api|access[ _-]?token"
    r"|secret[ _-]?key|client[ _-]?secret|auth[ _-]?token|bearer|zugangstoken|jeton d'acc\u00e8s|token de acceso|secret"
)
_PASSWORD_WORDS = (
    r"password|passwd|passcode|passphrase|passwort|kennwort|mot de passe|contrase\u00f1a|contrasena|pwd"
)
_ASSIGNED = r"\s{0,3}(?:is|are|ist|lautet|est|es|=|:|:=|=>|\u2192)\s{0,3}[:=]?\s{0,3}[\"'`\u201c\u201e\u00ab]?"
_NAMED_SECRET = re.compile(rf"(?i)\b(?:{_SECRET_WORDS})(?:{_ASSIGNED}|\s{{1,3}})([A-Za-z0-9_+/.=~-]{{16,}}+)")
_PASSWORD = re.compile(rf"(?i)\b(?:{_PASSWORD_WORDS})\b{_ASSIGNED}([^\s\"'`\u201d\u201c\u00bb]{{6,128}})")
_CODE_WORDS = (
    r"(?:verification|security|one[- ]?time|log-?in|sign-?in|confirmation|access|sms|2fa|authentication|auth"
    r"|authenticator|mfa)"
    r"[- ](?:code|pin|passcode)|otp|tan|one-?time (?:password|pin)|pin|best\u00e4tigungscode|sicherheitscode|einmalcode"
    r"|einmalpasswort|anmeldecode|zugangscode|sms-code|freischaltcode|code de (?:v\u00e9rification|s\u00e9curit\u00e9"
    r"|confirmation"
    r"|connexion)|code \u00e0 usage unique|c\u00f3digo de (?:verificaci\u00f3n|seguridad|confirmaci\u00f3n|acceso)"
)
_CODE = r"(?<![\w.,/-])(\d{3}[ -]\d{3}|\d{4,8}|[A-Z]-?\d{6})(?![\w/-]|[.,]\d)"
_CODE_AFTER = re.compile(rf"(?i)\b(?:{_CODE_WORDS})\b[^.!?\n\d]{{0,40}}{_CODE}")
_CODE_BEFORE = re.compile(rf"(?i){_CODE}[^.!?\n\d]{{0,30}}\b(?:{_CODE_WORDS})\b")
_LINK_WORDS = re.compile(
    r"(?i)reset|passw|magic|log-?in|sign-?in|verif|confirm|activat|invite|unlock|recover|one-?time|otp|sso|token|auth"
    r"|session"
)
_SECRET_PARAMETERS = re.compile(
    r"(?i)token|code|key|sig|signature|otp|hash|auth|ticket|nonce|secret|jwt|session|sid|state|t"
)


def find_leaks(text: str) -> Iterator[Leak]:
    """Every secret of `text`, detector by detector."""
    for match in _PRIVATE_KEY.finditer(text):
        yield Leak("private_key", match.start(), match.end())
    yield from _checked(text, "jwt", _JWT, is_jwt)
    yield from _checked(text, "api_key", _KEYS, lambda found: True)
    for name, pattern in (("named_secret", _NAMED_SECRET), ("password", _PASSWORD)):
        for match in pattern.finditer(text):
            if looks_secret(match[1].rstrip(".,;:!?)")):
                yield Leak(name, match.start(), match.end())
    for pattern in (_CODE_AFTER, _CODE_BEFORE):
        for match in pattern.finditer(text):
            yield Leak("one_time_code", match.start(), match.end())
    yield from _login_links(text)
    for name, start, end in find_numbers(text):
        yield Leak(name, start, end)


def _checked(text: str, name: str, pattern: re.Pattern[str], check: Callable[[str], bool]) -> Iterator[Leak]:
    for match in pattern.finditer(text):
        if check(match[0]):
            yield Leak(name, match.start(), match.end())


def is_jwt(token: str) -> bool:
    """Whether the first part of a dotted token is a JSON header (RFC 7519)."""
    header = token.partition(".")[0]
    try:
        return isinstance(json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4))), dict)
    except (ValueError, binascii.Error):
        return False


def looks_secret(value: str) -> bool:
    """Whether a value is no plain word: letters mixed with digits or signs, or too random for a language."""
    if len(value) < 6 or value.lower().startswith(("http://", "https://")):
        return False
    letters = sum(character.isalpha() for character in value)
    odd = sum(character.isdigit() or character in "!@#$%^&*+_~?=<>|" for character in value)
    return (letters > 0 and odd > 0) or _is_random(value)


def _is_random(value: str) -> bool:
    """Long, in one piece, and as varied as chosen by a machine."""
    if len(value) < TOKEN_LENGTH_MIN:
        return False
    counts = Counter(value)
    bits = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    return bits >= TOKEN_BITS_PER_CHARACTER_MIN and any(map(str.isdigit, value))


def _login_links(text: str) -> Iterator[Leak]:
    """Links that let whoever has them in: reset, magic, confirmation and signed links (A81)."""
    for link in find_links(text):
        if not link.address and link.host and carries_token(link.written):
            yield Leak("login_link", link.start, link.end)


def carries_token(url: str) -> bool:
    """Whether a link holds a secret: a random path segment behind a login word, or a random value of a telling name."""
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
    except ValueError:
        return False
    speaks_of_login = _LINK_WORDS.search(f"{parts.path}?{parts.query}") is not None
    segments = [*parts.path.split("/"), *parts.fragment.split("/")]
    if speaks_of_login and any(_is_random(segment) for segment in segments):
        return True
    pairs = [*parse_qsl(parts.query), *parse_qsl(parts.fragment)]
    return any(
        len(value) >= TOKEN_LENGTH_MIN and _is_random(value) and (speaks_of_login or _SECRET_PARAMETERS.fullmatch(name))
        for name, value in pairs
    )
