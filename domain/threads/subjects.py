"""Mail programs put their own prefixes before a subject, in every language and again with every answer. Two mails of
one conversation therefore rarely carry equal subjects; this is the form in which they are compared."""

import re
import unicodedata

MAX_SUBJECT_CHARS = 1000
MIN_SUBJECT_CHARS = 4

_PREFIXES = (
    "Re Fwd Fw Aw Antw Antwort Wg Sv Vs Vb Vl Ref Réf Tr Res Enc Rv Rif R I Odp Pd Ynt İlt Ilt Vá Továbbítás Doorst "
    "Atb Απ Σχετ Πρθ Отв Пересл 回复 答复 转发 返信 転送 회신 전달 השב رد"
).split()

_GENERIC = frozenset(
    # en
    "hello|hi|hey|hi there|hello there|good morning|good day|greetings|question|questions|a question|quick question|"
    "help|help me|help please|please help|need help|i need help|support|support request|request|inquiry|enquiry|info|"
    "information|contact|contact form|contact us|message|new message|new mail|mail|email|e-mail|test|testing|urgent|"
    "important|thanks|thank you|update|reminder|notification|document|documents|attachment|image|photo|scan|untitled|"
    "no subject|(no subject)|none|subject|"
    # de
    "hallo|guten tag|guten morgen|moin|frage|fragen|eine frage|hilfe|bitte um hilfe|anfrage|kontakt|kontaktformular|"
    "kontaktanfrage|nachricht|neue nachricht|dringend|wichtig|danke|dokument|dokumente|anhang|bild|foto|"
    "kein betreff|(kein betreff)|ohne betreff|betreff|"
    # fr
    "bonjour|salut|bonsoir|aide|demande|demande d'information|contactez-nous|formulaire de contact|urgence|merci|"
    "pièce jointe|sans objet|(sans objet)|aucun objet|(aucun objet)|"
    # es
    "hola|buenos días|buenos dias|pregunta|consulta|ayuda|solicitud|contacto|formulario de contacto|mensaje|urgente|"
    "gracias|documento|adjunto|sin asunto|(sin asunto)|"
    # it
    "ciao|salve|buongiorno|domanda|aiuto|richiesta|contatto|modulo di contatto|messaggio|grazie|allegato|"
    "nessun oggetto|(nessun oggetto)|senza oggetto|(senza oggetto)|"
    # nl
    "goedendag|goedemorgen|vraag|een vraag|hulp|verzoek|contactformulier|bericht|nieuw bericht|dringend|spoed|bedankt|"
    "bijlage|geen onderwerp|(geen onderwerp)|"
    # pt
    "olá|ola|oi|bom dia|boa tarde|pergunta|dúvida|duvida|ajuda|pedido|contato|formulário de contacto|"
    "formulário de contato|mensagem|obrigado|obrigada|anexo|sem assunto|(sem assunto)|"
    # pl
    "cześć|dzień dobry|witam|pytanie|zapytanie|pomoc|prośba|formularz kontaktowy|wiadomość|pilne|dziękuję|załącznik|"
    "brak tematu|(brak tematu)|bez tematu|(bez tematu)".split("|")
)


def _fold(text: str) -> str:
    """Case-folded, compatibility-normalised and free of invisible characters; repeated until nothing changes."""
    while True:
        visible = "".join(char for char in text if unicodedata.category(char) != "Cf")
        folded = " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())
        if folded == text:
            return text
        text = folded


_PREFIX = re.compile(
    "(?:" + "|".join(sorted({_fold(prefix) for prefix in _PREFIXES}, key=len, reverse=True)) + ")"
    r" ?(?:\[[0-9]{1,5}\]|\([0-9]{1,5}\)|\^[0-9]{1,5})? ?: ?"
)
_OWN_TAG = r"\[#[0-9a-z-]{1,32}\]"
_LEADING_TAG = re.compile(_OWN_TAG + " ?")
_TRAILING_TAG = re.compile(" ?" + _OWN_TAG + r"\Z")


def _strip(folded: str) -> tuple[str, int]:
    """The folded subject without own tags and prefixes, and how many prefixes went."""
    start, prefixes = 0, 0
    while True:
        tag = _LEADING_TAG.match(folded, start)
        prefix = None if tag else _PREFIX.match(folded, start)
        found = tag or prefix
        if found is None:
            break
        start = found.end()
        prefixes += prefix is not None
    rest = folded[start:]
    while tail := _TRAILING_TAG.search(rest[-40:]):
        rest = rest[: len(rest) - (tail.end() - tail.start())]
    return rest, prefixes


def normalized_subject(subject: str) -> str:
    """The subject as a key: no prefixes, counters or own tags, case-folded, blanks collapsed (TH6). May be empty."""
    return _strip(_fold(subject[:MAX_SUBJECT_CHARS])[:MAX_SUBJECT_CHARS].rstrip())[0]


def has_reply_prefix(subject: str) -> bool:
    """True if at least one reply or forward prefix stands before the subject."""
    return _strip(_fold(subject[:MAX_SUBJECT_CHARS]))[1] > 0


def is_reply_like(subject: str, *, quoted_text: str = "", unresolved_reference: bool = False) -> bool:
    """Whether a mail looks like an answer to something: a prefix, quoted text or a reference nobody knows (TH5)."""
    return unresolved_reference or bool(quoted_text.strip()) or has_reply_prefix(subject)


def is_generic_subject(normalized: str) -> bool:
    """True for subjects that say nothing, such as "question": they join no two mails (TH5)."""
    return normalized.strip(" .!?:-") in _FOLDED_GENERIC


def is_telling_subject(normalized: str) -> bool:
    """True if a normalised subject is long and particular enough to join two mails (TH5, TH7)."""
    return len(normalized) >= MIN_SUBJECT_CHARS and not is_generic_subject(normalized)


_FOLDED_GENERIC = frozenset(_fold(subject) for subject in _GENERIC)
