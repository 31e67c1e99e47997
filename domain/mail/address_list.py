"""Our own reader of address lists. The one of the standard library changed its mind between patch releases about who
sent `alice@x.org <bob@y.org>` (CVE-2023-27043); here the answer is fixed: bob, and ambiguous (AM1)."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from contracts.mail import Address
from domain.mail.address_tokens import Token, read_tokens
from domain.mail.charsets import decode_bytes
from domain.mail.cleaning import header_text, seen_text
from domain.mail.domains import ascii_domain, has_mixed_scripts, is_valid_domain
from domain.mail.encoded_words import decode_words, has_encoded_word, unfold
from domain.mail.limits import MAX_ADDRESSES, MAX_HEADER_BYTES, MAX_NAME_CHARS

MAX_ADDRESS_CHARS = 998
_SPACED_SPECIAL = re.compile(r"\s*([@.])\s*")


class AddressList(NamedTuple):
    """The addresses of one header in order, and what was odd about it.

    Flags: `ambiguous` (readers may disagree on who is meant), `odd_syntax`, `bad_address` (no usable domain),
    `group`, `mixed_script`, `non_ascii_local` (a reply needs SMTPUTF8), `too_many`.
    """

    addresses: tuple[Address, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(slots=True)
class _Mailbox:
    """What stands between two separators."""

    words: list[Token] = field(default_factory=list)
    angles: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    @property
    def is_bare_name(self) -> bool:
        return bool(self.words) and not self.angles and not any("@" in word.text for word in self.words)


def identity(address: str) -> str:
    """The form in which addresses are compared: NFC, lower case, A-label domain; dots and plus parts stay (AM8)."""
    local, at, domain = unicodedata.normalize("NFC", address.strip()).rpartition("@")
    return f"{local.lower()}@{ascii_domain(domain)}" if at else domain.lower()


def read_address_list(value: bytes | str) -> AddressList:
    """The addresses of a raw header value (or decoded text), split before any encoded word is decoded. Never raises."""
    text = decode_bytes(unfold(value[:MAX_HEADER_BYTES])).text if isinstance(value, bytes) else value[:MAX_HEADER_BYTES]
    return _Collector().collect(header_text(text))


class _Collector:
    """Turns tokens into addresses and remembers every oddity."""

    def __init__(self) -> None:
        self.flags: dict[str, None] = {}
        self.in_group = False

    def collect(self, text: str) -> AddressList:
        mailboxes = _with_commas_in_names(list(self._mailboxes(text)))
        if len(mailboxes) > MAX_ADDRESSES:
            self.flags["too_many"] = None
        addresses = [self._address(mailbox) for mailbox in mailboxes[:MAX_ADDRESSES]]
        found = tuple(address for address in addresses if address is not None)
        if has_encoded_word(text) and not any(_is_plain(address.address) for address in found):
            return self._encoded_as_a_whole(text, AddressList(found, tuple(self.flags)))
        return AddressList(found, tuple(self.flags))

    def _encoded_as_a_whole(self, text: str, otherwise: AddressList) -> AddressList:
        """Some mailers encode name and address in one word, which RFC 2047 forbids: read, but not trusted."""
        decoded = decode_words(text)
        if has_encoded_word(decoded) or "@" not in decoded:
            return otherwise
        inner = _Collector().collect(decoded)
        return AddressList(inner.addresses, tuple(dict.fromkeys((*inner.flags, "odd_syntax", "ambiguous"))))

    def _mailboxes(self, text: str) -> Iterator[_Mailbox]:
        current = _Mailbox()
        for token in read_tokens(text):
            if token.kind == ":" and (_is_mailto(current) or self._opens_group(current)):
                current = _Mailbox()
            elif token.kind in (",", ";"):
                yield current
                self.in_group = self.in_group and token.kind == ","
                current = _Mailbox()
            else:
                self._add(current, token)
        yield current

    def _opens_group(self, current: _Mailbox) -> bool:
        opens = not self.in_group and current.is_bare_name
        if opens:
            self.in_group = True
            self.flags["group"] = None
        return opens

    def _add(self, current: _Mailbox, token: Token) -> None:
        if token.kind == "angle":
            current.angles.append(token.text)
        elif token.kind == "comment":
            current.comments.append(token.text)
        elif token.text == ">":
            self._odd()
        else:
            current.words.append(token)

    def _address(self, mailbox: _Mailbox) -> Address | None:
        filled = [spec for spec in map(_clean_spec, mailbox.angles) if spec]
        if len(filled) > 1 and len(set(map(identity, filled))) > 1:
            self._odd("ambiguous")
        if filled:
            return self._from_angle(filled[0], mailbox)
        if mailbox.angles and any("@" in word.text for word in mailbox.words):
            self._odd("ambiguous")
        return self._from_words(mailbox)

    def _from_angle(self, spec: str, mailbox: _Mailbox) -> Address | None:
        rivals = [chunk for chunk in _chunks(mailbox.words, quoted=False) if "@" in chunk]
        if any(identity(_clean_spec(rival)) != identity(spec) for rival in rivals):
            self._odd("ambiguous")
        return self._finish(spec, _phrase(mailbox.words) or " ".join(mailbox.comments))

    def _from_words(self, mailbox: _Mailbox) -> Address | None:
        chunks = _chunks(mailbox.words, quoted=True)
        if not chunks:
            return None
        spec = next(filter(_is_spec, chunks), "") or next((chunk for chunk in chunks if "@" in chunk), "")
        rest = " ".join(chunk for chunk in chunks if chunk != spec) if spec else ""
        if rest:
            self._odd(*["ambiguous"] * ("@" in rest))
        spec = spec or " ".join(chunks)
        return self._finish(_clean_spec(spec), rest or " ".join(mailbox.comments))

    def _finish(self, spec: str, phrase: str) -> Address | None:
        local, at, domain = spec.rpartition("@")
        if _unquoted_ats(local) or has_encoded_word(spec):
            self._odd("ambiguous")
        if not at or not local or not is_valid_domain(domain) or seen_text(spec) != spec:
            self.flags["bad_address"] = None
            if not any(map(str.isalnum, spec)):
                return None
        if not local.isascii():
            self.flags["non_ascii_local"] = None
        if at and has_mixed_scripts(domain):
            self.flags["mixed_script"] = None
        return Address(address=spec, identity=identity(spec), name=display_name(phrase, spec))

    def _odd(self, *flags: str) -> None:
        self.flags |= dict.fromkeys(("odd_syntax", *flags))


def display_name(phrase: str, address: str) -> str:
    """The decoded name without controls and bidi marks, at most 128 characters; a repeated address is none (AM3)."""
    name = seen_text(decode_words(phrase)).strip("\"' ")[:MAX_NAME_CHARS].strip()
    return "" if identity(name) == identity(address) else name


def _with_commas_in_names(mailboxes: list[_Mailbox]) -> list[_Mailbox]:
    """`Doe, Jane <jane@example.org>` is one mailbox whose mailer forgot the quotes."""
    joined: list[_Mailbox] = []
    for mailbox in mailboxes:
        if joined and joined[-1].is_bare_name and mailbox.angles and len(joined[-1].words) <= 8:
            name = joined.pop().words
            mailbox.words = [*name, Token("atom", ",", glued=True), *mailbox.words]
        joined.append(mailbox)
    return [mailbox for mailbox in joined if mailbox.words or mailbox.angles]


def _chunks(words: list[Token], quoted: bool) -> list[str]:
    """Words that touch each other, also around a spaced-out `@` or dot, as one chunk each."""
    shown = []
    for word in words:
        text = f'"{word.text}"' if word.kind == "quoted" else word.text
        shown.append(" " if word.kind == "quoted" and not quoted else text if word.glued else f" {text}")
    return _split_outside_quotes("".join(shown))


def _is_mailto(mailbox: _Mailbox) -> bool:
    return [word.text.lower() for word in mailbox.words] == ["mailto"]


def _is_spec(chunk: str) -> bool:
    """True if an `@` stands outside quotes."""
    return '"' not in chunk.rpartition("@")[2] and "@" in chunk


def _is_plain(address: str) -> bool:
    return "@" in address and not has_encoded_word(address)


def _split_outside_quotes(text: str) -> list[str]:
    parts = re.split(r'("[^"]*")', text)
    spaced = "".join(
        part.replace(" ", "\x00") if part.startswith('"') else _SPACED_SPECIAL.sub(r"\1", part) for part in parts
    )
    return [chunk.replace("\x00", " ").strip() for chunk in spaced.split(" ") if chunk.strip("\x00 ")]


def _phrase(words: list[Token]) -> str:
    """The display name as written: words with the blanks between them."""
    return "".join(word.text if word.glued else f" {word.text}" for word in words).strip()


def _clean_spec(spec: str) -> str:
    """An address without route, `mailto:`, brackets and blanks that do not belong to it."""
    spec = spec.strip(" \t<>")[:MAX_ADDRESS_CHARS]
    if spec.startswith("@") and ":" in spec:
        spec = spec.rpartition(":")[2]
    if spec[:7].lower() == "mailto:":
        spec = spec[7:]
    if '"' not in spec:
        spec = "".join(spec.split())
    return spec.strip()


def _unquoted_ats(local: str) -> bool:
    return "@" in local and not (local.startswith('"') and local.endswith('"') and local.count('"') == 2)
