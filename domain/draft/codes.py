"""Order numbers, serial numbers and model names mix letters and digits; they may be echoed, but only letter by
letter."""

import re
from collections.abc import Iterator

from domain.draft.mentions import ItemKind, Mention
from domain.draft.units import CURRENCIES, is_unit

# One class repetition: linear.
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]*")
_TRAILING = "./-_"
_MIN_MIXED_CHARS = 5
_NO_CODE = frozenset({"t", "k"})
_WORD = re.compile(r"[^\W_][\w./-]*")


def codes_in(text: str) -> Iterator[Mention]:
    """Every token that mixes letters and digits and is no quantity, price, date or time: kind IDENTIFIER."""
    for match in _CODE.finditer(text):
        code = match.group().rstrip(_TRAILING)
        if _starts_clean(text, match.start()) and _is_code(code):
            keys = frozenset({("id", _plain(code))})
            yield Mention(ItemKind.IDENTIFIER, code, match.start(), match.start() + len(code), keys, keys)


def echo_words(text: str) -> frozenset[str]:
    """Every word and code of `text`, case-folded, also without its inner punctuation: what an echo is compared with."""
    whole = {match.group().casefold().rstrip(_TRAILING) for match in _WORD.finditer(text)}
    parts = {part for word in whole for part in re.split(r"[./_-]", word) if part}
    return frozenset(whole | parts | {_plain(word) for word in whole})


def _plain(code: str) -> str:
    return "".join(char for char in code.casefold() if char.isalnum())


def _starts_clean(text: str, start: int) -> bool:
    return start == 0 or not text[start - 1].isalnum()


def _is_code(code: str) -> bool:
    letters = [char for char in code if char.isalpha()]
    if not letters or not any(char.isdigit() for char in code):
        return False
    return _letter_first(code) if code[0].isalpha() else _digit_first(code, "".join(letters))


def _letter_first(code: str) -> bool:
    """`RE-2026-77` is a code; `EUR500` is a price and `and/or` has no digit at all."""
    lead = code[: next(at for at, char in enumerate(code) if not char.isalpha())]
    return lead.casefold() not in CURRENCIES


def _digit_first(code: str, letters: str) -> bool:
    """`12ab34`, `4711-AB` and `4B` are codes; `30-day`, `10GB`, `14h30`, `3rd`, `5K` and `2026-12-31T10` are not."""
    low = letters.casefold()
    if is_unit(low) or low in CURRENCIES or low in _NO_CODE:
        return False
    return letters.isupper() or (code[-1].isdigit() and len(code) >= _MIN_MIXED_CHARS)
