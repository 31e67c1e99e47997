"""Encoded runs inside a text (base64, base32, hex) and the readable text they hold, two levels deep (HX4)."""

import base64
import binascii
import re
from dataclasses import dataclass

RUN_MIN = 24
RUNS_MAX = 64
ATTEMPTS_MAX = 4_000
CHARACTERS_MAX = 64 * 1024
LEVELS_MAX = 2
PRINTABLE_MIN = 0.8

_LETTERS = "[A-Za-z0-9+/_-]"
_RUN = re.compile(
    rf"(?<!{_LETTERS}){_LETTERS}{{{RUN_MIN},}}+(?:\r?\n{_LETTERS}{{{RUN_MIN},}}+)*+(?P<tail>\r?\n{_LETTERS}{{1,23}}+)?+={{0,6}}"
)
_HEX = re.compile(r"[0-9a-fA-F]++")
_BASE32 = re.compile(r"[A-Z2-7]++={0,6}")
_SPLIT = re.compile(r"[/_-]")


@dataclass(frozen=True, slots=True)
class DecodedRun:
    """Readable text that stood encoded at `start` to `end`."""

    text: str
    start: int
    end: int


def decoded_runs(text: str) -> tuple[list[DecodedRun], bool]:
    """What the encoded runs of `text` say; False if some were left unread for their number or size."""
    reader = _RunReader()
    reader.read(text, None, 1)
    return reader.found, reader.complete


class _RunReader:
    """Carries the limits through both levels."""

    def __init__(self) -> None:
        self.found: list[DecodedRun] = []
        self.attempts = self.characters = 0
        self.complete = True

    def read(self, text: str, base: tuple[int, int] | None, level: int) -> None:
        """Decodes the runs of one level and descends into what they say."""
        for run in _RUN.finditer(text):
            if not self._may_go_on():
                return
            start, end = base or (run.start(), run.end())
            for readable in self._decoded(text, run):
                self.characters += len(readable)
                self.found.append(DecodedRun(readable, start, end))
                if level < LEVELS_MAX:
                    self.read(readable, (start, end), level + 1)

    def _may_go_on(self) -> bool:
        self.attempts += 1
        if len(self.found) < RUNS_MAX and self.attempts <= ATTEMPTS_MAX and self.characters < CHARACTERS_MAX:
            return True
        self.complete = False
        return False

    def _decoded(self, text: str, run: re.Match[str]) -> list[str]:
        """The run as a whole, with and without its short last line; else its pieces between slashes."""
        wholes = [run[0]] if run["tail"] is None else [run[0], text[run.start():run.start("tail")]]
        for whole in wholes:
            if readable := _decode("".join(whole.split())):
                return [readable]
        pieces = [piece for piece in _SPLIT.split(run[0]) if RUN_MIN <= len(piece) < len(run[0])]
        return [found for piece in pieces[:8] if (found := _decode("".join(piece.split())))]


def _decode(run: str) -> str:
    """The readable text of one run; empty if no encoding gives one."""
    if len(run) > 2 * CHARACTERS_MAX:
        run = run[: 2 * CHARACTERS_MAX // 8 * 8]
    bare = run.rstrip("=")
    if _HEX.fullmatch(bare) and len(bare) % 2 == 0 and (text := _printable(bytes.fromhex(bare))):
        return text
    if _BASE32.fullmatch(run) and (text := _printable(_base32(bare))):
        return text
    return _printable(_base64(bare))


def _base32(bare: str) -> bytes:
    try:
        return base64.b32decode(bare + "=" * (-len(bare) % 8))
    except (binascii.Error, ValueError):
        return b""


def _base64(bare: str) -> bytes:
    if len(bare) % 4 == 1:
        bare = bare[:-1]
    try:
        return base64.b64decode(bare.replace("-", "+").replace("_", "/") + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _printable(data: bytes) -> str:
    if not data:
        return ""
    zeros = data.count(0)
    text = data.decode("utf-16-le" if zeros > len(data) // 3 else "utf-8", errors="replace")
    readable = sum(character.isprintable() or character in "\n\r\t" for character in text) - text.count("\ufffd")
    return text if text and readable >= PRINTABLE_MIN * len(text) else ""
