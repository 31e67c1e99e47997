"""Mail text as sentences, since what people want stands in sentences; greeting, farewell and quotes are cut."""

import re

MOST_SENTENCES = 200
_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_STOP = re.compile(r"(?<=[.!?…])\s+")
_SHORTENED = re.compile(
    r"(?:^|[\s(])(?:[a-zA-ZÀ-ÿ]|\d{1,2}|dr|mr|mrs|ms|st|no|nr|bzw|usw|ca|evtl|ggf|inkl|tel|str|abs|hr|fr|mme|mlle|sra?|"
    r"srta|dpto|ud|uds|av|etc|vs|p|approx|dept|ext)\.$",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:hello|hi|hey|dear|good (?:morning|afternoon|evening|day)|to whom|hallo|guten (?:tag|morgen|abend)|moin|servus|"
    r"sehr geehrte|liebe|bonjour|bonsoir|salut|madame|monsieur|ch[eè]re?s?|hola|buen[oa]s|estimad[oa]s?)\b[^.?!]{0,50}",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    r"(?:(?:kind|best|warm|many) )?(?:regards|wishes|thanks)|cheers|yours (?:faithfully|sincerely)|sincerely|best|"
    r"thank you|(?:mit )?(?:freundlichen|besten|vielen|herzlichen|schönen) (?:grüßen|dank)|"
    r"(?:freundliche|liebe|viele|beste|schöne|herzliche) grüße|"
    r"danke(?: und gruß| im voraus)?|gruß|lg|mfg|cordialement|bien à vous|merci(?: d'avance)?|bonne journée|"
    r"(?:un (?:cordial )?)?saludo(?: afectuoso)?|saludos(?: cordiales)?|atentamente|gracias(?: de antemano)?",
    re.IGNORECASE,
)
_SIGNATURE_LINES = 4
_GREETING_CHARS = 45
_WRAPPED_CHARS = 55
_SHORTENED_CHARS = 12


def sentences_of(text: str, most: int | None = MOST_SENTENCES) -> list[str]:
    """The sentences of a text in order, by default at most 200; list items and lines that stand alone are sentences."""
    return [sentence for line in _unwrapped(text) for sentence in _split(line)][:most]


def message_sentences(body: str) -> list[str]:
    """The sentences of a mail body without quoted lines, greeting and farewell; never empty unless the body is."""
    lines = _without_farewell(_own_lines(body) or body.split("\n"))
    found = sentences_of("\n".join(lines))
    kept = found[1:] if found and is_greeting(found[0]) else found
    return kept or found


def is_greeting(line: str) -> bool:
    """Is the line nothing but a salutation?"""
    return len(line) <= _GREETING_CHARS and bool(_GREETING.fullmatch(line.strip().rstrip(",:!.")))


def is_farewell(line: str) -> bool:
    """Is the line a closing formula?"""
    return bool(_FAREWELL.fullmatch(line.strip().split(",")[0].rstrip(" !.")))


def _own_lines(body: str) -> list[str]:
    """The lines that are neither blank nor quoted, and no line that introduces a quote."""
    lines = [line for line in body.split("\n") if line.strip()]
    quoted = [line.lstrip().startswith(">") for line in lines]
    leads = [line.rstrip().endswith(":") and after for line, after in zip(lines, quoted[1:], strict=False)] + [False]
    return [line for line, out, lead in zip(lines, quoted, leads, strict=False) if not (out or lead)]


def _without_farewell(lines: list[str]) -> list[str]:
    for place in range(len(lines) - 1, max(0, len(lines) - 1 - _SIGNATURE_LINES), -1):
        if is_farewell(lines[place]):
            return lines[:place]
    return lines


def _unwrapped(text: str) -> list[str]:
    """Lines as the writer meant them: a long line that ends in no punctuation goes on in the next one."""
    lines: list[list[str]] = []
    continues = False
    for raw in text.split("\n"):
        line = raw.strip()
        bullet = _BULLET.match(line)
        if continues and line and not bullet:
            lines[-1].append(line)
        elif line:
            lines.append([line[bullet.end() :] if bullet else line])
        continues = len(raw) >= _WRAPPED_CHARS and line[-1:] not in ".!?…:;"
    return [" ".join(parts) for parts in lines if parts[0]]


def _split(line: str) -> list[str]:
    """Pieces between stops, joined again where the stop belongs to an abbreviation or an ordinal number."""
    found: list[list[str]] = []
    for piece in _STOP.split(line):
        if found and _SHORTENED.search(found[-1][-1][-_SHORTENED_CHARS:]):
            found[-1].append(piece)
        elif piece:
            found.append([piece])
    return [" ".join(parts) for parts in found]
