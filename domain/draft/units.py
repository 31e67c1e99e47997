"""Currencies, percent signs and units in four languages, so that `30 Tage` and `30 days` are one statement and
`30 weeks` is another."""

from collections.abc import Sequence

from domain.draft.mentions import Token, low_at, token_at


def _inverted(table: dict[str, str]) -> dict[str, str]:
    return {word: unit for unit, words in table.items() for word in words.split()}


CURRENCIES = _inverted(
    {
        "EUR": "€ eur euro euros",
        "USD": "$ usd dollar dollars dólar dólares buck bucks",
        "GBP": "£ gbp pound pounds quid pfund livre livres libra libras",
        "CHF": "chf franken francs francos",
        "JPY": "¥ jpy yen",
        "PLN": "pln zł",
        "SEK": "sek",
        "DKK": "dkk",
        "NOK": "nok",
        "CAD": "cad",
        "AUD": "aud",
        "MXN": "mxn pesos",
        "CENT": "cents centimes céntimos centavos",
    }
)
_UNITS = _inverted(
    {
        "workday": "werktag werktage werktagen werktags arbeitstag arbeitstage arbeitstagen workday workdays",
        "day": "day days tag tage tagen tages tägig tägige tägigen tägiges tägiger jour jours día días",
        "week": "week weeks woche wochen wöchig wöchige wöchigen semaine semaines semana semanas",
        "month": "month months monat monate monaten monats monatig monatige monatigen mois mes meses",
        "year": "year years jahr jahre jahren jahres jährig jährige jährigen an ans année années año años",
        "hour": "hour hours hr hrs stunde stunden heure heures hora horas h",
        "minute": "minute minutes minuten min mins minuto minutos",
        "second": "second seconds sekunde sekunden seconde secondes segundo segundos",
        "gb": "gb",
        "mb": "mb",
        "kb": "kb",
        "tb": "tb",
        "kg": "kg kilogram kilograms kilogramm kilo kilos",
        "g": "g gram grams gramm grammes gramos",
        "km": "km kilometres kilometers kilometer",
        "m": "m metre metres meter meters mètres metros",
        "cm": "cm",
        "mm": "mm",
        "l": "l litre litres liter liters litros",
        "ml": "ml",
        "w": "w watt watts",
        "kwh": "kwh",
        "v": "v volt volts",
    }
)
_WORKING = frozenset("business working werk ouvré ouvrés ouvrable ouvrables hábil hábiles laborable laborables".split())
_SOFT = frozenset("calendar full ganze ganzen volle vollen entiers naturales consecutive".split())
_PERCENT_WORDS = frozenset({"%", "percent", "prozent", "pct"})
_PERCENT_PAIRS = frozenset({("per", "cent"), ("pour", "cent"), ("por", "ciento")})
RANGE_WORDS = frozenset({"-", "–", "—", "to", "bis", "à", "a", "or", "oder", "ou", "o"})
_WORD_NUMBER_UNITS = frozenset({"workday", "day", "week", "month", "year", "hour", "minute"})


def is_unit(word: str) -> bool:
    """True if the case-folded `word` names a unit by itself."""
    return word in _UNITS


def currency_at(tokens: Sequence[Token], index: int) -> tuple[str, int] | None:
    """The ISO code of the currency at `index` and the index after it, or None."""
    code = CURRENCIES.get(low_at(tokens, index))
    return (code, index + 1) if code else None


def percent_at(tokens: Sequence[Token], index: int) -> int | None:
    """The index after a percent sign or word at `index`, or None."""
    if low_at(tokens, index) in _PERCENT_WORDS:
        return index + 1
    return index + 2 if (low_at(tokens, index), low_at(tokens, index + 1)) in _PERCENT_PAIRS else None


def unit_at(tokens: Sequence[Token], index: int, in_words: bool = False) -> tuple[str, int] | None:
    """The unit at `index` (a hyphen before it allowed) and the index after it; number words take units of time
    alone."""
    start = index + 1 if low_at(tokens, index) == "-" else index
    working = low_at(tokens, start) in _WORKING
    if working or low_at(tokens, start) in _SOFT:
        start += 1
    unit = _UNITS.get(low_at(tokens, start))
    if unit is None or (in_words and unit not in _WORD_NUMBER_UNITS):
        return None
    after = start + 1
    if low_at(tokens, after) in _WORKING:
        working, after = True, after + 1
    return ("workday" if working and unit == "day" else unit), after


def range_end_at(tokens: Sequence[Token], index: int) -> int | None:
    """The index of the second number if the token at `index` joins a range such as `2-3` or `2 bis 3`, or None."""
    second = token_at(tokens, index + 1)
    return index + 1 if low_at(tokens, index) in RANGE_WORDS and second is not None else None
