"""Invitations as facts. A calendar part is read for what it says and never acted on: nothing is accepted on any
calendar (MI13, RFC 5545)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from domain.mail.cleaning import body_text, header_text
from domain.mail.limits import MAX_CALENDAR_BYTES

MAX_EVENTS = 10
MAX_VALUE_CHARS = 500
_MAX_LINES = 5_000
_FACTS = (
    "UID",
    "SUMMARY",
    "DTSTART",
    "DTEND",
    "DUE",
    "DURATION",
    "ORGANIZER",
    "LOCATION",
    "STATUS",
    "RRULE",
    "DESCRIPTION",
)
_ANSWER = "ATTENDEE"
_COMPONENTS = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY"})
_FOLD = re.compile(r"\n[ \t]")
_ESCAPE = re.compile(r"\\([nN,;\\])")
_METHOD = re.compile(r"[A-Za-z-]{1,40}\Z")


class CalendarFacts(NamedTuple):
    """`NAME: value` lines in document order, and the METHOD in upper case ("" if there is none)."""

    lines: tuple[str, ...] = ()
    method: str = ""


class _Property(NamedTuple):
    """One content line: name and parameters in upper case, the value unescaped and on one line."""

    name: str
    parameters: dict[str, str]
    value: str


def read_calendar(text: str, declared_method: str = "") -> CalendarFacts:
    """The facts of a text/calendar part; `declared_method` is the parameter of its Content-Type. Never raises."""
    method, lines, inside, events = declared_method, [], [], 0
    for prop in _properties(text):
        if prop.name == "BEGIN":
            inside.append(prop.value.upper())
            events += inside[-1] in _COMPONENTS
        elif prop.name == "END":
            inside = inside[:-1]
        elif prop.name == "METHOD" and len(inside) < 2:
            method = prop.value
        elif inside and inside[-1] in _COMPONENTS and events <= MAX_EVENTS:
            lines += _fact(prop)
    method = method.strip().upper() if _METHOD.match(method.strip()) else ""
    facts = list(dict.fromkeys(lines))
    return CalendarFacts(tuple([f"METHOD: {method}", *facts] if method else facts), method)


def _fact(prop: _Property) -> list[str]:
    if prop.name == _ANSWER and "PARTSTAT" in prop.parameters:
        return [f"ATTENDEE: {_person(prop)} ({prop.parameters['PARTSTAT']})"]
    if prop.name not in _FACTS or not prop.value:
        return []
    if prop.name == "ORGANIZER":
        return [f"ORGANIZER: {_person(prop)}"]
    zone = prop.parameters.get("TZID", "")
    return [f"{prop.name}: {prop.value} ({zone})" if zone else f"{prop.name}: {prop.value}"]


def _person(prop: _Property) -> str:
    address = prop.value[7:] if prop.value[:7].lower() == "mailto:" else prop.value
    name = prop.parameters.get("CN", "")
    return f"{name} <{address}>" if name else address


def _properties(text: str) -> Iterator[_Property]:
    unfolded = _FOLD.sub("", body_text(text[:MAX_CALENDAR_BYTES]))
    for line in unfolded.split("\n", _MAX_LINES)[:_MAX_LINES]:
        prop = _property(line)
        if prop is not None:
            yield prop


def _property(line: str) -> _Property | None:
    head, value = _split_at_colon(line)
    name, *parameters = head.split(";")
    if not name.strip():
        return None
    pairs = (parameter.partition("=")[::2] for parameter in parameters[:50])
    plain = _ESCAPE.sub(lambda found: " " if found[1] in "nN" else found[1], value)
    return _Property(
        name.strip().upper(),
        {key.strip().upper(): header_text(shown.strip('" '))[:MAX_VALUE_CHARS] for key, shown in pairs},
        header_text(plain)[:MAX_VALUE_CHARS],
    )


def _split_at_colon(line: str) -> tuple[str, str]:
    """Name with parameters, and value: the first colon outside quotes parts them."""
    quoted = False
    for place, char in enumerate(line):
        if char == '"':
            quoted = not quoted
        elif char == ":" and not quoted:
            return line[:place], line[place + 1 :]
    return "", ""
