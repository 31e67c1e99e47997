"""Clock times: `14:30`, `2:30 pm`, `14h30`, `9 Uhr`. Opening hours and appointments are promises too."""

from collections.abc import Sequence

from domain.draft.mentions import ItemKind, Key, Match, Token, low_at, same, token_at, touches
from domain.draft.units import range_end_at

_CLOCK_WORDS = frozenset({"uhr", "heures", "horas", "h"})
_NOON_HOURS = 12
_MINUTES = 60


def time_at(tokens: Sequence[Token], index: int) -> Match | None:
    """The clock time that starts at `index`, in minutes since midnight: kind TIME."""
    token = token_at(tokens, index)
    if token is None or not token.is_number:
        return None
    clock = _clock(tokens, index)
    return clock and (_marked(tokens, *clock) or _range_start(tokens, *clock[:2]))


def _clock(tokens: Sequence[Token], index: int) -> tuple[int, int, bool] | None:
    return _with_minutes(tokens, index) or _bare_hour(tokens, index)


def _with_minutes(tokens: Sequence[Token], index: int) -> tuple[int, int, bool] | None:
    """Index after, minutes, and whether it is a time by its form alone."""
    joined = low_at(tokens, index + 1) in (":", "h") and touches(tokens, index + 1) and touches(tokens, index + 2)
    if joined and (minutes := _minutes(low_at(tokens, index), low_at(tokens, index + 2))) is not None:
        return index + 3, minutes, True
    hour, dot, rest = tokens[index].text.partition(".")
    minutes = _minutes(hour, rest) if dot else None
    return (index + 1, minutes, False) if minutes is not None else None


def _bare_hour(tokens: Sequence[Token], index: int) -> tuple[int, int, bool] | None:
    minutes = _minutes(tokens[index].text, "00")
    return (index + 1, minutes, False) if minutes is not None else None


def _minutes(hour: str, minute: str) -> int | None:
    if not (hour.isdecimal() and minute.isdecimal() and len(hour) <= 2 and len(minute) == 2):
        return None
    return int(hour) * _MINUTES + int(minute) if int(hour) <= 24 and int(minute) < _MINUTES else None


def _marked(tokens: Sequence[Token], after: int, minutes: int, certain: bool) -> Match | None:
    """A time with something that says so: `am`, `Uhr`, `h`, or a colon inside."""
    half = _meridiem(tokens, after)
    if half:
        name, end = half
        hours = minutes // _MINUTES % _NOON_HOURS + (_NOON_HOURS if name == "p" else 0)
        return same(ItemKind.TIME, end, _key(hours * _MINUTES + minutes % _MINUTES))
    if low_at(tokens, after) in _CLOCK_WORDS:
        return _clock_word(tokens, after, minutes)
    return same(ItemKind.TIME, after, _key(minutes)) if certain else None


def _key(minutes: int) -> Key:
    return ("time", minutes)


def _clock_word(tokens: Sequence[Token], after: int, minutes: int) -> Match:
    """`9 Uhr` is a time; `24 h` and `9 heures` may also be a span of hours and keep both readings."""
    keys = [_key(minutes)]
    if low_at(tokens, after) != "uhr" and minutes % _MINUTES == 0:
        keys.append(("quantity", minutes // _MINUTES, "hour"))
    return same(ItemKind.TIME, after + 1, *keys)


def _meridiem(tokens: Sequence[Token], index: int) -> tuple[str, int] | None:
    """`am`, `pm`, `a.m.`, `p.m.` in small or capital letters."""
    word = low_at(tokens, index)
    if word in ("am", "pm"):
        return word[0], index + 1
    dotted = [low_at(tokens, index + at) for at in range(4)]
    return (word, index + 4) if dotted in (["a", ".", "m", "."], ["p", ".", "m", "."]) else None


def _range_start(tokens: Sequence[Token], after: int, minutes: int) -> Match | None:
    """The first time of `9-17 Uhr` and `9 to 5 pm`: its own half of the day stays open."""
    second = range_end_at(tokens, after)
    clock = _clock(tokens, second) if second is not None and tokens[second].is_number else None
    found = clock and _marked(tokens, *clock)
    if not found or low_at(tokens, found.after - 1) in ("h", "heures", "horas"):
        return None
    other = (minutes + _NOON_HOURS * _MINUTES) % (24 * _MINUTES)
    return same(ItemKind.TIME, after, _key(minutes), _key(other))
