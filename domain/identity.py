"""What an identity provider may tell us about a person, and when we believe it (OpenID Connect Core 3.1.3.7).

Whoever can forge or reuse such an answer is that person, so everything that is not exactly right is refused, with a
word for the reason.
"""

import hmac
import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

LEEWAY_S = 60
LONGEST_SUBJECT = 255
ROLES = ("viewer", "reviewer", "admin")


class IdentityRefused(Exception):
    """The provider's answer is not accepted; `why` is a stable word that the pages have a sentence for."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Identity:
    """A person as the provider knows them; the address is verified and in lower case."""

    issuer: str
    subject: str
    email: str
    name: str

    @property
    def domain(self) -> str:
        """What stands after the @."""
        return self.email.rpartition("@")[2]


def is_loopback_url(url: str) -> bool:
    """Whether an http address stays on this machine, where nobody can listen."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        return parts.scheme == "http" and (host == "localhost" or ipaddress.ip_address(host).is_loopback)
    except ValueError:
        return False


def check_claims(claims: Mapping[str, Any], *, issuer: str, client_id: str, nonce: str, now: datetime) -> None:
    """IdentityRefused unless the signed claims are for us, now, and the answer to our own question."""
    audience = claims.get("aud")
    parties = [audience] if isinstance(audience, str) else audience if isinstance(audience, list) else []
    if claims.get("iss") != issuer:
        raise IdentityRefused("issuer")
    if client_id not in parties or claims.get("azp", client_id if len(parties) == 1 else None) != client_id:
        raise IdentityRefused("audience")
    _check_times(claims, now.timestamp())
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
        raise IdentityRefused("nonce")
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
        raise IdentityRefused("subject")


def _check_times(claims: Mapping[str, Any], now_s: float) -> None:
    ends, made, begins = (_number(claims, name) for name in ("exp", "iat", "nbf"))
    if ends is None or made is None or now_s > ends + LEEWAY_S:
        raise IdentityRefused("expired")
    if max(made, begins or 0) > now_s + LEEWAY_S:
        raise IdentityRefused("clock")


def _number(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def identity_of(claims: Mapping[str, Any], issuer: str) -> Identity:
    """The person; IdentityRefused where there is no address or nobody verified it."""
    email, name = claims.get("email"), claims.get("name")
    if not isinstance(email, str) or not _is_address(email):
        raise IdentityRefused("email_missing")
    verified = claims.get("email_verified")
    if verified is not True and verified != "true":
        raise IdentityRefused("email_unverified")
    shown = name if isinstance(name, str) and name.isprintable() else ""
    return Identity(issuer, str(claims["sub"]), email.strip().lower(), shown.strip()[:100])


def _is_address(email: str) -> bool:
    local, at, domain = email.strip().rpartition("@")
    return bool(local and at and domain) and len(email) <= 320 and email.isprintable() and " " not in email.strip()


def role_of(claims: Mapping[str, Any], claim: str, roles: Mapping[str, str], otherwise: str) -> str:
    """The highest role that a value of the claim stands for, else the other one; empty means: none.

    A claim inside another is named with dots, such as `realm_access.roles`; the full name wins.
    """
    found = [roles[value] for value in _values(claims, claim) if value in roles]
    return max(found, key=ROLES.index, default=otherwise)


def _values(claims: Mapping[str, Any], claim: str) -> Sequence[str]:
    value: Any = claims.get(claim)
    if value is None:
        value = claims
        for part in claim.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    return [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)]
