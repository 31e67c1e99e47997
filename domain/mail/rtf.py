"""Text of the compressed RTF in which Outlook keeps the body of a winmail.dat, when it sends no other (MS-OXRTFCP)."""

import re
import struct

from domain.mail.charsets import decode_bytes

MAX_RTF_BYTES = 4 * 1024 * 1024
_COMPRESSED, _UNCOMPRESSED = 0x75465A4C, 0x414C454D
_WINDOW = 4096
_PRESET = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_BREAKS = {b"par": "\n", b"line": "\n", b"row": "\n", b"tab": "\t", b"cell": "\t"}
_SIGNS = {b"emdash": "—", b"endash": "–", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”"}
_SILENT = frozenset(
    {
        b"fonttbl",
        b"colortbl",
        b"stylesheet",
        b"info",
        b"pict",
        b"object",
        b"header",
        b"footer",
        b"generator",
        b"themedata",
    }
)


def decompress_rtf(data: bytes) -> bytes:
    """LZFu-compressed RTF as plain RTF, at most 4 MiB; what is cut or damaged yields what came before. Never raises."""
    if len(data) < 16:
        return b""
    kind = struct.unpack_from("<I", data, 8)[0]
    if kind == _UNCOMPRESSED:
        return data[16 : 16 + MAX_RTF_BYTES]
    return _inflate(data) if kind == _COMPRESSED else b""


def _inflate(data: bytes) -> bytes:
    window = bytearray(_PRESET.ljust(_WINDOW, b"\x00"))
    write, out, position = len(_PRESET), bytearray(), 16
    while position < len(data) and len(out) < MAX_RTF_BYTES:
        control, position = data[position], position + 1
        for bit in range(8):
            if control >> bit & 1:
                if position + 2 > len(data):
                    return bytes(out)
                token, position = data[position] << 8 | data[position + 1], position + 2
                read, length = token >> 4, (token & 0xF) + 2
                if read == write % _WINDOW:
                    return bytes(out)
            else:
                if position >= len(data):
                    return bytes(out)
                window[write % _WINDOW] = data[position]
                read, length, position = write % _WINDOW, 1, position + 1
            for step in range(length):
                value = window[(read + step) % _WINDOW]
                window[write % _WINDOW] = value
                out.append(value)
                write += 1
    return bytes(out)


class _Writer:
    """Follows the groups of an RTF text and keeps what a reader would see."""

    def __init__(self) -> None:
        self.charset = "cp1252"
        self.silent = False
        self.groups: list[bool] = []
        self.text: list[str] = []
        self.pending = bytearray()
        self.skip = 0

    def feed(self, found: re.Match[bytes]) -> None:
        word, number, code, symbol, brace, plain = found.groups()
        if code:
            self._byte(int(code, 16))
            return
        self._flush()
        if brace:
            self._group(brace)
        elif word:
            self._word(word, int(number) if number else None)
        elif symbol:
            self._symbol(symbol)
        elif plain:
            self._show(plain.decode("latin-1")[self.skip :])
            self.skip = 0

    def _byte(self, value: int) -> None:
        if self.skip:
            self.skip -= 1
        elif not self.silent:
            self.pending.append(value)

    def _flush(self) -> None:
        if self.pending:
            self.text.append(decode_bytes(bytes(self.pending), self.charset).text)
            self.pending.clear()

    def _group(self, brace: bytes) -> None:
        if brace == b"{":
            self.groups.append(self.silent)
        elif self.groups:
            self.silent = self.groups.pop()

    def _word(self, word: bytes, number: int | None) -> None:
        if word in _SILENT:
            self.silent = True
        elif word == b"htmlrtf":
            self.silent = number != 0
        elif word == b"ansicpg" and number:
            self.charset = f"cp{number}"
        elif word == b"u" and number is not None:
            self._show(chr(number % 65536))
            self.skip = 1
        elif word in _BREAKS or word in _SIGNS:
            self._show(_BREAKS.get(word) or _SIGNS[word])

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self.silent = True
        elif symbol in b"\\{}~-_":
            self._show({b"~": "\xa0", b"-": "", b"_": "-"}.get(symbol, symbol.decode()))

    def _show(self, text: str) -> None:
        if not self.silent:
            self.text.append(text)

    def finished(self) -> str:
        """The text so far; characters that came as two UTF-16 halves are put together."""
        self._flush()
        return "".join(self.text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip()


def rtf_to_text(data: bytes) -> str:
    """The readable text of compressed RTF, also of HTML wrapped in RTF. Linear; never raises."""
    writer = _Writer()
    for found in _TOKEN.finditer(decompress_rtf(data)):
        writer.feed(found)
    return writer.finished()
