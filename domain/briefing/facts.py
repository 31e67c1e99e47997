"""The raw material of a briefing, as the caller read it: nothing here is sorted, limited, scoped or judged yet."""

from datetime import date, datetime
from enum import StrEnum

from pydantic import AwareDatetime, Field

from contracts.base import Contract


class Trust(StrEnum):
    """How far a knowledge entry may be believed (P104), most trusted first."""

    POLICY = "policy"
    VERIFIED = "verified"
    UNVERIFIED = "unverified"


class ContactFacts(Contract):
    """Who writes. Unknown fields stay empty and are left out."""

    id: str
    email: str = ""
    name: str = ""
    language: str = ""
    timezone: str = ""


class ActivityFacts(Contract):
    """One thing that happened with this contact; shown with at most 120 characters of its summary."""

    id: str
    kind: str
    at: AwareDatetime
    summary: str = ""


class HistoryFacts(Contract):
    """Another entry of the thread: a mail of the customer, or a reply of ours that was really sent.

    `body` is visible text. `pattern_score` is the stored score of the pattern scan after recorded bypasses; None means
    that no scan is on record, and then the body stays out (P63). `coalesced` marks a mail answered together with the
    current one. `by_person` is False for automatic mail.
    """

    id: str
    at: AwareDatetime
    body: str
    sent_by_us: bool = False
    sender: str = ""
    subject: str = ""
    pattern_score: float | None = None
    coalesced: bool = False
    by_person: bool = True


class KnowledgeFacts(Contract):
    """One knowledge entry in the order of retrieval. `contact_id` None means it belongs to the whole organisation."""

    id: str
    text: str
    trust: Trust
    entry_type: str = ""
    title: str = ""
    contact_id: str | None = None
    claimed_by: str = ""
    claimed_on: date | None = None
    superseded: bool = False


class FileFacts(Contract):
    """One stored file that fits the question, in the order of retrieval. `contact_id` None: a file of the
    organisation."""

    id: str
    name: str
    title: str = ""
    summary: str = ""
    contact_id: str | None = None


class CurrentMessageFacts(Contract):
    """The message to answer. `date` is what its header says, `received_at` our own clock."""

    id: str
    sender: str
    received_at: AwareDatetime
    body: str
    to: tuple[str, ...] = ()
    subject: str = ""
    date: datetime | None = None
    pattern_score: float | None = None


class BriefingFacts(Contract):
    """Everything read for one briefing. `gaps` names what could not be read (P38); `contact` None means unresolved.

    `sender_auth_failed` (DMARC fail) keeps history and everything scoped to the contact out of the prompt (P64, HS3).
    """

    current: CurrentMessageFacts
    contact: ContactFacts | None = None
    activities: tuple[ActivityFacts, ...] = ()
    history: tuple[HistoryFacts, ...] = ()
    knowledge: tuple[KnowledgeFacts, ...] = ()
    files: tuple[FileFacts, ...] = ()
    gaps: tuple[str, ...] = ()
    sender_auth_failed: bool = False
    knowledge_entry_limit: int = Field(default=10, ge=0, le=50)
    file_limit: int = Field(default=3, ge=0, le=20)
    budget_tokens: int = Field(default=4_000, ge=1)
