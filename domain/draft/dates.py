"""Dates as people write them: `31.12.2026`, `Dec 31, 2026`, `le 31 décembre`. A wrong day in a reply is a broken
promise, so every form becomes one value, and a date that can be read two ways matches only what either reader
would accept."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from domain.draft.calendar_words import (
    AMBIGUOUS_MONTHS,
    MIN_LONE_MONTH_CHARS,
    MONTH_LEADS,
    MONTHS,
    MORNING_LEADS,
    NEVER_LONE_MONTHS,
    RELATIVE_DAYS,
    WEEKDAY_ABBREVIATIONS,
    WEEKDAYS,
)
from domain.draft.mentions import ItemKind, Key, Match, Token, low_at, same, token_at, touches

_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "º", "ª", "."})
_OF = frozenset({"of", "de", "del", "d", "'", "’", "the", ",", "."})
_MAX_FILLERS = 3
_CENTURY = 2_000
_DASHES = frozenset({"-", "–", "—"})


def date_at(tokens: Sequence[Token], index: int) -> Match | None:
    """The date that starts at `index`: full, without a year, a month, a weekday or a relative day; kind DATE."""
    token = token_at(tokens, index)
    if token is None:
        return None
    if token.is_number:
        return _dotted(tokens, index) or _separated(tokens, index) or _day_month(tokens, index)
    return _month_first(tokens, index) or _weekday(tokens, index) or _relative(tokens, index)


def _full(after: int, year: int, month: int, day: int) -> Match | None:
    """A whole date proves itself, its parts and its weekday; it is proved by nothing less than itself."""
    try:
        weekday = date(year, month, day).weekday()
    except ValueError:
        return None
    exact: Key = ("date", year, month, day)
    parts: set[Key] = {("month_day", month, day), ("year_month", year, month), ("month", month), ("weekday", weekday)}
    written: set[Key] = {exact, ("either", year, month, day), ("either", year, day, month)}
    return Match(ItemKind.DATE, after, frozenset({exact} | parts), frozenset(written))


def _without_year(after: int, month: int, day: int) -> Match | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    key: Key = ("month_day", month, day)
    return Match(ItemKind.DATE, after, frozenset({key, ("month", month)}), frozenset({key}))


def _ambiguous(after: int, year: int, first: int, second: int) -> Match | None:
    """`03/04/2026` is two dates. It is proved by either one in plain words, but by another such form only in its
    order."""
    exact: Key = ("either", year, first, second)
    accepts: frozenset[Key] = frozenset({exact, ("date", year, first, second), ("date", year, second, first)})
    return Match(ItemKind.DATE, after, frozenset({exact}), accepts)


def _year(text: str) -> int | None:
    if not text.isdecimal() or len(text) not in (2, 4):
        return None
    return int(text) + (_CENTURY if len(text) == 2 else 0)


def _small(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= 2 else None


def _dotted(tokens: Sequence[Token], index: int) -> Match | None:
    """`31.12.2026` and `31.12.`; the latter may also be a decimal at the end of a sentence, so it keeps that
    reading."""
    parts = tokens[index].text.split(".")
    numbers = [_small(part) for part in parts[:2]]
    if len(parts) not in (2, 3) or None in numbers:
        return None
    day, month = int(parts[0]), int(parts[1])
    if len(parts) == 3:
        year = _year(parts[2])
        return _full(index + 1, year, month, day) if year else None
    return _open_dotted(tokens, index, day, month) if low_at(tokens, index + 1) == "." else None


def _open_dotted(tokens: Sequence[Token], index: int, day: int, month: int) -> Match | None:
    follower = token_at(tokens, index + 2)
    if follower and follower.is_number and touches(tokens, index + 2):
        return None
    found = _without_year(index + 1, month, day)
    number: Key = ("number", Decimal(tokens[index].text).normalize())
    return found and found._replace(offers=found.offers | {number}, accepts=found.accepts | {number})


def _separated(tokens: Sequence[Token], index: int) -> Match | None:
    """`2026-12-31`, `2026/12/31`, `31/12/2026`, `12/31/26`, `31-12-2026`, all without blanks."""
    mark = low_at(tokens, index + 1)
    if mark not in ("/", "-") or low_at(tokens, index + 3) != mark:
        return None
    if not all(touches(tokens, at) for at in range(index + 1, index + 5)):
        return None
    first, second, third = (low_at(tokens, at) for at in (index, index + 2, index + 4))
    if len(first) == 4:
        year, month, day = _year(first), _small(second), _small(third)
        return _full(index + 5, year, month, day) if year and month and day else None
    return _day_or_month_first(index + 5, _small(first), _small(second), _year(third))


def _day_or_month_first(after: int, first: int | None, second: int | None, year: int | None) -> Match | None:
    if not (first and second and year):
        return None
    if first > 12 or first == second:
        return _full(after, year, second, first)
    return _full(after, year, first, second) if second > 12 else _ambiguous(after, year, first, second)


def _day_month(tokens: Sequence[Token], index: int) -> Match | None:
    """`31. Dezember 2026`, `3rd of April, 2026`, `3 de abril de 2026`, `1er avril`."""
    day = _small(tokens[index].text)
    if not day:
        return None
    at = _skip(tokens, index + 1, _ORDINALS | _OF)
    month = _month(tokens, at)
    return _with_year(tokens, at + 1, month, day) if month else None


def _month_first(tokens: Sequence[Token], index: int) -> Match | None:
    """`December 31, 2026`, `Dec 31st`, `April 2026`, `im Dezember`."""
    month = _month(tokens, index)
    if not month:
        return None
    at = _skip(tokens, index + 1, frozenset({"."}))
    following = low_at(tokens, at)
    if (day := _small(following)) and _plain_number(tokens, at):
        return _with_year(tokens, _skip(tokens, at + 1, _ORDINALS - {"."}), month, day)
    year_at = _skip(tokens, index + 1, _OF)
    if year := _four_digits(tokens, year_at):
        key: Key = ("year_month", year, month)
        return Match(ItemKind.DATE, year_at + 1, frozenset({key, ("month", month)}), frozenset({key}))
    return _lone_month(tokens, index, month)


def _lone_month(tokens: Sequence[Token], index: int, month: int) -> Match | None:
    word = tokens[index]
    if len(word.low) < MIN_LONE_MONTH_CHARS or word.low in NEVER_LONE_MONTHS:
        return None
    if word.low in AMBIGUOUS_MONTHS and low_at(tokens, index - 1) not in MONTH_LEADS:
        return None
    return same(ItemKind.DATE, index + 1, ("month", month))


def _with_year(tokens: Sequence[Token], after: int, month: int, day: int) -> Match | None:
    at = _skip(tokens, after, _OF)
    year = _four_digits(tokens, at)
    return _full(at + 1, year, month, day) if year else _without_year(after, month, day)


def _four_digits(tokens: Sequence[Token], index: int) -> int | None:
    text = low_at(tokens, index)
    return int(text) if len(text) == 4 and text.isdecimal() and 1900 <= int(text) < 2200 else None


def _plain_number(tokens: Sequence[Token], index: int) -> bool:
    """False where the number belongs to a clock time, as in `on Mar 3:30`."""
    return low_at(tokens, index + 1) != ":" or not touches(tokens, index + 1)


def _month(tokens: Sequence[Token], index: int) -> int | None:
    token = token_at(tokens, index)
    if token is None or (token.text in ("may", "march", "set", "mar") and token.text.islower()):
        return None
    return MONTHS.get(token.low)


def _skip(tokens: Sequence[Token], index: int, fillers: frozenset[str]) -> int:
    end = index + _MAX_FILLERS
    while index < end and low_at(tokens, index) in fillers:
        index += 1
    return index


def _weekday(tokens: Sequence[Token], index: int) -> Match | None:
    word = low_at(tokens, index)
    number = WEEKDAYS.get(word)
    if number is None and _in_weekday_range(tokens, index):
        number = WEEKDAY_ABBREVIATIONS[word]
    return same(ItemKind.DATE, index + 1, ("weekday", number)) if number is not None else None


def _in_weekday_range(tokens: Sequence[Token], index: int) -> bool:
    """`Mon-Fri` and `Mo–Fr` are weekdays; a lone `Mon`, `so` or `mar` is not."""

    def named(at: int) -> bool:
        token = token_at(tokens, at)
        return token is not None and token.text[:1].isupper() and token.low in WEEKDAY_ABBREVIATIONS

    joined = any(low_at(tokens, index + step) in _DASHES and named(index + 2 * step) for step in (1, -1))
    return joined and named(index)


def _relative(tokens: Sequence[Token], index: int) -> Match | None:
    for words, name in RELATIVE_DAYS:
        if all(low_at(tokens, index + at) == word for at, word in enumerate(words)):
            return None if _is_morning(tokens, index, words) else same(ItemKind.DATE, index + len(words), ("day", name))
    return None


def _is_morning(tokens: Sequence[Token], index: int, words: tuple[str, ...]) -> bool:
    if words not in (("morgen",), ("mañana",)):
        return False
    return low_at(tokens, index - 1) in MORNING_LEADS or tokens[index].text == "Morgen"
