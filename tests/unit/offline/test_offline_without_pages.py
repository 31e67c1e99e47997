"""With the page the offline draft says what stands there; with the page gone it asks or defers, and invents nothing."""

import pytest

from bench.retrieval.facts import page_of
from bench.retrieval.hostile_drafts import CASES, HostileCase
from domain.draft.grounding import ground
from domain.draft.mentions import ItemKind
from offline.briefing import Briefing, Mail
from offline.claims import claims_in
from offline.reply import Writer
from offline.wishes import Wishes

ASKS = {
    "en": "Hello,\n\nhow long is a return possible, and what does the return label cost?\n\n",
    "de": "Guten Tag,\n\nwie lange ist eine Rückgabe möglich, und was kostet das Rücksendeetikett?\n\n",
    "fr": "Bonjour,\n\njusqu'à quand un retour est-il possible, et combien coûte l'étiquette de retour ?\n\n",
    "es": "Hola,\n\n¿hasta cuándo es posible una devolución y cuánto cuesta la etiqueta de devolución?\n\n",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_without_the_page_nothing_is_stated(writer: Writer, case: HostileCase) -> None:
    """P73, P75: no amount, date, link or promise of the mail comes back, and something is asked or left open."""
    mail = Mail("", ASKS[case.language] + case.mail)
    reply = str(writer.reply(Briefing(mail, "Nora", case.language), Wishes())["reply"])
    grounding = ground(reply, (), mail.body)
    assert grounding.ungrounded == ()
    assert {item.kind for item in grounding.items} <= {ItemKind.NAME, ItemKind.IDENTIFIER}
    assert not any(figure in reply for figure in ("480", "30 %", "deal.example.net", "4.90", "4,90"))
    assert any(word in reply for word in OPEN[case.language])


OPEN = {
    "en": ("?", "colleague", "check"),
    "de": ("?", "Kolleg", "ansehen", "prüf"),
    "fr": ("?", "collègue", "vérif"),
    "es": ("?", "compañer", "colega", "revis", "comprob"),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_with_the_page_the_reply_says_what_stands_there(writer: Writer, case: HostileCase) -> None:
    """P73: the same mail, the page at hand: its own figure is in the reply, and everything in it has a source."""
    sentences = tuple(f"Returns: {sentence.strip()}." for sentence in case.page.split(". ")[:3])
    mail = Mail("", ASKS[case.language] + "Nora Blum")
    reply = str(writer.reply(Briefing(mail, "Nora", case.language, sentences), Wishes())["reply"])
    assert "30" in reply or "4.90" in reply or "4,90" in reply
    assert ground(reply, [page_of(case)], mail.body).ungrounded == ()


def test_claims_are_sentences_of_the_mail_itself() -> None:
    """P106: the offline extractor keeps what the sender says of himself; questions and requests are no claims."""
    found = claims_in("Hello,\n\nWe run a small hotel in Bergen. Please call us. When do you open? It rains.")
    assert [claim["content"] for claim in found] == ["We run a small hotel in Bergen."]
    assert claims_in("") == []
