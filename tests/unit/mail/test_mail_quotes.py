"""New text, quotes, signatures, forwards and language (MI17, MI18, C18, C27, RS-35)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.mail.language import detect_language
from domain.mail.quotes import MAX_LINES, original_sender, split_text
from domain.mail.signatures import split_signature
from tests.unit.mail.mail_corpus import CORPUS, html, mail, parsed, text, whole

ANSWER = "The parcel came, thank you."
ATTRIBUTIONS = [
    "On Mon, 1 Jun 2026 at 10:00, Shop <s@shop.example> wrote:",
    "On Mon, Jun 1, 2026 at 10:00 AM Shop\n<s@shop.example> wrote:",
    "Am 01.06.2026 um 10:00 schrieb Shop <s@shop.example>:",
    "Shop <s@shop.example> schrieb am Mo., 1. Juni 2026, 10:00:",
    "Le lun. 1 juin 2026 à 10:00, Shop <s@shop.example> a écrit :",
    "El lun, 1 jun 2026 a las 10:00, Shop (<s@shop.example>) escribió:",
    "Il giorno lun 1 giu 2026 alle ore 10:00 Shop <s@shop.example> ha scritto:",
    "Op ma 1 jun 2026 om 10:00 schreef Shop <s@shop.example>:",
    "pon., 1 cze 2026 o 10:00 Shop <s@shop.example> napisał(a):",
    "Em seg., 1 de jun. de 2026 às 10:00, Shop <s@shop.example> escreveu:",
    "2026-06-01 10:00 GMT+02:00 Shop <s@shop.example>:",
]
HEADER_BLOCKS = [
    "From: Shop <s@shop.example>\nSent: Monday, 1 June 2026 10:00\nTo: Ada\nSubject: Order",
    "Von: Shop <s@shop.example>\nGesendet: Montag, 1. Juni 2026 10:00\nAn: Ada\nBetreff: Bestellung",
    "De : Shop <s@shop.example>\nEnvoyé : lundi 1 juin 2026 10:00\nÀ : Ada\nObjet : Commande",
    "De: Shop <s@shop.example>\nEnviado: lunes, 1 de junio de 2026\nPara: Ada\nAsunto: Pedido",
    "Da: Shop <s@shop.example>\nInviato: lunedì 1 giugno 2026\nA: Ada\nOggetto: Ordine",
    "Van: Shop <s@shop.example>\nVerzonden: maandag 1 juni 2026\nAan: Ada\nOnderwerp: Bestelling",
    "Od: Shop <s@shop.example>\nWysłano: poniedziałek, 1 czerwca 2026\nDo: Ada\nTemat: Zamówienie",
    "*From:* Shop <s@shop.example>\n*Date:* Monday\n*To:* Ada\n*Subject:* Order",
    "________________________________\nFrom: Shop <s@shop.example>\nSent: Monday\nTo: Ada\nSubject: Order",
    "-----Original Message-----\nFrom: Shop\nSubject: Order",
    "-----Ursprüngliche Nachricht-----\nVon: Shop\nBetreff: Bestellung",
]


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
@pytest.mark.parametrize("mark", ["> ", ""])
def test_attributions_of_eight_languages_begin_the_quote(attribution: str, mark: str) -> None:
    """With `>` below or, as HTML mail leaves it, without: above is new, below is quoted (MI18)."""
    quote = f"{attribution}\n\n{mark}Did the parcel come?\n{mark}Shop"
    found = split_text(f"{ANSWER}\n\n{quote}")
    assert found.new == ANSWER
    assert found.quoted == quote


@pytest.mark.parametrize("block", HEADER_BLOCKS)
def test_header_blocks_of_outlook_begin_the_quote(block: str) -> None:
    """From, Sent, To, Subject in eight languages, with and without a rule above (MI18)."""
    found = split_text(f"{ANSWER}\n\n{block}\n\nDid the parcel come?")
    assert found.new == ANSWER
    assert found.quoted == f"{block}\n\nDid the parcel come?"
    assert not found.forwarded


@pytest.mark.parametrize(
    ("body", "new"),
    [
        ("> Did it come?\n\nYes, it came.", "Yes, it came."),
        ("On Monday 1 June Shop wrote:\n> Did it come?\n>\n> Shop\n\nYes, it came.\n-- \nAda", "Yes, it came."),
        ("Yes.\n> Did it come?", "Yes."),
    ],
)
def test_answers_above_or_below_one_quote(body: str, new: str) -> None:
    """Top- and bottom-posting both leave the new words alone (MI18)."""
    assert split_text(body).new == new


@pytest.mark.parametrize(
    "body",
    [
        "> When?\nOn Monday.\n> Which size?\nLarge.",
        "Hi,\n> When?\nOn Monday.",
        "> When?\nOn Monday.\n> Which size?",
    ],
)
def test_interleaved_answers_stay_whole(body: str) -> None:
    """Answers between quotes mean nothing without them (MI18, RS-35)."""
    assert split_text(body) == (body, "", "", False)


def test_the_interleaved_mail_of_the_corpus_is_whole() -> None:
    """The same through the parser (RS-35)."""
    shown = parsed(CORPUS["interleaved"])
    assert shown.new_text == shown.text
    assert shown.quoted_text == ""


@pytest.mark.parametrize("body", ["> only\n> quoted", "On 1 June 2026 Shop <s@x.example> wrote:\n> all", "-- \nAda"])
def test_an_empty_result_falls_back_to_the_full_text(body: str) -> None:
    """A mail that is nothing but quote or signature is left whole (MI18, C27)."""
    assert split_text(body).new == body


def test_a_forward_that_is_nothing_but_quote_is_whole() -> None:
    """C27: the forward of the corpus keeps its text and is marked as a forward (MI17)."""
    shown = parsed(CORPUS["forward"])
    assert shown.forwarded
    assert shown.new_text == shown.text
    assert "Please pay." in shown.new_text


@pytest.mark.parametrize(
    "marker",
    [
        "---------- Forwarded message ---------",
        "Begin forwarded message:",
        "-------- Weitergeleitete Nachricht --------",
        "Anfang der weitergeleiteten Nachricht:",
        "---------- Message transféré ---------",
        "Début du message réexpédié :",
        "---------- Mensaje reenviado ---------",
        "---------- Messaggio inoltrato ---------",
        "---------- Doorgestuurd bericht ---------",
        "---------- Przekazana wiadomość ---------",
        "---------- Mensagem encaminhada ---------",
    ],
)
def test_text_below_a_forward_marker_is_a_third_partys(marker: str) -> None:
    """In eight languages: above is the sender's, below is not (MI17, C18)."""
    found = split_text(f"Please see below.\n\n{marker}\nFrom: Eve <eve@other.example>\n\nPlease pay.")
    assert found.new == "Please see below."
    assert found.quoted.startswith(marker)
    assert found.forwarded


def test_a_forward_prefix_makes_a_header_block_a_forward() -> None:
    """Outlook forwards without a marker; the subject tells (MI17)."""
    body = f"See below\n\n{HEADER_BLOCKS[1]}\n\nBitte zahlen."
    assert split_text(body, "WG: Rechnung").forwarded
    assert not split_text(body, "AW: Rechnung").forwarded


def test_the_original_sender_of_a_forward_can_be_named() -> None:
    """C18: a forward by staff may take the original From; without one there is none (MI17)."""
    found = original_sender(parsed(CORPUS["forward"]).text)
    assert found is not None and found.identity == "eve@other.example"
    assert original_sender("no block here") is None


@pytest.mark.parametrize(
    ("body", "signature"),
    [
        ("Hello\n-- \nAda\nExample Ltd", "-- \nAda\nExample Ltd"),
        ("Hello\n\nBest regards,\nAda", "Best regards,\nAda"),
        ("Hallo\n\nMit freundlichen Grüßen\n\nAda", "Mit freundlichen Grüßen\n\nAda"),
        ("Bonjour\n\nCordialement,\nAda", "Cordialement,\nAda"),
        ("Hola\nSaludos cordiales\nAda", "Saludos cordiales\nAda"),
        ("Hi\n\nSent from my phone", "Sent from my phone"),
        ("Hallo\n\nVon meinem Telefon gesendet", "Von meinem Telefon gesendet"),
        ("Thanks for the parcel, it was on time.", ""),
        ("Hello\n\nThanks,\nAda\n\nP.S. Can I return it?", ""),
        ("A\n\nRegards\n" + "long words " * 30, ""),
    ],
)
def test_signatures_are_set_apart(body: str, signature: str) -> None:
    """Delimiter, closing formula or device line; a question or long text below is no signature (MI18)."""
    assert "\n".join(split_signature(body.split("\n")).signature) == signature


def test_language_is_that_of_the_new_text() -> None:
    """RS-35: German answer, English quote, French signature: de."""
    body = (
        "Guten Tag, das Paket ist leider noch immer nicht angekommen.\r\n\r\nCordialement,\r\nAda, Société\r\n\r\n"
        "On Mon, 1 Jun 2026 at 10:00, Shop <s@x.example> wrote:\r\n> We shipped your parcel, it should arrive soon.\r\n"
        "> Please let us know whether everything is fine with your order.\r\n"
    )
    shown = parsed(mail(body.encode(), b"Content-Type: text/plain; charset=utf-8"))
    assert shown.language == "de"
    assert shown.signature.startswith("Cordialement")
    assert shown.quoted_text.startswith("On Mon")


@pytest.mark.parametrize(
    ("words", "languages", "found"),
    [
        ("Wo ist mein Paket?", ("en", "de", "fr", "es"), "de"),
        ("Où est mon colis ?", ("en", "de", "fr", "es"), "fr"),
        ("¿Dónde está mi pedido?", ("en", "de", "fr", "es"), "es"),
        ("Where is my parcel?", ("en", "de", "fr", "es"), "en"),
        ("Gdzie jest moja paczka?", ("pl", "en"), "pl"),
        ("4711", ("en", "de"), ""),
        ("https://shop.example/where-is-my-parcel", ("en", "de"), ""),
        ("", ("en",), ""),
        ("hello", ("xx",), ""),
        ("hello", (), ""),
    ],
)
def test_language_is_one_of_the_mailbox_or_unknown(words: str, languages: tuple[str, ...], found: str) -> None:
    """Only the given languages are answers; too little text is none (MI18)."""
    assert detect_language(words, languages) == found


def test_a_language_outside_the_mailbox_is_never_the_answer() -> None:
    """German words in a mailbox of English and French are called one of the two (MI18)."""
    assert detect_language("Wo ist mein Paket?", ("en", "fr")) in ("en", "fr")


def test_quotes_of_html_mail_are_split_too() -> None:
    """A block quote in HTML-only mail is quoted text (MI18)."""
    body = html(
        f"<p>{ANSWER}</p><div>{ATTRIBUTIONS[0].replace('<', '&lt;')}</div><blockquote>Did it come?</blockquote>"
    )
    shown = parsed(whole(b"alternative", text(""), body))
    assert shown.new_text == ANSWER
    assert "Did it come?" in shown.quoted_text


@pytest.mark.parametrize("unit", ["On 1 ", "> ", "From: \n", "On 1 June\n", "-- \n", "wrote:", "Am 1 schrieb ", "\n"])
def test_hostile_repetition_is_split_in_linear_steps(unit: str) -> None:
    """A MiB of any one mark is split; nothing is lost (MI2, MI18)."""
    body = unit * (300_000 // len(unit))
    found = split_text(body)
    assert found.new


def test_beyond_the_line_limit_the_text_stays_whole() -> None:
    """A text of very many lines is not split (MI3)."""
    body = "x\n" * (MAX_LINES + 1)
    assert split_text(body).new == body


LINES = st.lists(
    st.sampled_from(
        [ANSWER, "> q", "", ATTRIBUTIONS[0], HEADER_BLOCKS[0], "-- ", "Regards", "---- Forwarded message ----"]
    )
    | st.text(max_size=30),
    max_size=12,
)


@given(LINES)
def test_no_word_is_lost_by_splitting(lines: list[str]) -> None:
    """New, quoted and signature text together hold every word of the body (MI18: separated, not deleted)."""
    body = "\n".join(lines)
    found = split_text(body)
    apart = "\n".join((found.new, found.quoted, found.signature))
    assert sorted(apart.split()) == sorted(body.split())
