"""The labelled sections of a context, entry by entry. The order and the labels are a contract with the prompts (P62);
third-party text cannot forge a label, and a body no scan has cleared never enters (P63)."""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from contracts.base import Contract
from domain.briefing.facts import (
    ActivityFacts,
    BriefingFacts,
    CurrentMessageFacts,
    FileFacts,
    HistoryFacts,
    KnowledgeFacts,
    Trust,
)
from domain.briefing.grounding_sources import Source, SourceKind

WITHHOLD_SCORE = 0.70
ACTIVITY_LIMIT = 5
ACTIVITY_CHARS = 120
HISTORY_LIMIT = 5
_FIELD_CHARS = 1_000
_RECIPIENTS_SHOWN = 10


class Section(StrEnum):
    """The sections in the order in which they appear."""

    CONTACT = "CONTACT"
    ACTIVITY = "RECENT ACTIVITY"
    HISTORY = "CONVERSATION HISTORY"
    KNOWLEDGE = "KNOWLEDGE"
    FILES = "RELEVANT FILES"
    CURRENT = "CURRENT MESSAGE"


class Entry(Contract):
    """One entry of a section, which stays whole or goes. `source` is None where nothing can be grounded on it."""

    id: str
    section: Section
    text: str
    source: Source | None = None
    coalesced: bool = False


_LABEL = re.compile(r"\[(" + "|".join(section.value for section in Section) + r")\]", re.IGNORECASE)
_TRUST_ORDER = {Trust.POLICY: 0, Trust.VERIFIED: 1, Trust.UNVERIFIED: 2}
_TRUST_KIND = {
    Trust.POLICY: SourceKind.POLICY,
    Trust.VERIFIED: SourceKind.VERIFIED,
    Trust.UNVERIFIED: SourceKind.CLAIM,
}


def briefing_entries(facts: BriefingFacts) -> tuple[Entry, ...]:
    """All entries of the briefing in reading order: limited, scoped to the contact, worded, unscanned bodies
    withheld."""
    return (
        *_contact(facts),
        *_activities(facts),
        *(_history_entry(item) for item in _history(facts)),
        *(_knowledge_entry(item) for item in _knowledge(facts)),
        *(_file_entry(item) for item in _files(facts)),
        _current_entry(facts.current),
    )


def render(entries: Iterable[Entry]) -> str:
    """Sections with their labels, a blank line between them, empty ones left out."""
    by_section: dict[Section, list[str]] = {section: [] for section in Section}
    for entry in entries:
        by_section[entry.section].append(entry.text)
    blocks = (f"[{section.value}]\n" + "\n".join(texts) for section, texts in by_section.items() if texts)
    return "\n\n".join(blocks)


def withheld_because(pattern_score: float | None) -> str:
    """Why a body may not enter a context, or an empty string if it may (P63)."""
    if pattern_score is None:
        return "no security scan is on record"
    if not pattern_score < WITHHOLD_SCORE:
        return f"the security scan scored it {pattern_score:.2f}"
    return ""


def section_gaps(facts: BriefingFacts) -> tuple[str, ...]:
    """Coverage flags that follow from what had to stay out: withheld bodies, and all history after a failed DMARC."""
    gaps = list(facts.gaps)
    if any(withheld_because(item.pattern_score) for item in _history(facts)):
        gaps.append("history_withheld")
    if withheld_because(facts.current.pattern_score):
        gaps.append("current_withheld")
    if facts.sender_auth_failed:
        gaps.append("sender_auth_failed")
    return tuple(dict.fromkeys(gaps))


def _third_party(text: str) -> str:
    return _LABEL.sub(r"(\1)", text)


def _one_line(text: str, limit: int = _FIELD_CHARS) -> str:
    return _third_party(" ".join(text.split()))[:limit]


def _fields(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{name}: {_one_line(value)}" for name, value in pairs if value.strip())


def _in_scope(contact_id: str | None, facts: BriefingFacts) -> bool:
    """The second wall of HW11: general material always, a contact's only for that contact, authenticated."""
    if contact_id is None:
        return True
    return facts.contact is not None and facts.contact.id == contact_id and not facts.sender_auth_failed


def _contact(facts: BriefingFacts) -> Iterator[Entry]:
    contact = facts.contact
    if contact is None or facts.sender_auth_failed:
        return
    named = (("email", contact.email), ("name", contact.name))
    text = _fields((*named, ("language", contact.language), ("time zone", contact.timezone)))
    if text:
        source = _source(contact.id, SourceKind.CONTACT, "contact", _fields(named))
        yield Entry(id=contact.id, section=Section.CONTACT, text=text, source=source)


def _activities(facts: BriefingFacts) -> Iterator[Entry]:
    if facts.contact is None or facts.sender_auth_failed:
        return
    newest = sorted(facts.activities, key=lambda item: (item.at, item.id), reverse=True)
    yield from map(_activity_entry, newest[:ACTIVITY_LIMIT])


def _activity_entry(item: ActivityFacts) -> Entry:
    summary = _one_line(item.summary, ACTIVITY_CHARS)
    text = f"- {_one_line(item.kind)}, {item.at:%Y-%m-%d %H:%M %Z}: {summary}".rstrip(": ")
    source = _source(item.id, SourceKind.ACTIVITY, item.kind, summary)
    return Entry(id=item.id, section=Section.ACTIVITY, text=text, source=source)


def _history(facts: BriefingFacts) -> list[HistoryFacts]:
    """The newest five other entries and every coalesced sibling, oldest first."""
    if facts.sender_auth_failed:
        return []
    ordered = sorted(facts.history, key=lambda item: (item.at, item.id))
    kept = {item.id for item in [item for item in ordered if not item.coalesced][-HISTORY_LIMIT:]}
    return [item for item in ordered if item.coalesced or item.id in kept]


def _history_entry(item: HistoryFacts) -> Entry:
    reason = withheld_because(item.pattern_score)
    author = "our sent reply" if item.sent_by_us else f"customer {_one_line(item.sender)}".rstrip()
    head = f"- {item.at:%Y-%m-%d %H:%M %Z}, {author}" + (", sent with the current message" if item.coalesced else "")
    if reason:
        text = f"{head}:\n[message {item.id} withheld: {reason}]"
        return Entry(id=item.id, section=Section.HISTORY, text=text, coalesced=item.coalesced)
    subject = f", subject: {_one_line(item.subject)}" if item.subject.strip() else ""
    kind = SourceKind.SENT_REPLY if item.sent_by_us else SourceKind.CUSTOMER_MAIL
    source = _source(item.id, kind, item.subject, item.body)
    text = f"{head}{subject}:\n{_third_party(item.body.strip())}"
    return Entry(id=item.id, section=Section.HISTORY, text=text, source=source, coalesced=item.coalesced)


def _knowledge(facts: BriefingFacts) -> list[KnowledgeFacts]:
    """Policies, then verified entries, then claims, each in the order of retrieval; superseded ones never (P107)."""
    usable = [item for item in facts.knowledge if not item.superseded and _in_scope(item.contact_id, facts)]
    usable.sort(key=lambda item: _TRUST_ORDER[item.trust])
    return usable[: facts.knowledge_entry_limit]


def _knowledge_entry(item: KnowledgeFacts) -> Entry:
    title = f"{_one_line(item.title)}: " if item.title.strip() else ""
    text = f"- {_standing(item)}: {title}{_third_party(item.text.strip())}"
    source = _source(item.id, _TRUST_KIND[item.trust], item.title, f"{item.title}\n{item.text}".strip())
    return Entry(id=item.id, section=Section.KNOWLEDGE, text=text, source=source)


def _standing(item: KnowledgeFacts) -> str:
    """How an entry is introduced; a claim always says whose it is (P105)."""
    if item.trust is Trust.UNVERIFIED:
        who = _one_line(item.claimed_by) or "an unknown contact"
        return f"claimed by {who} on {item.claimed_on or 'an unknown date'}, unverified"
    return "policy" if item.trust is Trust.POLICY else f"verified {_one_line(item.entry_type)}".rstrip()


def _files(facts: BriefingFacts) -> list[FileFacts]:
    return [item for item in facts.files if _in_scope(item.contact_id, facts)][: facts.file_limit]


def _file_entry(item: FileFacts) -> Entry:
    title = f", {_one_line(item.title)}" if item.title.strip() else ""
    text = f"- {_one_line(item.name)}{title}: {_third_party(item.summary.strip())}".rstrip(": ")
    known = f"{item.title}\n{item.summary}".strip()
    source = _source(item.id, SourceKind.FILE, item.name, known, trusted=item.contact_id is None)
    return Entry(id=item.id, section=Section.FILES, text=text, source=source)


def _current_entry(item: CurrentMessageFacts) -> Entry:
    reason = withheld_because(item.pattern_score)
    subject = "" if reason else item.subject
    head = _fields((("from", item.sender), ("to", _recipients(item.to)), ("subject", subject), ("date", _date(item))))
    if reason:
        text = f"{head}\n\n[message {item.id} withheld: {reason}]"
        return Entry(id=item.id, section=Section.CURRENT, text=text)
    text = f"{head}\n\n{_third_party(item.body.strip())}".rstrip()
    source = _source(item.id, SourceKind.CURRENT_MESSAGE, item.subject, f"{item.subject}\n{item.body}".strip())
    return Entry(id=item.id, section=Section.CURRENT, text=text, source=source)


def _date(item: CurrentMessageFacts) -> str:
    return f"{item.date or item.received_at:%Y-%m-%d %H:%M %Z}"


def _recipients(addresses: tuple[str, ...]) -> str:
    left_out = len(addresses) - _RECIPIENTS_SHOWN
    more = f" and {left_out} more" if left_out > 0 else ""
    return ", ".join(addresses[:_RECIPIENTS_SHOWN]) + more


_TRUSTED = frozenset({SourceKind.SENT_REPLY, SourceKind.POLICY, SourceKind.VERIFIED})


def _source(entry_id: str, kind: SourceKind, title: str, text: str, trusted: bool | None = None) -> Source:
    vouched = kind in _TRUSTED if trusted is None else trusted
    return Source(id=entry_id, kind=kind, title=title, text=text, trusted=vouched)
