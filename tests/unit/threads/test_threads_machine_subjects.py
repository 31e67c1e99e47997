"""Absence notes and delivery failures by their title, in eight languages, and the human subjects beside them (AU9)."""

import pytest

from contracts.mail import Address, AutomaticClass, AutomaticHit, ParsedMail
from domain.automatic_mail import AutomaticFacts, automatic_class, automatic_hits, machine_subject
from domain.automatic_mail.phrases import failure_subject

FACTS = AutomaticFacts(our_addresses=frozenset({"support@example.org"}))

ABSENCES = [
    "Automatic reply: Rechnung 77",
    "Out of Office: back on Monday",
    "Out of the office until 5 May Re: Invoice",
    "Automated Response: Re: Re: Invoice",
    "[Auto-Reply] Invoice",
    "Invoice (out of office)",
    "Ticket 12 - Automatic reply",
    "Auto: Invoice",
    "Automatische Antwort: Rechnung",
    "Abwesenheitsnotiz: Rechnung",
    "Abwesend bis 5. Mai",
    "Außer Haus",
    "Réponse automatique : Facture",
    "Absence du bureau",
    "Respuesta automática: Factura",
    "Fuera de la oficina",
    "Risposta automatica: Fattura",
    "Fuori ufficio",
    "Automatisch antwoord: Factuur",
    "Afwezig tot 5 mei",
    "Resposta automática: Fatura",
    "Fora do escritório",
    "Automatyczna odpowiedź: Faktura",
    "Poza biurem",
]
FAILURES = [
    "Undelivered Mail Returned to Sender",
    "Mail delivery failed: returning message to sender",
    "Delivery Status Notification (Failure)",
    "Undeliverable: Invoice",
    "failure notice",
    "Returned mail: see transcript for details",
    "Warning: message 1abcDE-000f delayed 24 hours",
    "Delivery Failure Notification",
    "Unzustellbar: Rechnung",
    "Benachrichtigung zum Zustellungsstatus (Fehlgeschlagen)",
    "Zustellung fehlgeschlagen",
    "Non remis : Facture",
    "Échec de la remise du message",
    "No se puede entregar: Factura",
    "Correo devuelto",
    "Mancato recapito: Fattura",
    "Impossibile recapitare il messaggio",
    "Onbestelbaar: Factuur",
    "Bericht niet afgeleverd",
    "Não é possível entregar: Fatura",
    "Mensagem não entregue",
    "Niedostarczona wiadomość",
    "Zwrot wiadomości: Faktura",
]
HUMAN = [
    "How do I set an automatic reply?",
    "Question about your out of office rule",
    "Delivery failed to reach my door",
    "Delivery status of my parcel",
    "Returned to sender by the post office, again",
    "Im Urlaub beschädigter Koffer",
    "En vacances dans le Midi",
    "Undeliverables of project Apollo",
    "Auto verkaufen",
    "Automatic replying machine for sale",
    "Zustellung verzögert sich seit Tagen",
    "Rechnung 77",
    "",
]


@pytest.mark.parametrize("subject", ABSENCES + FAILURES)
def test_machines_are_known_by_their_titles(subject: str) -> None:
    """Each phrase hits at the beginning of the subject or of a part of it, behind any reply prefix."""  # AU9, RS-48
    assert machine_subject(subject) and machine_subject(f"AW: Re[3]: {subject}")


@pytest.mark.parametrize("subject", HUMAN)
def test_people_who_write_about_such_things_are_not(subject: str) -> None:
    """Parcels, holidays and questions about autoresponders are no hits."""  # AU9, RS-48
    assert machine_subject(subject) == ""


def test_failures_are_told_from_absences() -> None:
    """Only failure titles make a mail look like a bounce."""  # BO1
    assert all(failure_subject(subject) for subject in FAILURES)
    assert not any(failure_subject(subject) for subject in ABSENCES)


def _hits(subject: str, *headers: tuple[str, str]) -> tuple[AutomaticHit, ...]:
    anna = Address(address="anna@customer.example", identity="anna@customer.example")
    us = Address(address="support@example.org", identity="support@example.org")
    mail = ParsedMail(parser_version="1", from_=anna, to=(us,), subject=subject, headers=headers)
    return automatic_hits(mail, FACTS)


def test_a_title_alone_is_b_and_beside_any_other_hit_a() -> None:
    """The subject is a weak sign that turns any second weak sign into certainty."""  # AU9
    title = "Out of office: back on Monday"
    assert automatic_class(_hits(title)) is AutomaticClass.B
    assert automatic_class(_hits(title, ("X-Auto-Response-Suppress", "All"))) is AutomaticClass.A
    assert automatic_class(_hits("Rechnung", ("X-Auto-Response-Suppress", "All"))) is AutomaticClass.B
    assert automatic_class(()) is AutomaticClass.NONE


def test_a_growing_subject_of_two_robots_keeps_hitting() -> None:
    """However many rounds two robots have added to the subject, its title is still read."""  # C1
    subject = "Automated Response: " + "Re: " * 200 + "Invoice"
    assert machine_subject("Re: " * 200 + subject) == "automated response"
