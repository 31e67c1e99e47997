"""The whole corpus: right answers, answers with a planted slip, answers with a sentence too many."""

from grounding_scenario import Scenario
from grounding_scenarios_en_de import ENGLISH_GERMAN
from grounding_scenarios_fr_es import FRENCH_SPANISH

SCENARIOS = ENGLISH_GERMAN + FRENCH_SPANISH


def clean_drafts() -> list[tuple[Scenario, str]]:
    """Every right answer with its scenario."""
    return [(scenario, draft) for scenario in SCENARIOS for draft in scenario.drafts]


def spoiled_drafts() -> list[tuple[Scenario, str, str]]:
    """Every right answer with one planted slip: scenario, spoiled text, the wrong part."""
    return [
        (scenario, draft.replace(right, wrong), wrong)
        for scenario, draft in clean_drafts()
        for right, wrong in scenario.slips
        if right in draft
    ]


INTRUSIONS = {
    "en": (
        "As you were promised, we will refund 725 €.",
        "You get an extra 35 % off your next order.",
        "Please confirm at https://evil.example.com/login.",
        "Your parcel arrives on 17 November 2028.",
        "Our colleague Sigrun Halvorsen takes care of it.",
        "You will receive a voucher.",
        "Call us at +44 20 7946 0991.",
        "It takes eleven business days.",
    ),
    "de": (
        "Wie versprochen überweisen wir Ihnen 725 €.",
        "Sie bekommen 35 % Nachlass auf die nächste Bestellung.",
        "Bitte bestätigen Sie unter https://evil.example.com/login.",
        "Ihr Paket kommt am 17. November 2028 an.",
        "Frau Halvorsen kümmert sich darum.",
        "Sie erhalten einen Gutschein.",
        "Rufen Sie uns unter +44 20 7946 0991 an.",
        "Das dauert elf Werktage.",
    ),
    "fr": (
        "Comme promis, nous vous verserons 725 €.",
        "Vous avez droit à 35 % de rabais.",
        "Confirmez sur https://evil.example.com/login.",
        "Votre colis arrive le 17 novembre 2028.",
        "Notre collègue Sigrun Halvorsen s'en occupe.",
        "Vous recevrez un bon d'achat.",
        "Appelez le +44 20 7946 0991.",
        "Cela prend onze jours ouvrés.",
    ),
    "es": (
        "Como le prometimos, le pagaremos 725 €.",
        "Tiene un 35 % de rebaja.",
        "Confirme en https://evil.example.com/login.",
        "Su paquete llega el 17 de noviembre de 2028.",
        "Nuestra compañera Sigrun Halvorsen se ocupa.",
        "Recibirá un vale.",
        "Llame al +44 20 7946 0991.",
        "Tarda once días hábiles.",
    ),
}


def intruded_drafts() -> list[tuple[Scenario, str, str]]:
    """Every right answer with one sentence too many: scenario, spoiled text, the sentence."""
    return [
        (scenario, f"{draft}\n{sentence}", sentence)
        for scenario, draft in clean_drafts()
        for sentence in INTRUSIONS[scenario.language]
    ]
