"""A mark on every mail we send, so that we know it again when it comes back. Its MAC keeps strangers from having
their mail held as ours, or a bounce believed, by writing the header themselves."""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable

MARKER_HEADER = "X-Deskhand-Id"
MAC_BYTES = 16
_MARKER = re.compile(r"([0-9A-Za-z][0-9A-Za-z_-]{0,63})\.([A-Za-z2-7]{26})")


def sent_marker(key: bytes, outbox_id: str) -> str:
    """The value of X-Deskhand-Id for one outbox row: `<outbox id>.<128-bit MAC in base32>`."""
    return f"{outbox_id}.{_mac_text(key, outbox_id)}"


def verify_marker(keys: Iterable[bytes], value: str) -> str | None:
    """The outbox id of a genuine marker, or None. All keys are tried; letter case of the MAC does not matter."""
    found = _MARKER.fullmatch(value.strip())
    if found is None:
        return None
    matches = [hmac.compare_digest(_mac_text(key, found[1]), found[2].lower()) for key in keys]
    return found[1] if any(matches) else None


def _mac_text(key: bytes, outbox_id: str) -> str:
    mac = hmac.new(key, b"sent-marker\0" + outbox_id.encode(), hashlib.sha256).digest()[:MAC_BYTES]
    return base64.b32encode(mac).decode("ascii").rstrip("=").lower()
