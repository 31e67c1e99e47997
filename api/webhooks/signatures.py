"""Signatures over raw bytes, checked in constant time and in pieces, so that a large body is never held whole (RC3,
RC15, AD3)."""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TOLERANCE_S = 300
_SECONDS = re.compile(r"[0-9]{1,15}")
_SECRET = "whsec_"
_PUBLIC = "whpk_"


@dataclass(frozen=True)
class Claim:
    """What the signature headers say. `prefix` is signed before the body; `signatures` are hex or base64 as sent."""

    timestamp: int
    prefix: bytes
    signatures: tuple[str, ...]
    event_id: str = ""


def mta_claim(headers: Mapping[str, str]) -> Claim | None:
    """`X-MTA-Signature` and `X-MTA-Timestamp`; None if one is missing or malformed."""
    stamp, signature = headers.get("x-mta-timestamp", ""), headers.get("x-mta-signature", "")
    if not _SECONDS.fullmatch(stamp) or not re.fullmatch(r"[0-9a-f]{64}", signature):
        return None
    return Claim(timestamp=int(stamp), prefix=f"{stamp}.".encode(), signatures=(signature,))


def standard_claim(headers: Mapping[str, str]) -> Claim | None:
    """Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp`, `webhook-signature`; None if malformed."""
    event_id, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    given = headers.get("webhook-signature", "")
    if not event_id or len(event_id) > 255 or not event_id.isprintable() or not _SECONDS.fullmatch(stamp):
        return None
    signatures = tuple(s for s in given.split(" ") if s.startswith(("v1,", "v1a,")))[:20]
    if not signatures:
        return None
    prefix = f"{event_id}.{stamp}.".encode("latin-1", "replace")
    return Claim(timestamp=int(stamp), prefix=prefix, signatures=signatures, event_id=event_id)


def is_fresh(claim: Claim, now: float) -> bool:
    """Within five minutes of our clock, both ways."""
    return abs(now - claim.timestamp) <= TOLERANCE_S


class BodyCheck:
    """HMACs of one body under every active secret, fed as the body arrives."""

    def __init__(self, claim: Claim, secrets: Sequence[str]) -> None:
        self.claim = claim
        self.public = [key for s in secrets if (key := _public_key(s)) is not None]
        self.macs = [hmac.new(k, claim.prefix, hashlib.sha256) for s in secrets if (k := hmac_key(s)) is not None]

    def feed(self, piece: bytes) -> None:
        """The next bytes of the body."""
        for mac in self.macs:
            mac.update(piece)

    def passes_hex(self) -> bool:
        """Does any secret give the lower-case hex signature? All are tried."""
        given = self.claim.signatures[0]
        return any([hmac.compare_digest(mac.hexdigest(), given) for mac in self.macs])

    def passes_standard(self, body: bytes | None) -> bool:
        """Does any entry of the list fit? `v1a` needs the whole body and is refused where it was too large to keep."""
        results = [self._one(signature, body) for signature in self.claim.signatures]
        return any(results)

    def _one(self, signature: str, body: bytes | None) -> bool:
        version, _, text = signature.partition(",")
        given = _decoded(text)
        if given is None:
            return False
        if version == "v1":
            return any([hmac.compare_digest(mac.digest(), given) for mac in self.macs])
        return body is not None and any([_verifies(key, given, self.claim.prefix + body) for key in self.public])


def hmac_key(secret: str) -> bytes | None:
    """The key bytes of a secret: base64 behind `whsec_`, else the text itself; None for a public key."""
    if secret.startswith(_PUBLIC):
        return None
    if secret.startswith(_SECRET):
        return _decoded(secret.removeprefix(_SECRET))
    return secret.encode()


def _public_key(secret: str) -> Ed25519PublicKey | None:
    raw = _decoded(secret.removeprefix(_PUBLIC)) if secret.startswith(_PUBLIC) else None
    return Ed25519PublicKey.from_public_bytes(raw) if raw is not None and len(raw) == 32 else None


def _verifies(key: Ed25519PublicKey, signature: bytes, message: bytes) -> bool:
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def sign_mta(secret: str, timestamp: int, body: bytes) -> str:
    """The X-MTA-Signature of a body, for senders and tests."""
    return hmac.new(hmac_key(secret) or b"", f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()


def sign_standard(secret: str, event_id: str, timestamp: int, body: bytes) -> str:
    """The webhook-signature of a body, for senders and tests."""
    mac = hmac.new(hmac_key(secret) or b"", f"{event_id}.{timestamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(mac.digest()).decode()
