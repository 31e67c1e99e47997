"""RFC 2047 encoded words, read by our own decoder: the words of real mail split characters between them, name unknown
charsets and hide line breaks (MI6)."""

import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

from domain.mail.charsets import codec_for, decode_bytes
from domain.mail.cleaning import header_text
from domain.mail.transfer import decode_base64

_WORD_START = re.compile(rb"=\?([!->@-~]{1,75})\?([bBqQ])\?")
_FOLD = re.compile(rb"\r?\n(?=[ \t])")
_LINE_BREAK = re.compile(rb"[\r\n]+")


class HeaderText(NamedTuple):
    """A decoded header value on one line, and the charset of its non-ASCII part ("" if it was all ASCII)."""

    text: str
    charset: str = ""


class _Piece(NamedTuple):
    """A run of bytes in one charset; `word` is true for the content of encoded words."""

    data: bytes
    charset: str
    word: bool


def unfold(value: bytes) -> bytes:
    """The value of a header field on one line (RFC 5322 2.2.3); stray line breaks become a blank."""
    return _LINE_BREAK.sub(b" ", _FOLD.sub(b"", value)).strip(b" \t")


def decode_header(value: bytes, detect: bool = True) -> HeaderText:
    """A raw header value as clean text: encoded words, raw 8-bit and any mixture of the two. Never raises."""
    decoded = [decode_bytes(piece.data, piece.charset, detect) for piece in _joined(_pieces(unfold(value)))]
    foreign = next((each.charset for each in decoded if not each.text.isascii()), "")
    return HeaderText(header_text("".join(each.text for each in decoded)), foreign)


def decode_words(text: str) -> str:
    """Encoded words inside text that is already decoded, such as a display name or a JSON value."""
    if "=?" not in text:
        return header_text(text)
    return decode_header(text.encode("utf-8", "replace")).text


def has_encoded_word(text: str) -> bool:
    """True if `text` holds something an RFC 2047 reader would decode."""
    return "=?" in text and next(_words(text.encode("utf-8", "replace")), None) is not None


class _Word(NamedTuple):
    """One encoded word: where it stands, its charset, encoding and payload."""

    start: int
    end: int
    charset: str
    encoding: bytes
    payload: bytes


def _words(value: bytes) -> Iterator[_Word]:
    """The encoded words of one line, also with a raw `?` in the payload. Linear."""
    position, end = 0, -1
    for found in _WORD_START.finditer(value):
        if end < found.end():
            end = value.find(b"?=", found.end())
        if end < 0:
            return
        if found.start() >= position and value.find(b"=?", found.end(), end) < 0:
            yield _Word(found.start(), end + 2, _charset(found[1]), found[2], value[found.end() : end])
            position = end + 2


def _pieces(value: bytes) -> Iterator[_Piece]:
    """Encoded words and what stands between them; blanks between two words belong to neither."""
    position = 0
    after_word = False
    for word in _words(value):
        between = value[position : word.start]
        if between.strip(b" \t") or (between and not after_word):
            yield _Piece(between, "", word=False)
        yield _Piece(_word_bytes(word.encoding, word.payload), word.charset, word=True)
        position, after_word = word.end, True
    if value[position:]:
        yield _Piece(value[position:], "", word=False)


def _joined(pieces: Iterator[_Piece]) -> list[_Piece]:
    """Neighbouring words of one charset become one run before decoding: a character may be split between them."""
    runs: list[list[_Piece]] = []
    for piece in pieces:
        last = runs[-1][-1] if runs else None
        if last and last.word and piece.word and codec_for(last.charset) == codec_for(piece.charset):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return [run[0]._replace(data=b"".join(piece.data for piece in run)) for run in runs]


def _word_bytes(encoding: bytes, payload: bytes) -> bytes:
    if encoding in b"bB":
        return decode_base64(payload).data
    return binascii.a2b_qp(payload.replace(b"_", b"=20").replace(b" ", b"=20"), header=False)


def _charset(label: bytes) -> str:
    """The charset without its RFC 2231 language suffix (`utf-8*en`)."""
    return label.decode("ascii", "replace").partition("*")[0]
