"""The same fact in different spellings is one fact, a different fact never is."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.draft.extraction import facts_in, mentions_in
from domain.draft.mentions import ItemKind, Mention


def only(text: str, kind: ItemKind) -> Mention:
    """The one mention of a kind in a text."""
    (mention,) = [mention for mention in mentions_in(text) if mention.kind is kind]
    return mention


def proves(source: str, draft: str, kind: ItemKind) -> bool:
    """Does the statement in `source` prove the one in `draft`?"""
    return not only(draft, kind).accepts.isdisjoint(only(source, kind).offers)


AMOUNTS = [
    ("1.234,56 €", "EUR 1,234.56", True),
    ("1.234,56 €", "1 234,56 euros", True),
    ("1'234.50 CHF", "CHF 1234,50", True),
    ("1.234 €", "1234 Euro", True),
    ("1,234 dollars", "$1234", True),
    ("fünfhundert Euro", "€500", True),
    ("five hundred and fifty dollars", "$550.00", True),
    ("cinq cents euros", "500 €", True),
    ("quinientos euros", "500,00 EUR", True),
    ("1.5 million euros", "1.500.000 €", True),
    ("50 cents", "0.50 cents", False),
    ("1.234,56 €", "1.243,56 €", False),
    ("500 €", "500 $", False),
    ("12.50 €", "1250 €", False),
    ("1.234 €", "1.234,5 €", False),
]


@pytest.mark.parametrize(("source", "draft", "same"), AMOUNTS)
def test_amounts_compare_by_value_and_currency(source: str, draft: str, same: bool) -> None:
    """`1.234,56` is `1,234.56`, words are digits, and a changed digit or currency is another amount."""
    # P75, HW9
    assert proves(f"It costs {source} now", f"It costs {draft} now", ItemKind.AMOUNT) is same


DATES = [
    ("31.12.2026", "Dec 31, 2026", True),
    ("2026-12-31", "31. Dezember 2026", True),
    ("31 décembre 2026", "31 de diciembre de 2026", True),
    ("1er avril 2026", "April 1st, 2026", True),
    ("3rd of April 2026", "03.04.2026", True),
    ("31/12/2026", "December 31 2026", True),
    ("3 April 2026", "03/04/2026", True),
    ("3 April 2026", "04/03/2026", True),
    ("03/04/2026", "03/04/2026", True),
    ("03/04/2026", "04/03/2026", False),
    ("31.12.2026", "31. Dezember", True),
    ("31. Dezember", "31.12.2026", False),
    ("31.12.2026", "Dezember 2026", True),
    ("31.12.2026", "30.12.2026", False),
    ("31.12.2026", "31.12.2027", False),
    ("2026-05-04", "Monday", True),
    ("2026-05-04", "Tuesday", False),
    ("Montag", "Monday", True),
    ("tomorrow", "demain", True),
    ("tomorrow", "übermorgen", False),
]


@pytest.mark.parametrize(("source", "draft", "same"), DATES)
def test_dates_compare_by_day(source: str, draft: str, same: bool) -> None:
    """Every spelling is one day; a year out of nowhere is not proved, two ambiguous dates match in their order."""
    # P75, HW9
    assert proves(f"x {source} x", f"x {draft} x", ItemKind.DATE) is same


OTHERS = [
    (ItemKind.PERCENT, "20 %", "zwanzig Prozent", True),
    (ItemKind.PERCENT, "20 pour cent", "20por ciento", True),
    (ItemKind.PERCENT, "12.5 %", "12,5%", True),
    (ItemKind.PERCENT, "20 %", "25 %", False),
    (ItemKind.QUANTITY, "14 Tage", "fourteen days", True),
    (ItemKind.QUANTITY, "30-day", "30 jours", True),
    (ItemKind.QUANTITY, "two weeks", "14 days", True),
    (ItemKind.QUANTITY, "per month", "a month", True),
    (ItemKind.QUANTITY, "14 Werktage", "14 business days", True),
    (ItemKind.QUANTITY, "14 jours ouvrés", "14 jours", False),
    (ItemKind.QUANTITY, "30 days", "30 weeks", False),
    (ItemKind.QUANTITY, "38 kg", "38 g", False),
    (ItemKind.TIME, "14:30", "2:30 pm", True),
    (ItemKind.TIME, "9 Uhr", "9 a.m.", True),
    (ItemKind.TIME, "17h", "5 pm", True),
    (ItemKind.TIME, "14:30", "4:30 pm", False),
    (ItemKind.NUMBER, "1.234.567 items", "1,234,567 items", True),
    (ItemKind.NUMBER, "25 seats", "26 seats", False),
    (ItemKind.IDENTIFIER, "RE-2026-77", "re-2026-77", True),
    (ItemKind.IDENTIFIER, "order no. 10423", "#10423", True),
    (ItemKind.IDENTIFIER, "Bestellung 10423", "order 10432", False),
    (ItemKind.LINK, "https://www.shop.example.org/help/", "shop.example.org/help", True),
    (ItemKind.LINK, "https://shop.example.org/help", "https://shop.example.org/help?d=7", False),
    (ItemKind.LINK, "https://shop.example.org", "https://shop.example.org.evil.example.com", False),
    (ItemKind.LINK, "https://shop.example.org", "ftp://shop.example.org", False),
    (ItemKind.LINK, "[page](https://shop.example.org/a)", "//shop.example.org/a", True),
    (ItemKind.LINK, "+49 30 5550123", "+49 (30) 555-0123", True),
    (ItemKind.EMAIL, "mailto:Care@example.org", "care@example.org", True),
]


@pytest.mark.parametrize(("kind", "source", "draft", "same"), OTHERS)
def test_other_facts_compare_by_meaning(kind: ItemKind, source: str, draft: str, same: bool) -> None:
    """Percentages, quantities, times, numbers, order numbers and links in every spelling, and nothing beside them."""
    # P75, HW9
    assert proves(f"x {source} x", f"x {draft} x", kind) is same


@pytest.mark.parametrize(
    "text",
    [
        "1. Open the box\n2) Take the desk out",
        "Guten Morgen, vielen Dank für Ihre Nachricht.",
        "Thank you for your question about the refund.",
        "Please confirm your delivery address.",
        "We are happy to help. Feel free to write again.",
        "Have a nice day!\n\nBest regards\nCustomer Support",
        "Merci pour votre message. Nous restons à votre disposition.\nCordialement",
        "Gracias por su mensaje. Un cordial saludo",
        "e.g. this, z.B. das, and/or both",
        "",
    ],
)
def test_courtesy_states_nothing(text: str) -> None:
    """Greetings, thanks, list numbers and requests need no source."""
    # P75
    assert [(mention.kind, mention.text) for mention in mentions_in(text)] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We will refund you.", ItemKind.PROMISE),
        ("Wie versprochen schreiben wir es gut.", ItemKind.PROMISE),
        ("Vous recevrez une réponse.", ItemKind.PROMISE),
        ("Le llamaremos.", ItemKind.PROMISE),
        ("Thank you, we have issued a refund.", ItemKind.PROMISE),
        ("Please take the full refund.", ItemKind.PROMISE),
        ("Anna Weber will see to it", ItemKind.NAME),
        ("Fragen Sie Frau Siemer.", ItemKind.NAME),
        ("Der ProMax ist neu.", ItemKind.NAME),
        ("nimm den Tarif Kontor Plus", ItemKind.NAME),
        ("Rufen Sie 0800 5550123 an", ItemKind.LINK),
        ("see evil.example.com", ItemKind.LINK),
    ],
)
def test_each_kind_is_found(text: str, kind: ItemKind) -> None:
    """Commitments, names, hosts and phone numbers are found without any markup."""
    # P75, HT9, HL3
    assert kind in {mention.kind for mention in mentions_in(text)}


def test_an_order_number_that_starts_with_zero_is_no_phone_number() -> None:
    """`order 0012345678` may be echoed; a phone number may not."""
    # P66
    assert {mention.kind for mention in facts_in("your order 0012345678 is here")} == {ItemKind.IDENTIFIER}


PIECES = ["31.12.2026", "we will ", "refund", "zwei ", "hundert", "+49", "http://"]
ALPHABET = st.sampled_from([*"019.,-/:€%#@ \nAaeéßx'’()[]", *PIECES])


@settings(max_examples=300, deadline=None)
@given(st.lists(ALPHABET, max_size=60).map("".join))
def test_offsets_point_at_the_text_found(text: str) -> None:
    """Whatever the text, every mention stands where it says, and only promises and names share characters."""
    # P75
    mentions = mentions_in(text)
    assert all(text[mention.start : mention.end] == mention.text and mention.text for mention in mentions)
    spans = sorted((m.start, m.end) for m in mentions if m.kind is not ItemKind.PROMISE)
    assert all(left[1] <= right[0] for left, right in zip(spans, spans[1:], strict=False))


@settings(max_examples=300, deadline=None)
@given(st.lists(ALPHABET, max_size=60).map("".join))
def test_every_statement_proves_itself(text: str) -> None:
    """A text is always a sufficient source of its own facts."""
    # P75
    assert all(mention.accepts & mention.offers for mention in facts_in(text))


WORST = ["1-", "1 234 ", "a@b.c", "einund", "cent ", "nous vous a", "0 ", "a:", "1. ", "http://", "x(", "We ", "no "]
WORST += ["+1 2 3 4 5 6 7 8 ", "no refund ship cancel voucher free delete "]


@pytest.mark.parametrize("piece", WORST)
def test_work_grows_with_length_not_with_its_square(piece: str) -> None:
    """Eight times the worst text costs far less than sixty-four times the work."""
    # HX5, HM-36

    def cost(times: int) -> float:
        text = piece * (times // len(piece))
        began = time.process_time()
        mentions_in(text)
        return time.process_time() - began

    cost(200)
    small, large = (min(cost(times) for _ in range(3)) for times in (2_000, 16_000))
    assert large < 40 * max(small, 0.002)


def test_words_around_a_code_or_link_are_no_neighbours() -> None:
    """What stands on both sides of something already read makes no amount together."""
    # P75
    assert {mention.kind for mention in mentions_in("take two RE-77 € signs")} == {ItemKind.IDENTIFIER}
    assert {mention.kind for mention in mentions_in("in 5 https://a.example.org/x days")} == {
        ItemKind.NUMBER,
        ItemKind.LINK,
    }
