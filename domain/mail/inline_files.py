"""Files written into the text itself, as mail did before MIME: uuencode and yEnc blocks become attachments (MI5)."""

import re
from typing import NamedTuple

from domain.mail.transfer import decode_uu_lines

MAX_INLINE_FILES = 50
_UU_BEGIN = re.compile(rb"^begin[ \t]+[0-7]{3,4}[ \t]+([^\r\n]{1,255})\r?\n", re.MULTILINE)
_YENC_BEGIN = re.compile(rb"^=ybegin [^\r\n]{0,200}?\bname=([^\r\n]{1,255})\r?\n", re.MULTILINE)
_YENC_PART = re.compile(rb"=ypart [^\r\n]{0,200}\r?\n")
_YENC_END = re.compile(rb"^=yend\b[^\r\n]*(?:\r?\n|\Z)", re.MULTILINE)
_YENC_SHIFT = bytes((value - 42) % 256 for value in range(256))
_YENC_ESCAPED = re.compile(rb"=(.)", re.DOTALL)


class InlineFile(NamedTuple):
    """One file found in a text: its name as written there, undecoded, and its bytes."""

    name: bytes
    data: bytes


def split_inline_files(text: bytes) -> tuple[bytes, tuple[InlineFile, ...]]:
    """`text` without its uuencode and yEnc blocks, and those blocks as files; without any the text is unchanged."""
    files: list[InlineFile] = []
    if b"begin " in text or b"begin\t" in text:
        text = _take(text, _UU_BEGIN, _read_uu, files)
    if b"=ybegin " in text:
        text = _take(text, _YENC_BEGIN, _read_yenc, files)
    return text, tuple(files)


def _take(text: bytes, begin: re.Pattern[bytes], read, files: list[InlineFile]) -> bytes:  # type: ignore[no-untyped-def]
    kept: list[bytes] = []
    position = 0
    while len(files) < MAX_INLINE_FILES and (found := begin.search(text, position)):
        data, end = read(text, found.end())
        kept.append(text[position : found.start() if data else end])
        if data:
            files.append(InlineFile(found[1].strip(), data))
        position = end
    return b"".join(kept) + text[position:]


def _read_uu(text: bytes, start: int) -> tuple[bytes, int]:
    return decode_uu_lines(text, start)


def _read_yenc(text: bytes, start: int) -> tuple[bytes, int]:
    part = _YENC_PART.match(text, start)
    start = part.end() if part else start
    end = _YENC_END.search(text, start)
    if end is None:
        return b"", len(text)
    packed = text[start : end.start()].replace(b"\r", b"").replace(b"\n", b"")
    plain = _YENC_ESCAPED.sub(lambda found: bytes(((found[1][0] - 64) % 256,)), packed)
    return plain.translate(_YENC_SHIFT), end.end()
