"""The same number is written `1,234.56`, `1.234,56`, `1 234,56` or in words; grounding compares values, not
spellings."""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from domain.draft.mentions import Token, low_at, token_at, touches
from domain.draft.number_words import value_of_words

_ONE_BLANK = 1
_GROUP_DIGITS = 3
_MAX_LEAD_DIGITS = 3
_MAX_DIGITS = 40
_MAX_GROUPS = 6
_MULTIPLIERS = {
    "k": 1_000,
    "thousand": 1_000,
    "tausend": 1_000,
    "mille": 1_000,
    "mil": 1_000,
    "million": 1_000_000,
    "millions": 1_000_000,
    "millionen": 1_000_000,
    "mio": 1_000_000,
    "millones": 1_000_000,
}


class Numeral(NamedTuple):
    """A number at a place in the stream. `values` holds every reading, `money` the one a price would have."""

    after: int
    values: tuple[Decimal, ...]
    money: Decimal
    in_words: bool = False


def numeral_at(tokens: Sequence[Token], index: int) -> Numeral | None:
    """The number that starts at `index` in digits, blank-grouped digits or words, multiplier included, or None."""
    token = token_at(tokens, index)
    if token is None:
        return None
    if not token.is_number:
        words = value_of_words(tokens, index)
        return words and Numeral(words[1], (Decimal(words[0]),), Decimal(words[0]), in_words=True)
    after, text = _grouped(tokens, index)
    values = readings(text)
    return _multiplied(tokens, Numeral(after, values, _money(text, values))) if values else None


def _grouped(tokens: Sequence[Token], index: int) -> tuple[int, str]:
    """`1 234 567,89` stands in several tokens; it is one number if each later group has three digits."""
    text, after = tokens[index].text, index + 1
    if not (text.isdecimal() and len(text) <= _MAX_LEAD_DIGITS):
        return after, text
    while after - index <= _MAX_GROUPS and _is_group(tokens, after):
        text, after = text + tokens[after].text, after + 1
    return after, text


def _is_group(tokens: Sequence[Token], index: int) -> bool:
    token = token_at(tokens, index)
    if token is None or not token.is_number or token.start - tokens[index - 1].end != _ONE_BLANK:
        return False
    digits = token.text.replace(",", ".").split(".")
    return len(digits[0]) == _GROUP_DIGITS and len(digits) <= 2


def _multiplied(tokens: Sequence[Token], numeral: Numeral) -> Numeral:
    word = low_at(tokens, numeral.after)
    factor = _MULTIPLIERS.get(word)
    if factor is None or (word == "k" and not touches(tokens, numeral.after)):
        return numeral
    after = numeral.after + (2 if word == "mio" and low_at(tokens, numeral.after + 1) == "." else 1)
    values = tuple(value * factor for value in numeral.values)
    # Whoever writes `1.234 million` means a decimal, so the price takes the last reading here.
    return Numeral(after, values, values[-1])


def readings(text: str) -> tuple[Decimal, ...]:
    """Every value `text` can mean: `1.234` is 1234 to one reader and 1.234 to another; empty if it is no number."""
    plain = text.replace("'", "").replace("’", "")
    if len(plain) > _MAX_DIGITS:
        return ()
    marks = [char for char in plain if char in ".,"]
    if not marks:
        return _decimals(plain)
    if len(set(marks)) == 2:
        return _mixed(plain, marks)
    return _one_mark(plain, marks)


def _mixed(plain: str, marks: list[str]) -> tuple[Decimal, ...]:
    """Both marks present: the last one is the decimal mark, and the other must group by three."""
    decimal_mark, group_mark = marks[-1], marks[0]
    if marks.count(decimal_mark) != 1 or decimal_mark == group_mark:
        return ()
    whole, fraction = plain.split(decimal_mark)
    return _decimals(f"{whole.replace(group_mark, '')}.{fraction}") if _groups(whole.split(group_mark)) else ()


def _one_mark(plain: str, marks: list[str]) -> tuple[Decimal, ...]:
    parts = plain.split(marks[0])
    grouped = _decimals("".join(parts)) if _groups(parts) and parts[0] != "0" else ()
    return grouped + (_decimals(".".join(parts)) if len(parts) == 2 else ())


def _groups(parts: list[str]) -> bool:
    return 0 < len(parts[0]) <= _MAX_LEAD_DIGITS and all(len(part) == _GROUP_DIGITS for part in parts[1:])


def _decimals(text: str) -> tuple[Decimal, ...]:
    try:
        return (Decimal(text).normalize(),)
    except InvalidOperation:
        return ()


def _money(text: str, values: tuple[Decimal, ...]) -> Decimal:
    """No price has three decimals, so the first reading, which groups, is the price."""
    return values[0] if values else Decimal(0)
