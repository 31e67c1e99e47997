"""The content of opaque S/MIME signatures. A signed mail without a readable copy would reach people and model as an
empty one, so the envelope is opened here; whether the signature is true is not judged (MI15, RFC 5652)."""

from enum import Enum
from typing import NamedTuple

MAX_NESTING = 64
MAX_ELEMENTS = 500_000
_SIGNED = bytes.fromhex("06092a864886f70d010702")
_ENVELOPED = bytes.fromhex("06092a864886f70d010703")
_AUTH_ENVELOPED = bytes.fromhex("060b2a864886f70d0109100117")
_OCTETS, _CONSTRUCTED_OCTETS = 0x04, 0x24


class SmimeKind(Enum):
    """What a CMS object is."""

    SIGNED = "signed"
    ENCRYPTED = "encrypted"
    OTHER = "other"


class _Element(NamedTuple):
    """One BER element: its tag byte and the span of its content; `end` is after it, end-of-contents mark included."""

    tag: int
    start: int
    stop: int
    end: int


class _BadBer(ValueError):
    """The bytes are no BER, or nested beyond the limits."""


def smime_kind(data: bytes, declared: str = "") -> SmimeKind:
    """What `data` is, by its own object identifier, otherwise by the declared `smime-type`."""
    head = data[:64]
    if _SIGNED in head:
        return SmimeKind.SIGNED
    if _ENVELOPED in head or _AUTH_ENVELOPED in head:
        return SmimeKind.ENCRYPTED
    kinds = {"signed-data": SmimeKind.SIGNED, "enveloped-data": SmimeKind.ENCRYPTED}
    return kinds.get(declared.lower(), SmimeKind.ENCRYPTED if not declared else SmimeKind.OTHER)


def signed_content(data: bytes) -> bytes | None:
    """The MIME entity inside an opaque signature, or None if it has none or cannot be read. Never raises."""
    try:
        return _Ber(data).encapsulated()
    except (_BadBer, IndexError):
        return None


class _Ber:
    """A reader of BER with definite and indefinite lengths; every element is counted."""

    def __init__(self, data: bytes) -> None:
        self.data, self.left = data, MAX_ELEMENTS

    def encapsulated(self) -> bytes | None:
        """ContentInfo -> [0] SignedData -> (version, digests, encapContentInfo) -> [0] OCTET STRING."""
        outer = self._children(self._element(0, len(self.data)))
        signed = self._children(self._children(outer[1])[0])
        content = self._children(signed[2])
        return self._octets(self._children(content[1])[0]) if len(content) > 1 else None

    def _children(self, parent: _Element) -> list[_Element]:
        found, position = [], parent.start
        while position < parent.stop:
            element = self._element(position, parent.stop)
            found.append(element)
            position = element.end
        return found

    def _octets(self, element: _Element) -> bytes:
        if element.tag == _OCTETS:
            return self.data[element.start : element.stop]
        if element.tag != _CONSTRUCTED_OCTETS:
            raise _BadBer
        chunks: list[bytes] = []
        waiting = [element]
        while waiting:
            each = waiting.pop()
            if each.tag == _OCTETS:
                chunks.append(self.data[each.start : each.stop])
            elif each.tag == _CONSTRUCTED_OCTETS:
                waiting.extend(reversed(self._children(each)))
        return b"".join(chunks)

    def _element(self, position: int, limit: int, nesting: int = 0) -> _Element:
        self.left -= 1
        if self.left < 0 or nesting > MAX_NESTING or position + 2 > limit:
            raise _BadBer
        tag, length, start = self.data[position], self.data[position + 1], position + 2
        if tag & 0x1F == 0x1F:
            raise _BadBer
        if length == 0x80:
            return self._indefinite(tag, start, limit, nesting)
        if length > 0x80:
            size = length & 0x7F
            length, start = int.from_bytes(self.data[start : start + size], "big"), start + size
        if start + length > limit:
            raise _BadBer
        return _Element(tag, start, start + length, start + length)

    def _indefinite(self, tag: int, start: int, limit: int, nesting: int) -> _Element:
        position = start
        while self.data[position : position + 2] != b"\x00\x00":
            position = self._element(position, limit, nesting + 1).end
        return _Element(tag, start, position, position + 2)
