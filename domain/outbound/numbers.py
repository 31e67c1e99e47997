"""Bank account and card numbers told from other numbers by their check digits (HW5)."""

import re
from collections.abc import Iterator

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ \u00a0-]?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24,
    "XK": 20,
}
_CARD = re.compile(r"(?<![\w.,-])(?:\d[ \u00a0-]?){12,18}\d(?![\w-]|[.,]\d)")
_CARD_PREFIX = re.compile(r"4|5[1-5]|2[2-7]|3[47]|3[068]|6(?:011|4[4-9]|5)|35|50|5[6-9]|6[0-9]")


def find_numbers(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, start and end of each bank account and card number."""
    yield from _ibans(text)
    for match in _CARD.finditer(text):
        if is_card(match[0]):
            yield "card", match.start(), match.end()


def _ibans(text: str) -> Iterator[tuple[str, int, int]]:
    """IBANs of a known country, right length and right check digits (ISO 13616)."""
    for match in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(match[0][:2], 0)
        taken, end = "", match.start()
        for character in match[0]:
            if len(taken) == length:
                break
            taken += "" if character in " \u00a0-" else character
            end += 1
        if length and is_iban(taken):
            yield "iban", match.start(), end


def is_iban(value: str) -> bool:
    """Whether `value`, without blanks, has the length of its country and the remainder 1 modulo 97."""
    if len(value) != _IBAN_LENGTHS.get(value[:2]):
        return False
    turned = value[4:] + value[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


def is_card(value: str) -> bool:
    """Whether the digits of `value` make a card number: known prefix, 13 to 19 digits, Luhn sum (ISO 7812)."""
    digits = [int(character) for character in value if character.isdigit()]
    plain = "".join(map(str, digits))
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2 or not _CARD_PREFIX.match(plain):
        return False
    total = sum(digits[-1::-2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return total % 10 == 0
