"""Amounts, percentages, quantities, plain numbers and order numbers: everything in a draft that a wrong digit can
spoil."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from domain.draft.mentions import ItemKind, Key, Match, Token, low_at, same, token_at, touches
from domain.draft.numerals import Numeral, numeral_at
from domain.draft.units import CURRENCIES, currency_at, percent_at, range_end_at, unit_at

_LONG_DIGITS = 8
_KEYED_DIGITS = 4
_NUMBER_SIGNS = frozenset({"#", "nr", "no", "n°", "nº", "º", "°", "number", "nummer", "numéro", "número", "num", "id"})
_ID_NOUNS = tuple(
    "order invoice ticket case customer contract account tracking reference booking serial bestell auftrag rechnung "
    "kunden vorgang vertrag sendung buchung referenz aktenzeichen commande facture dossier client contrat référence "
    "pedido factura cliente contrato referencia caso reserva".split()
)
_ID_FILLERS = frozenset({":", ".", ",", "is", "lautet", "est", "es", "n", *_NUMBER_SIGNS})
_MAX_FILLERS = 3
_MADE_OF = {"week": (7, "day"), "year": (12, "month"), "day": (24, "hour")}
_EACH = frozenset({"per", "pro", "je", "par", "por", "al", "each", "every"})
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "ère", "º", "ª"})


def amount_at(tokens: Sequence[Token], index: int) -> Match | None:
    """`€ 1.234,56`, `EUR 20`, `99 dollars`, `fünfhundert Euro`: kind AMOUNT, key (amount, value, currency)."""
    before = currency_at(tokens, index)
    if before and (numeral := numeral_at(tokens, before[1])) and not numeral.in_words:
        return same(ItemKind.AMOUNT, numeral.after, _amount(numeral.money, before[0]))
    numeral = numeral_at(tokens, index)
    if numeral is None or not (tail := _tail_currency(tokens, numeral)):
        return None
    code, after = tail
    return same(ItemKind.AMOUNT, after, _amount(numeral.money, code))


def _amount(value: Decimal, code: str) -> Key:
    return ("amount", (value / 100 if code == "CENT" else value).normalize(), code)


def _tail_currency(tokens: Sequence[Token], numeral: Numeral) -> tuple[str, int] | None:
    """The currency after the number; in `10-20 €` the first number has it too, and its match ends before the range."""
    dash = 1 if low_at(tokens, numeral.after) == "-" and low_at(tokens, numeral.after + 1) in CURRENCIES else 0
    if found := currency_at(tokens, numeral.after + dash):
        return found
    second = _range_second(tokens, numeral)
    found = second and currency_at(tokens, second.after)
    return (found[0], numeral.after) if found else None


def _range_second(tokens: Sequence[Token], numeral: Numeral) -> Numeral | None:
    at = range_end_at(tokens, numeral.after)
    return numeral_at(tokens, at) if at is not None else None


def percent_match_at(tokens: Sequence[Token], index: int) -> Match | None:
    """`20 %`, `20 Prozent`, `twenty percent`: key (percent, value)."""
    numeral = numeral_at(tokens, index)
    if numeral is None:
        return None
    after = percent_at(tokens, numeral.after)
    if after is None:
        second = _range_second(tokens, numeral)
        after = numeral.after if second and percent_at(tokens, second.after) else None
    if after is None:
        return None
    return same(ItemKind.PERCENT, after, *(("percent", value) for value in numeral.values))


def quantity_at(tokens: Sequence[Token], index: int) -> Match | None:
    """`14 days`, `2-3 Werktage`, `a week`, `16 GB`: key (quantity, value, unit)."""
    numeral = numeral_at(tokens, index)
    if numeral is None:
        return _each_at(tokens, index)
    found = unit_at(tokens, numeral.after, numeral.in_words)
    if found is None:
        second = _range_second(tokens, numeral)
        found = second and unit_at(tokens, second.after, second.in_words or numeral.in_words)
        found = found and (found[0], numeral.after)
    return found and same(ItemKind.QUANTITY, found[1], *_quantities(numeral.values, found[0]))


def _each_at(tokens: Sequence[Token], index: int) -> Match | None:
    """`per month` and `pro Monat` speak of one month, as `a month` does."""
    found = unit_at(tokens, index + 1, in_words=True) if low_at(tokens, index) in _EACH else None
    return found and same(ItemKind.QUANTITY, found[1], *_quantities((Decimal(1),), found[0]))


def _quantities(values: Sequence[Decimal], unit: str) -> Iterator[Key]:
    """Two weeks are fourteen days, a year is twelve months and 48 hours are two days."""
    for value in values:
        yield ("quantity", value, unit)
        if unit in _MADE_OF:
            factor, smaller = _MADE_OF[unit]
            yield ("quantity", (value * factor).normalize(), smaller)


def identifier_at(tokens: Sequence[Token], index: int) -> Match | None:
    """`#10423`, `order no. 10423`, a run of eight digits or more: key (id, letters and digits only)."""
    token = token_at(tokens, index)
    if token is None or not token.is_number or not token.text.isdecimal():
        return None
    if len(token.text) >= _LONG_DIGITS or _numbered(tokens, index) or _named_long(tokens, index):
        return same(ItemKind.IDENTIFIER, index + 1, ("id", token.low))
    return None


def is_keyed(tokens: Sequence[Token], index: int) -> bool:
    """True if the words before `index` announce an order, invoice or similar number."""
    return _numbered(tokens, index) or _named(tokens, index)


def _named_long(tokens: Sequence[Token], index: int) -> bool:
    return len(tokens[index].text) >= _KEYED_DIGITS and _named(tokens, index)


def _numbered(tokens: Sequence[Token], index: int) -> bool:
    back = index - 1 if low_at(tokens, index - 1) not in (".", ":") else index - 2
    sign = low_at(tokens, back)
    return sign in _NUMBER_SIGNS or (len(sign) > 6 and sign.endswith(("nummer", "number")))


def _named(tokens: Sequence[Token], index: int) -> bool:
    at = index - 1
    for _ in range(_MAX_FILLERS):
        if low_at(tokens, at) in _ID_FILLERS:
            at -= 1
    return low_at(tokens, at).startswith(_ID_NOUNS)


def number_at(tokens: Sequence[Token], index: int) -> Match | None:
    """Any other number in digits: key (number, value); a list marker at the start of a line is none."""
    token = token_at(tokens, index)
    if token is None or not token.is_number:
        return None
    numeral = numeral_at(tokens, index)
    if numeral is None:
        return same(ItemKind.NUMBER, index + 1, ("text", token.text))
    after = numeral.after + (1 if low_at(tokens, numeral.after) in _ORDINALS and touches(tokens, numeral.after) else 0)
    return same(ItemKind.NUMBER, after, *(("number", value) for value in numeral.values))
