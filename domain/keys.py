"""One master key of the installation, one derived key per purpose, so that no two uses share key material."""

import hashlib
import hmac
from dataclasses import dataclass

from domain.reply_token import TokenKey


@dataclass(frozen=True)
class Keyring:
    """The organisation's master key (at least 16 bytes); its repr shows nothing."""

    master: bytes

    def __repr__(self) -> str:
        return "Keyring(…)"

    def derive(self, purpose: str) -> bytes:
        """32 bytes for one purpose (HMAC-SHA256 as extract-and-expand of one block, RFC 5869)."""
        return hmac.new(self.master, b"deskhand/" + purpose.encode(), hashlib.sha256).digest()

    @property
    def dedup(self) -> bytes:
        """Key of DK1."""
        return self.derive("dedup")

    @property
    def marker(self) -> bytes:
        """Key of the X-Deskhand-Id header."""
        return self.derive("marker")

    @property
    def reply_token(self) -> TokenKey:
        """Signing key of reply addresses (TH4)."""
        return TokenKey(key_id="1", secret=self.derive("reply-token"))
