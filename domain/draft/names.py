"""People and products named in a draft. A capital letter means a name in English, French and Spanish but not in German,
so the language is guessed first; a doubtful word is left alone, since the other extractors carry what costs money."""

import re
from collections.abc import Iterator, Sequence

from domain.draft.calendar_words import MONTHS, WEEKDAYS
from domain.draft.mentions import ItemKind, Mention, Taken

# Flat, and without apostrophes: `L'offre` and `Mara's` are two words each.
_WORD = re.compile(r"[^\W\d_][\w-]*")
_SENTENCE_END = frozenset('.!?¡¿:;\n•*-–—"„“«([)')
_TITLES = frozenset(
    "mr mrs ms miss dr prof herr herrn frau mme m mlle madame monsieur sr sra señor señora don doña family familie "
    "fam famille familia".split()
)
_GREETINGS = frozenset(
    "dear hi hello hey hallo liebe lieber geehrte geehrter bonjour cher chère hola estimado estimada".split()
)
_FUNCTION_WORDS = {
    "en": frozenset("the and you your we our is are for with this that have of to in".split()),
    "de": frozenset("der die das und sie ihre wir ist sind für mit ihr ihnen haben nicht von zu den".split()),
    "fr": frozenset("le la les et vous votre nous est sont pour avec ce que avons de des une dans".split()),
    "es": frozenset("el la los y usted su nosotros es son para con este que hemos de las una en".split()),
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


# Capitalised by custom, not because they name anyone.
_COMMON = _words(
    """best kind regards sincerely yours thanks thank support team customer service help desk center centre
    english german french spanish internet email e-mail yes no ok please sir madam everyone sie ihr ihre ihrem
    guten gute guter schönen schöne morgen abend wochenende
    ihren ihrer ihres ihnen du dir dein herzliche herzlichen freundliche freundlichen viele beste grüße grüßen
    gruß gruss vielen dank team kundenservice kundendienst damen herren bestellung nummer rechnung anfrage frage
    nachricht mail betrag preis uhr euro tag tage woche wochen monat monate jahr jahre cordialement bien sincères
    salutations équipe service client clients merci saludos cordiales atentamente equipo atención cliente gracias
    un cordial saludo señores care success office shop store"""
)
_ACRONYMS = frozenset(
    """pdf faq url vat usb id ok eu uk us usa ps asap fyi csv html http https api sms it tv pc bic iban sepa gmbh
    ag kg inc ltd llc sa sl sas wlan wifi dvd cd gps qr sku rma agb dsgvo gdpr rgpd nif ust mwst tva iva eur usd
    gbp chf nr po""".split()
)
# Words that open a sentence before a name without being part of it, such as `Open Settings` or `Our Premium Plan`.
_OPENERS = frozenset().union(*_FUNCTION_WORDS.values()) | frozenset(
    """open click select choose visit contact go press tap enter use see check call send sign log write try ask
    tell both all any every each if when while since because once after before as at on by from with in to for an
    a my his her their it he she they but so however therefore unfortunately also then now here there only just
    both either wenn falls da als am im beim zum zur auf mit bei nach vor seit ein eine unser unsere unserem
    unseren leider auch un une si dans sur par pour avec chez notre nos cette cet ces mais donc aussi selon un una
    si en por para con nuestro nuestra sus esta este pero también según""".split()
)
_DE_PAIR = 2


def guessed_language(text: str) -> str:
    """The language of en, de, fr, es whose function words occur most often; `en` if none does."""
    words = [match.group().casefold() for match in _WORD.finditer(text)]
    return max(_FUNCTION_WORDS, key=lambda code: sum(word in _FUNCTION_WORDS[code] for word in words))


def names_in(text: str, taken: Taken) -> Iterator[Mention]:
    """Names outside the spans already taken: kind NAME, one mention for each run of capitalised words."""
    german = guessed_language(text) == "de"
    for run in _runs(text, taken):
        named = _trimmed_run(text, run, german)
        if named:
            yield _mention(text, named)


def _mention(text: str, run: Sequence[re.Match[str]]) -> Mention:
    start, end = run[0].start(), _end(run[-1])
    keys = frozenset({("name", *(_bare(word) for word in run))})
    return Mention(ItemKind.NAME, text[start:end], start, end, keys, keys)


def _bare(word: re.Match[str]) -> str:
    return word.group().casefold().rstrip("-")


def _end(word: re.Match[str]) -> int:
    return word.start() + len(word.group().rstrip("-"))


def _runs(text: str, taken: Taken) -> Iterator[list[re.Match[str]]]:
    """Neighbouring capitalised words with single blanks between them."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        capital = word.group()[0].isupper() and len(word.group()) > 1 and not taken.touches(*word.span())
        if run and not (capital and text[run[-1].end() : word.start()] == " "):
            yield run
            run = []
        if capital:
            run.append(word)
    if run:
        yield run


def _trimmed_run(text: str, run: list[re.Match[str]], german: bool) -> list[re.Match[str]]:
    """The part of a run that names someone, empty if no part does."""
    leads = [at for at, word in enumerate(run) if _bare(word) in _TITLES | _GREETINGS]
    greeted = bool(leads) or _is_lead(text, run[0])
    run = run[leads[-1] + 1 :] if leads else run
    named = [word for word in run if not _is_common(word)]
    if greeted or not named:
        return named
    if _starts_sentence(text, run[0]) and named[0] is run[0] and not _looks_made_up(run[0]):
        named = _without_opener(named)
    if german and len(named) < _DE_PAIR and not any(_looks_made_up(word) for word in named):
        return []
    return named


def _without_opener(named: list[re.Match[str]]) -> list[re.Match[str]]:
    """`Anna Weber will call` opens with a name, `Our Premium Plan` with a word that only stands first."""
    keeps = len(named) > 1 and _bare(named[0]) not in _OPENERS
    return named if keeps else named[1:]


def _is_common(word: re.Match[str]) -> bool:
    low = _bare(word)
    return low in _COMMON or low in _ACRONYMS or low in MONTHS or low in WEEKDAYS or low in _TITLES


def _looks_made_up(word: re.Match[str]) -> bool:
    """`ProMax` and `DESKHAND` are names in every language and at every place."""
    text = word.group()
    return len(text) > 1 and (any(char.isupper() for char in text[1:]) and "-" not in text)


def _starts_sentence(text: str, word: re.Match[str]) -> bool:
    before = text[: word.start()][-4:].rstrip(" \t")
    return not before or before[-1] in _SENTENCE_END


def _is_lead(text: str, word: re.Match[str]) -> bool:
    """True if a greeting or a title stands right before, as in `Frau Weber` or `Bonjour Anne`."""
    before = text[max(word.start() - 20, 0) : word.start()].rstrip(". ")
    return before.rpartition(" ")[2].rpartition("\n")[2].casefold() in _TITLES | _GREETINGS
