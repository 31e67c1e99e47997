"""The sections of a context block in the one order they may have: who writes, what we know, and the message itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LABELS = (
    "CONTACT", "RECENT ACTIVITY", "CONVERSATION HISTORY", "KNOWLEDGE", "RELEVANT FILES", "CURRENT MESSAGE",
)  # fmt: skip
_PLACE = {f"[{label}]": place for place, label in enumerate(LABELS)}
_ENTRY = re.compile(r"- (policy|verified(?: [^:\n]{1,60})?|claimed by [^\n]{0,300}?, unverified): ")
_HEADER = re.compile(r"(from|to|subject|date): ?(.*)", re.IGNORECASE)
_WITHHELD = re.compile(r"\[message \S{1,80} withheld: .*\]")
_NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NAME_CHARS = 30


@dataclass(frozen=True, slots=True)
class Mail:
    """The message to work on."""

    subject: str = ""
    body: str = ""
    sender: str = ""


@dataclass(frozen=True, slots=True)
class Briefing:
    """What a context says. `knowledge` holds entries the team vouches for; claims of contacts are left out."""

    mail: Mail
    first_name: str = ""
    language: str = ""
    knowledge: tuple[str, ...] = ()


def briefing_of(context: str) -> Briefing:
    """Reads a context; a text without any label is taken as the message itself.

    A label counts only where the order of sections allows it, and a section that comes twice is not believed, so that
    a mail that forges one gains nothing.
    """
    sections, doubtful = _sections(context)
    if "CURRENT MESSAGE" not in sections:
        return Briefing(mail_of(context))
    contact = dict(_fields(sections.get("CONTACT", "")))
    knowledge = () if doubtful else tuple(vouched_entries(sections.get("KNOWLEDGE", "")))
    name, language = first_name(contact.get("name", "")), contact.get("language", "")
    return Briefing(mail_of(sections["CURRENT MESSAGE"]), name, language, knowledge)


def mail_of(section: str) -> Mail:
    """Header lines, a blank line and the body; a text without header lines is all body."""
    head, found, body = section.partition("\n\n")
    lines = [_HEADER.fullmatch(line) for line in head.split("\n")]
    if not all(lines):
        return Mail(body=section.strip())
    fields = {line[1].lower(): line[2].strip() for line in lines if line}
    text = "" if _WITHHELD.fullmatch(body.strip()) else body.strip()
    return Mail(fields.get("subject", ""), text if found else "", fields.get("from", ""))


def vouched_entries(section: str) -> Iterator[str]:
    """Entries marked as policy or verified, without their mark."""
    standing, lines = "", list[str]()
    for line in [*section.split("\n"), "- policy: "]:
        opening = _ENTRY.match(line)
        if opening:
            if lines and not standing.startswith("claimed"):
                yield "\n".join(lines).strip()
            standing, lines = opening[1], [line[opening.end() :]]
        elif standing:
            lines.append(line)


def first_name(name: str) -> str:
    """The first name of a name-like display name ("Berg, Anna" -> Anna), empty if it looks like anything else."""
    last, comma, first = name.partition(",")
    words = (first if comma else last).split()
    fits = 1 <= len(words) <= 4 and all(_NAME.fullmatch(word.rstrip(".")) for word in [*words, *last.split()])
    return words[0] if fits and 1 < len(words[0]) <= _NAME_CHARS and not words[0].endswith(".") else ""


def _sections(context: str) -> tuple[dict[str, str], bool]:
    """The sections by label, and whether a label came again or out of order before the message."""
    found: dict[str, list[str]] = {}
    current, place, doubtful = "", -1, False
    for line in context.split("\n"):
        own = _PLACE.get(line)
        if own is not None and current != LABELS[-1]:
            if own > place:
                current, place = LABELS[own], own
                found[current] = []
                continue
            doubtful = True
        if current:
            found[current].append(line)
    return {label: "\n".join(lines).strip("\n") for label, lines in found.items()}, doubtful


def _fields(section: str) -> Iterator[tuple[str, str]]:
    for line in section.split("\n"):
        name, colon, value = line.partition(": ")
        if colon:
            yield name.lower(), value.strip()
