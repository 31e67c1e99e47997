"""Secrets and personal numbers in an outgoing text: HW5, HM-23, A81."""

import pytest

from domain.outbound.leaks import carries_token, find_leaks, is_jwt, looks_secret
from domain.outbound.numbers import is_card, is_iban

pytestmark = pytest.mark.walls


@pytest.mark.parametrize(
    ("text", "detector"),
    [
        ("-----BEGIN RSA PRIVATE KEY-----", "private_key"),
        ("-----BEGIN PRIVATE KEY-----", "private_key"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIz", "jwt"),
        ("sk_live_" + "4eC39HqLyjWDarjtT1zd", "api_key"),
        ("AKIA" + "IOSFODNN7EXAMPLE", "api_key"),
        ("ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "api_key"),
        ("Your API key: 9f8a7b6c5d4e3f2a1b0c", "named_secret"),
        ("Bearer 9f8a7b6c5d4e3f2a1b0c9d", "named_secret"),
        ("Your password is Xk9!vprq", "password"),
        ("Ihr Passwort lautet: Sommer2024", "password"),
        ("Votre mot de passe est Ete-2024", "password"),
        ("Su contrase\u00f1a es Verano2024", "password"),
        ("Your verification code is 482913", "one_time_code"),
        ("482 913 is your login code", "one_time_code"),
        ("Der Best\u00e4tigungscode lautet 7731", "one_time_code"),
        ("Le code de v\u00e9rification est 482913", "one_time_code"),
        ("El c\u00f3digo de verificaci\u00f3n es 482913", "one_time_code"),
        ("TAN: 482913", "one_time_code"),
        ("https://shop.example/reset?token=9f8a7b6c5d4e3f2a1b0c9d", "login_link"),
        ("https://shop.example/magic/9f8a7b6c5d4e3f2a1b0c9d8e7f", "login_link"),
        ("shop.example/login#token=9f8a7b6c5d4e3f2a1b0c9d", "login_link"),
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("NL91ABNA0417164300.", "iban"),
        ("GB82-WEST-1234-5698-7654-32", "iban"),
        ("4111 1111 1111 1111", "card"),
        ("5500-0055-5555-5559", "card"),
        ("378282246310005", "card"),
    ],
)
def test_secrets_are_found(text: str, detector: str) -> None:
    """HM-23, A81: each kind is found within a sentence."""  # HM-23, A81, HW5
    found = list(find_leaks(f"Hello, {text} thank you"))
    assert detector in {leak.detector for leak in found}


@pytest.mark.parametrize(
    "text",
    [
        "Please reset your password on the page",
        "Password: please use the form",
        "Your password must be at least 8 characters",
        "Your order 4711 / 12345678 left on 3.4.2025",
        "DE88 3704 0044 0532 0130 00",
        "4111 1111 1111 1112",
        "order number 1234567890123456",
        "https://shop.example/help/returns",
        "https://shop.example/login",
        "call +49 30 1234567890",
        "tracking 00340434161094042557",
        "postal code 10115 Berlin",
        "Error code 40412",
        "Der Code f\u00fcr 10 % Rabatt ist SOMMER",
        "PIN: the pin of the plug is bent",
        "https://shop.example/article/12345-lamp-with-a-very-long-name-and-shade",
        "The TAN list",
        "secret santa gift",
        "the token of our thanks",
        "Kennwort: bitte selbst setzen",
        "Total 1.234,56 EUR",
        "0000 0000 0000 0000",
    ],
)
def test_ordinary_words_and_numbers_are_no_secret(text: str) -> None:
    """HW5: order numbers, phone numbers, prices, help links and talk about passwords pass."""  # HW5
    assert list(find_leaks(text)) == []


def test_check_digits_decide() -> None:
    """HW5: IBAN by remainder 97 and length of its country, cards by prefix and Luhn sum."""  # HW5
    assert is_iban("DE89370400440532013000") and not is_iban("DE89370400440532013001")
    assert not is_iban("DE8937040044053201300") and not is_iban("XX89370400440532013000")
    assert is_card("4242 4242 4242 4242") and not is_card("4242 4242 4242 4241") and not is_card("1234567812345670")


def test_shapes_of_secrets() -> None:
    """HW5: a token header must be JSON, a password no plain word, a link token random."""  # HW5
    assert is_jwt("eyJhbGciOiJub25lIn0.e30.") and not is_jwt("eyJub3QganNvbg.e30.")
    assert looks_secret("Xk9!vprq") and not looks_secret("please") and not looks_secret("https://shop.example/1")
    assert carries_token("https://a.example/x?sig=Zm9vYmFyMTIzNDU2Nzg5MA") and not carries_token(
        "https://a.example/x?page=2"
    )


@pytest.mark.parametrize(
    "worst",
    [
        "1 " * 60_000,
        "1" * 200_000,
        "DE89" * 40_000,
        "DE89 1 " * 20_000,
        "password is " * 15_000,
        "eyJaaaaa." * 20_000,
        "security code " * 10_000,
        "1234 " * 30_000,
        "token=1234567890abcdefg&" * 6_000,
        "-----BEGIN " * 15_000,
        "ghp_" * 40_000,
        "api key " * 20_000,
    ],
)
def test_worst_case_text_is_read_in_one_pass(worst: str) -> None:
    """HM-36: floods of half secrets come to an end."""  # HM-36
    assert len(list(find_leaks(worst))) >= 0
