"""A Reply-To that carries the thread's own id, so that an answer finds its thread even if a gateway lost every other
reference. A token is a threading hint for whoever was shown it, never a login (TH4)."""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

MAX_LOCAL_OCTETS = 64
MAC_BYTES = 10
_MARK = "+r."
_TOKEN = re.compile(r"\+r\.([a-z2-7]{26})\.([a-z2-7]{16})\Z")


@dataclass(frozen=True)
class TokenKey:
    """One signing key with its id. During rotation two are valid; tokens are made with the first."""

    key_id: str
    secret: bytes


def make_reply_address(
    mailbox_address: str, thread_id: UUID, *, key: TokenKey, organisation_id: UUID, mailbox_id: UUID
) -> str | None:
    """`<mailbox>+r.<id>.<mac>@domain` in lower case, or None if the local part would pass 64 octets or is not plain."""
    local, at, domain = mailbox_address.rpartition("@")
    if not at or not local or not local.isascii():
        return None
    mac = _mac(key, organisation_id, mailbox_id, thread_id)
    tokenised = f"{local}{_MARK}{_base32(thread_id.bytes)}.{_base32(mac)}".lower()
    return f"{tokenised}@{domain.lower()}" if len(tokenised) <= MAX_LOCAL_OCTETS else None


def verify_reply_address(
    address: str, *, keys: Sequence[TokenKey], organisation_id: UUID, mailbox_id: UUID
) -> UUID | None:
    """The thread an address was made for, or None if it holds no token of this mailbox made with one of `keys`."""
    local = address.rpartition("@")[0]
    token = _TOKEN.search(local[-MAX_LOCAL_OCTETS:].lower()) if local.isascii() else None
    if token is None:
        return None
    thread_id = UUID(bytes=_unbase32(token[1]))
    if _base32(thread_id.bytes) != token[1]:  # 26 letters hold 130 bits: two spare ones would make forged twins
        return None
    macs = [_mac(key, organisation_id, mailbox_id, thread_id) for key in keys]
    valid = [hmac.compare_digest(mac, _unbase32(token[2])) for mac in macs]
    return thread_id if any(valid) else None


def find_reply_token(
    addresses: Iterable[str], *, keys: Sequence[TokenKey], organisation_id: UUID, mailbox_id: UUID
) -> UUID | None:
    """The thread of the first valid token among the addresses a mail was sent to, if any."""
    found = _verified(addresses, keys, organisation_id, mailbox_id)
    return next(found, None)


def _verified(
    addresses: Iterable[str], keys: Sequence[TokenKey], organisation_id: UUID, mailbox_id: UUID
) -> Iterator[UUID]:
    for address in addresses:
        thread_id = verify_reply_address(address, keys=keys, organisation_id=organisation_id, mailbox_id=mailbox_id)
        if thread_id is not None:
            yield thread_id


def _mac(key: TokenKey, organisation_id: UUID, mailbox_id: UUID, thread_id: UUID) -> bytes:
    """80 bits over everything a token stands for. The key id goes last: it alone has no fixed length."""
    message = b"reply-token" + organisation_id.bytes + mailbox_id.bytes + thread_id.bytes + key.key_id.encode()
    return hmac.new(key.secret, message, hashlib.sha256).digest()[:MAC_BYTES]


def _base32(value: bytes) -> str:
    return base64.b32encode(value).decode("ascii").rstrip("=").lower()


def _unbase32(text: str) -> bytes:
    return base64.b32decode(text.upper() + "=" * (-len(text) % 8))
