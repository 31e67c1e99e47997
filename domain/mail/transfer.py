"""Content-Transfer-Encoding, undone as far as it goes. Broken base64 and quoted-printable are daily mail; the rest of
the standard library either raises on them or returns nothing (MI5)."""

import binascii
import contextlib
import re
from typing import NamedTuple

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_NOT_BASE64 = bytes(set(range(256)) - set(_ALPHABET))
MAX_PADDED_RUNS = 1_000
_PADDING = re.compile(rb"=+")
_FOREIGN = re.compile(rb"[^A-Za-z0-9+/=\s]")
_BAD_ESCAPE = re.compile(rb"=(?![0-9A-Fa-f]{2}|[ \t]*\r?\n|[ \t]*\Z)")
_TOKEN = re.compile(r"[a-z0-9-]+")
_UU_NAMES = frozenset({"x-uuencode", "uuencode", "x-uue", "uue"})
_UU_BEGIN = re.compile(rb"^begin[ \t]+[0-7]{3,4}[ \t]+[^\r\n]*\r?\n", re.MULTILINE)


class Content(NamedTuple):
    """Decoded bytes and the defects met on the way."""

    data: bytes
    defects: tuple[str, ...] = ()


def decode_transfer(data: bytes, encoding: str) -> Content:
    """`data` with its transfer encoding undone; an unknown encoding stays raw and is a defect. Never raises."""
    found = _TOKEN.search(encoding.lower()[:100])
    name = found[0] if found else ""
    if name in ("", "7bit", "8bit", "binary", "7-bit", "8-bit", "none"):
        return Content(data)
    if name == "base64":
        return decode_base64(data)
    if name in ("quoted-printable", "quoted", "qp"):
        return Content(binascii.a2b_qp(data), ("quoted_printable_broken",) if _BAD_ESCAPE.search(data) else ())
    if name in _UU_NAMES:
        return _decode_uu_part(data)
    return Content(data, ("unknown_transfer_encoding",))


def decode_base64(data: bytes) -> Content:
    """Base64 with junk, lost padding or several padded runs; what follows the padding counts only if it is base64."""
    if _is_tidy(data):
        with contextlib.suppress(binascii.Error):
            return Content(binascii.a2b_base64(data))
    clean = data.translate(None, _NOT_BASE64).rstrip(b"=")
    if b"=" not in clean:
        is_cut = len(clean) % 4 != 0 and b"=" not in data
        return _one_run(clean, broken=is_cut or _FOREIGN.search(data) is not None)
    end = _padding_end(data)
    if _FOREIGN.search(data, end):
        return _one_run(data[:end].translate(None, _NOT_BASE64).rstrip(b"="), broken=True)
    *first, last = _PADDING.split(clean, MAX_PADDED_RUNS)
    runs = [_one_run(run, broken=True) for run in (*first, last.replace(b"=", b""))]
    return Content(b"".join(run.data for run in runs), ("base64_broken",))


def _is_tidy(data: bytes) -> bool:
    """True if the library may decode it in place: alphabet and line ends only, padding only at the end."""
    first_padding = data.find(b"=")
    return _FOREIGN.search(data) is None and (first_padding < 0 or not data[first_padding:].strip(b"=\r\n "))


def _padding_end(data: bytes) -> int:
    found = _PADDING.search(data)
    return found.end() if found else len(data)


def _one_run(clean: bytes, broken: bool) -> Content:
    """One run of base64 without padding; a single left-over character carries less than a byte and is dropped."""
    whole = len(clean) // 4 * 4
    tail = clean[whole:]
    data = binascii.a2b_base64(memoryview(clean)[:whole])
    if len(tail) > 1:
        data += binascii.a2b_base64(tail + b"=" * (4 - len(tail)))
    return Content(data, ("base64_broken",) if broken or len(tail) == 1 else ())


def _decode_uu_part(data: bytes) -> Content:
    begin = _UU_BEGIN.search(data)
    decoded, _ = decode_uu_lines(data, begin.end() if begin else 0)
    return Content(decoded, () if begin else ("uuencode_broken",))


def decode_uu_lines(data: bytes, start: int) -> tuple[bytes, int]:
    """Uuencoded lines from `start` to `end` or to the first line that is none; the bytes and the offset after them."""
    chunks: list[bytes] = []
    position = start
    while position < len(data):
        line_end = data.find(b"\n", position)
        following = len(data) if line_end < 0 else line_end + 1
        line = data[position:following].rstrip(b"\r\n")
        if line.rstrip() == b"end":
            return b"".join(chunks), following
        chunk = _uu_line(line)
        if chunk is None:
            break
        chunks.append(chunk)
        position = following
    return b"".join(chunks), position


def _uu_line(line: bytes) -> bytes | None:
    """One uuencoded line, also one with lost trailing blanks or surplus characters; None if it is no such line."""
    if line in (b"", b"`", b" "):
        return b""
    size = (line[0] - 32) & 63
    needed = (size + 2) // 3 * 4
    if not 32 <= line[0] <= 96 or len(line) - 1 > needed + 4:
        return None
    body = line[1 : needed + 1].ljust(needed, b" ")
    try:
        return binascii.a2b_uu(line[:1] + body)
    except binascii.Error:
        return None
