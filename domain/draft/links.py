"""A link a customer asked us to repeat is the oldest trick in the box. Addresses, hosts, mail addresses and phone
numbers in a draft must be ours, character by character (P66, HL3)."""

import re
from collections.abc import Iterator
from functools import cache

from publicsuffixlist import PublicSuffixList

from domain.draft.mentions import ItemKind, Mention, Taken, tokens_of
from domain.draft.quantities import is_keyed

# All flat: one class repetition after a fixed beginning, linear on any input.
_URL = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{1,20}:)?//[^\s<>\"\[\]]+|(?:www\.|tel:)[^\s<>\"\[\]]+", re.IGNORECASE)
_WORD = re.compile(r"[^\s<>\"()\[\],;]+")
_PHONE = re.compile(r"(?<![\w.,/-])(?:\+|0)\d[\d ()/.-]{5,22}\d")
_TRAILING = ".,;:!?'\"*_)]}»”’"
_MIN_PHONE_DIGITS = 8
_MAX_HOST_CHARS = 253
_LEAD_CHARS = 40


def links_in(text: str) -> Iterator[Mention]:
    """Every URL, bare host with a public suffix, mail address and phone number, in order of kind, not of place."""
    taken = Taken(text)
    for mention in (*_urls(text), *_hosts_and_addresses(text), *_phones(text)):
        if taken.claim(mention.start, mention.end):
            yield mention


def _mention(kind: ItemKind, text: str, start: int, key: str) -> Mention:
    keys = frozenset({(kind.value, key)})
    return Mention(kind, text, start, start + len(text), keys, keys)


def _trimmed(text: str) -> str:
    """Without the punctuation of the sentence around it; a closing bracket stays if it was opened inside."""
    while text and text[-1] in _TRAILING:
        if text[-1] == ")" and "(" in text:
            break
        text = text[:-1]
    return text


def _urls(text: str) -> Iterator[Mention]:
    for match in _URL.finditer(text):
        link = _trimmed(match.group())
        yield _mention(ItemKind.LINK, link, match.start(), _canonical(link))


def _canonical(link: str) -> str:
    """Host in small letters without `www.` and scheme; path, query and fragment as they are, no trailing slash."""
    scheme, _, rest = link.rpartition("//") if "//" in link else ("", "", link)
    host, mark, tail = _host_and_tail(rest)
    host = host.casefold().removeprefix("www.")
    other = "" if scheme.casefold() in ("", "http:", "https:") else f"{scheme.casefold()}//"
    return f"{other}{host}{mark}{tail}".rstrip("/")


def _host_and_tail(rest: str) -> tuple[str, str, str]:
    at = next((position for position, char in enumerate(rest) if char in "/?#"), len(rest))
    return rest[:at], rest[at : at + 1], rest[at + 1 :]


def _hosts_and_addresses(text: str) -> Iterator[Mention]:
    for match in _WORD.finditer(text):
        word = match.group().lstrip("'*_(")
        start = match.end() - len(word)
        word = _trimmed(word)
        if "@" in word:
            yield from _address(word, start)
        elif _is_host(_host_and_tail(word)[0].split(":")[0]):
            yield _mention(ItemKind.LINK, word, start, _canonical(word))


def _address(word: str, start: int) -> Iterator[Mention]:
    if word.casefold().startswith("mailto:"):
        word, start = word[len("mailto:") :], start + len("mailto:")
    local, _, host = word.rpartition("@")
    if local and _is_host(host):
        yield _mention(ItemKind.EMAIL, word, start, word.casefold())


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False)


def _is_host(host: str) -> bool:
    """True for `shop.example.org`, false for `end.Next`, `e.g` and `12.50`: the ending must be a public suffix."""
    if "." not in host or len(host) > _MAX_HOST_CHARS or host[0] == "." or ".." in host:
        return False
    ending = host.rsplit(".", 1)[1]
    if not ending.isalpha() or (ending[0].isupper() and not ending.isupper()):
        return False
    return _suffixes().privatesuffix(host.casefold()) is not None


def _phones(text: str) -> Iterator[Mention]:
    for match in _PHONE.finditer(text):
        digits = "".join(char for char in match.group() if char.isdigit())
        if len(digits) >= _MIN_PHONE_DIGITS and not _is_other_number(text, match):
            yield _mention(ItemKind.LINK, match.group(), match.start(), f"tel:{digits}")


def _is_other_number(text: str, match: re.Match[str]) -> bool:
    """`01.02.2026` and `order 0012345678` begin with 0 and hold eight digits, too."""
    parts = re.split(r"[./-]", match.group().split(" ")[0])
    if [len(part) for part in parts] in ([2, 2, 4], [2, 1, 4]):
        return True
    lead = tokens_of(text[max(match.start() - _LEAD_CHARS, 0) : match.start()])
    return is_keyed(lead, len(lead))
