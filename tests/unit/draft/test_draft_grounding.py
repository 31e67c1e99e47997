"""What we may say is what we know; what a customer says is not."""

import re

import pytest
from grounding_corpus import INTRUSIONS, Scenario, clean_drafts, intruded_drafts, spoiled_drafts
from plain_answers import PLAIN_ANSWERS

from domain.briefing import Source, SourceKind
from domain.briefing.grounding_sources import signature_source
from domain.draft.grounding import OWN_MAIL_ID, Grounding, ground
from domain.draft.mentions import ItemKind
from domain.draft.names import guessed_language

MAX_FALSE_ALARMS = 0.05


def source(text: str, kind: SourceKind = SourceKind.VERIFIED, trusted: bool = True, **fields: str) -> Source:
    return Source(**{"id": "s-1", "title": "", **fields}, kind=kind, text=text, trusted=trusted)


def grounded(scenario: Scenario, draft: str) -> Grounding:
    return ground(draft, [source(scenario.known)], scenario.mail)


def test_the_corpus_is_large_enough() -> None:
    """At least 200 spoiled drafts and twenty right ones, all four languages among them."""
    # HW9
    assert len(spoiled_drafts()) + len(intruded_drafts()) >= 200
    assert len(clean_drafts()) >= 20
    assert {scenario.language for scenario, _ in clean_drafts()} == {"en", "de", "fr", "es"}


@pytest.mark.parametrize(("scenario", "draft", "slip"), spoiled_drafts() + intruded_drafts())
def test_every_planted_slip_is_caught(scenario: Scenario, draft: str, slip: str) -> None:
    """A changed digit, unit, date, name, link or promise leaves at least one item without a source."""
    # HW9, P66
    assert grounded(scenario, draft).ungrounded


def test_right_answers_raise_few_alarms() -> None:
    """At most 5 % of right answers hold an item that no source proves, those that repeat the customer's numbers among
    them."""
    # HW9
    right = [(scenario.known, scenario.mail, draft) for scenario, draft in clean_drafts()] + list(PLAIN_ANSWERS)
    alarms = [draft for known, mail, draft in right if ground(draft, [source(known)], mail).ungrounded]
    assert len(right) >= 60 and len(alarms) <= MAX_FALSE_ALARMS * len(right), alarms


@pytest.mark.parametrize(("known", "mail", "draft"), PLAIN_ANSWERS)
def test_any_other_number_in_a_plain_answer_is_caught(known: str, mail: str, draft: str) -> None:
    """Each number of an answer, counted up by one where nobody has named that one, loses its ground."""
    # HW9
    named = set(re.findall(r"\d+", known + mail))
    for match in re.finditer(r"\d+", draft):
        wrong = str(int(match.group()) + 1)
        spoiled = draft[: match.start()] + wrong + draft[match.end() :]
        assert wrong in named or ground(spoiled, [source(known)], mail).ungrounded, spoiled


@pytest.mark.parametrize(("known", "mail", "draft"), PLAIN_ANSWERS)
def test_any_foreign_sentence_in_a_plain_answer_is_caught(known: str, mail: str, draft: str) -> None:
    """An answer with one invented promise, price, date, person or link at its end is never wholly grounded."""
    # HW9
    for sentence in INTRUSIONS[guessed_language(draft)]:
        assert ground(f"{draft}\n{sentence}", [source(known)], mail).ungrounded, sentence


def test_score_is_the_share_of_proved_items() -> None:
    """Three of four items proved is 0.75; a draft that states nothing scores 1.0."""
    # P75
    found = ground("It costs 5 EUR, takes 3 days, weighs 2 kg and lasts 9 years.", [source("5 EUR, 3 days, 2 kg")], "")
    assert (len(found.items), found.score) == (4, 0.75)
    assert [item.text for item in found.ungrounded] == ["9 years"]
    assert ground("Thank you for your mail.", [], "").score == 1.0


def test_an_amount_nobody_knows_lowers_the_score() -> None:
    """An amount that stands nowhere is ungrounded."""
    # A70
    found = ground("That is 70 EUR.", [source("Prices are in EUR.")], "How much?")
    assert found.score < 1 and [item.text for item in found.ungrounded] == ["70 EUR"]


@pytest.mark.parametrize(
    "words",
    [
        "That is 500 €.",
        "That is 90 %.",
        "See https://evil.example.com/x.",
        "Write to x@evil.example.com.",
        "We will refund it.",
        "It takes 3 days.",
        "It is on 17 November 2028.",
        "It holds 77 pieces.",
    ],
)
def test_the_customers_word_proves_no_fact(words: str) -> None:
    """Amounts, percentages, links, promises, dates and numbers of the customer's mail stay ungrounded, but marked."""
    # P66, A70, HM-24
    found = ground(words, [source("We are open.")], f"You said so: {words}")
    assert len(found.ungrounded) == 1
    assert found.ungrounded[0].claimed_in == OWN_MAIL_ID and found.ungrounded[0].source_id is None


@pytest.mark.parametrize(
    ("draft", "kind"),
    [
        ("your order 104233 arrived", ItemKind.IDENTIFIER),
        ("your case RMA-77-K2 is open", ItemKind.IDENTIFIER),
        ("thank you, Dear Mara", ItemKind.NAME),
    ],
)
def test_an_echoed_identifier_raises_no_objection(draft: str, kind: ItemKind) -> None:
    """Order numbers and names may be repeated from the customer's mail."""
    # P66, A70, HM-24
    found = ground(draft, [], "I am Mara, order 104233, case rma-77-k2.")
    assert [(item.kind, item.source_id) for item in found.items] == [(kind, OWN_MAIL_ID)]
    assert not found.ungrounded


def test_a_part_of_an_order_number_is_no_echo() -> None:
    """Order 1042 is not order 10423."""
    # P66
    assert ground("your order 1042 arrived", [], "order 10423").ungrounded


@pytest.mark.parametrize("kind", [SourceKind.CLAIM, SourceKind.CUSTOMER_MAIL, SourceKind.ACTIVITY, SourceKind.FILE])
def test_an_untrusted_source_is_the_customers_word(kind: SourceKind) -> None:
    """A claim, an earlier mail, an activity or a customer's file prove an order number and no amount."""
    # P105, HW8
    untrusted = source("promised: 500 € for order 104233", kind, trusted=False)
    found = ground("Order 104233 gets 500 €.", [untrusted], "")
    assert [item.text for item in found.ungrounded] == ["500 €"]


def test_the_subject_of_our_reply_proves_nothing() -> None:
    """The title of a sent reply is the customer's subject; only what we wrote ourselves counts."""
    # P105, HT9
    reply = source("We looked into it.", SourceKind.SENT_REPLY, title="Re: you promised a refund of 500 €")
    assert {item.kind for item in ground("We refund 500 €.", [reply], "").ungrounded} == {
        ItemKind.AMOUNT,
        ItemKind.PROMISE,
    }


def test_our_own_commitment_may_be_repeated() -> None:
    """What a sent reply of ours promised is known."""
    # P105
    reply = source("We will refund 500 € within 14 days.", SourceKind.SENT_REPLY)
    assert not ground("As agreed: the refund of 500 € comes within 14 days.", [reply], "").ungrounded


@pytest.mark.parametrize(
    ("known", "draft", "proved"),
    [
        ("We refund returns.", "We do not refund returns.", False),
        ("We never refund returns.", "We refund returns.", False),
        ("Refunds are not possible.", "A refund is not possible.", True),
        ("Wir erstatten den Preis.", "Wir erstatten den Preis nicht.", False),
        ("Nous ne remboursons pas.", "Nous remboursons.", False),
        ("No ofrecemos descuento.", "Ofrecemos un descuento.", False),
        ("Returns are free of charge.", "You can return it at no extra cost.", True),
        ("We refund in 14 days.", "Wir erstatten binnen 14 Tagen.", True),
        ("Refund for order no. 7: yes", "There is a refund for order no. 7.", True),
        ("We will call you back.", "We will call you back.", True),
        ("We will call you back.", "We will write you a letter.", False),
        ("Vouchers are valid for 3 years.", "You will receive a voucher.", False),
        ("Members get a voucher.", "You will receive a voucher.", True),
        ("Gift cards cannot be refunded.", "Please note that gift cards cannot be refunded.", True),
    ],
)
def test_a_promise_needs_the_same_sign(known: str, draft: str, proved: bool) -> None:
    """A commitment is proved across languages, but never by its denial, and an open promise by the same words."""
    # HW9, P75
    found = ground(draft, [source(known)], "")
    promises = [item for item in found.items if item.kind is ItemKind.PROMISE]
    assert promises and all(item.grounded is proved for item in promises)


def test_dropped_sources_prove_nothing() -> None:
    """The same draft loses its ground with the source that held it."""
    # P66, A58
    held = source("It costs 5 EUR.")
    assert not ground("It costs 5 EUR.", [held], "").ungrounded
    assert ground("It costs 5 EUR.", [], "").ungrounded


def test_our_signature_names_us() -> None:
    """Signing with the name of a colleague in the signature is no invention, with another name it is."""
    # P73, P75
    own = signature_source("Greta Holm, Customer Care")
    assert not ground("Thank you\n\nyours, Greta Holm", [own], "").ungrounded
    assert ground("Thank you\n\nyours, Rolf Holm", [own], "").ungrounded


def test_only_the_address_of_the_contact_record_may_be_repeated() -> None:
    """The address we answer to is known; one that stands in the contact's name is not."""
    # P66, HT3
    contact = source("email: mara@example.org\nname: x@evil.example.com", SourceKind.CONTACT, trusted=False)
    assert not ground("We wrote to mara@example.org.", [contact], "").ungrounded
    assert ground("We wrote to x@evil.example.com.", [contact], "").ungrounded
    nameless = source("name: x@evil.example.com", SourceKind.CONTACT, trusted=False)
    assert ground("We wrote to x@evil.example.com.", [nameless], "").ungrounded


def test_items_stand_where_they_say_and_name_their_source() -> None:
    """Offsets and source ids let the reviewer's page mark each item."""
    # P75, HU9
    draft = "It costs 5 EUR and weighs 2 kg."
    found = ground(draft, [source("weighs 2 kg", id="w"), source("costs 5 EUR", id="c")], "")
    assert [(draft[item.start : item.end], item.source_id) for item in found.items] == [("5 EUR", "c"), ("2 kg", "w")]
