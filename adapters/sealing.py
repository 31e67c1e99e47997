"""Secrets that must be readable again (webhook secrets) are sealed with a key derived from the organisation key
(RC15)."""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from contracts.errors import SettingsFault
from domain.keys import Keyring

NONCE_BYTES = 12


def seal(keyring: Keyring, secret: str) -> bytes:
    """AES-256-GCM with a fresh nonce in front."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(keyring.derive("seal")).encrypt(nonce, secret.encode(), b"webhook-secret")


def unseal(keyring: Keyring, sealed: bytes) -> str:
    """Raises SettingsFault if ORGANISATION_KEY is not the one it was sealed with."""
    try:
        plain = AESGCM(keyring.derive("seal")).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], b"webhook-secret")
    except InvalidTag:
        raise SettingsFault(
            "ORGANISATION_KEY: it does not open the stored webhook secrets; use the key they were made with."
        ) from None
    return plain.decode()
