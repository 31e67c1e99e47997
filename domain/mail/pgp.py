"""PGP blocks written into the text of a mail: a signed text is read without its armour, a cipher text is not read
(MI15)."""

from typing import NamedTuple

_SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
_SIGNATURE_END = "-----END PGP SIGNATURE-----"
_CIPHER = "-----BEGIN PGP MESSAGE-----"
_CIPHER_END = "-----END PGP MESSAGE-----"


class PgpText(NamedTuple):
    """Text without PGP armour and cipher text, and what was found in it."""

    text: str
    signed: bool = False
    encrypted: bool = False


def read_inline_pgp(text: str) -> PgpText:
    """`text` with inline PGP undone as far as that is possible without keys. Linear; never raises."""
    if "-----BEGIN PGP " not in text:
        return PgpText(text)
    kept: list[str] = []
    block, signed, encrypted = "", False, False
    for line in text.split("\n"):
        mark = line.strip()
        if mark in (_SIGNED, _SIGNATURE, _CIPHER):
            block, signed, encrypted = mark, signed or mark != _CIPHER, encrypted or mark == _CIPHER
        elif block == _SIGNED and not mark:
            block = "in signed text"
        elif block in (_SIGNATURE, _CIPHER):
            block = "" if mark in (_SIGNATURE_END, _CIPHER_END) else block
        elif block != _SIGNED:
            kept.append(line.removeprefix("- ") if block else line)
    return PgpText("\n".join(kept), signed, encrypted)
