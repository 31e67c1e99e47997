"""The facts a thread decision is made from and the decision itself: values that can be stored, shown and tested."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from contracts.mail import ParsedMail
from domain.threads.subjects import is_reply_like, normalized_subject

DMARC_FAIL = "fail"
THIRD_PARTY = "third_party"
NEW_PARTICIPANT = "new_participant"
UNAUTHENTICATED = "unauthenticated"
IGNORED_REFERENCE = "ignored_reference"
_NO_AUTONOMY = frozenset({THIRD_PARTY, NEW_PARTICIPANT, UNAUTHENTICATED})


class ThreadRule(StrEnum):
    """The step of the cascade that decided (TH1)."""

    IN_REPLY_TO = "in_reply_to"
    REFERENCES = "references"
    TOKEN = "token"
    SUBJECT = "subject"
    NEW = "new"


@dataclass(frozen=True)
class ThreadFacts:
    """One existing thread. `participants` come from `participants()`; `status` is open, waiting, resolved or closed."""

    thread_id: UUID
    mailbox_id: UUID
    participants: frozenset[str]
    status: str
    last_message_at: datetime
    normalized_subject: str
    contact_identifier: str


@dataclass(frozen=True)
class ThreadingFacts:
    """What a mail says of itself. Ids are normalised; `sender` is the identity it speaks for (a form's customer).

    `token_thread_id` was verified before; `dmarc` is `pass`, `fail`, or anything else for unknown; `reply_like` is
    judged by prefix and quoted text alone, since only the cascade knows which references lead nowhere.
    """

    mailbox_id: UUID
    sender: str
    contact_identifier: str
    normalized_subject: str
    in_reply_to: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    token_thread_id: UUID | None = None
    reply_like: bool = False
    dmarc: str = ""
    ambiguous_sender: bool = False
    mailbox_addresses: frozenset[str] = frozenset()

    @property
    def authenticated(self) -> bool:
        """False if the sender named in From is contradicted (DMARC) or cannot be told (AM1)."""
        return self.dmarc.casefold() != DMARC_FAIL and not self.ambiguous_sender


@dataclass(frozen=True)
class ThreadCandidates:
    """Threads found for one mail: by inbound ids, our own sent ids and their aliases; by token; by subject (TH2)."""

    by_message_id: Mapping[str, ThreadFacts] = field(default_factory=dict)
    by_token: ThreadFacts | None = None
    by_subject: tuple[ThreadFacts, ...] = ()


@dataclass(frozen=True)
class SkippedHit:
    """A thread that a rule pointed to, but in which the sender takes no part (TH3)."""

    rule: ThreadRule
    evidence: str
    thread_id: UUID


@dataclass(frozen=True)
class ThreadDecision:
    """Where a mail belongs, why, and what must be held against it. `thread_id` None means: open a new thread."""

    thread_id: UUID | None
    rule: ThreadRule
    evidence: str
    maybe_related_thread_id: UUID | None = None
    flags: tuple[str, ...] = ()
    skipped: tuple[SkippedHit, ...] = ()
    thread_status: str = ""

    @property
    def autonomy_off(self) -> bool:
        """True if no reply to this mail may go out without a person (TH3, TH4)."""
        return not _NO_AUTONOMY.isdisjoint(self.flags)

    @property
    def history_allowed(self) -> bool:
        """True if earlier messages of the thread may stand in this mail's prompt (TH3)."""
        return self.thread_id is not None and UNAUTHENTICATED not in self.flags

    @property
    def reopens(self) -> bool:
        """True if, once screening passed and unless it is automatic mail, it opens its thread again (TH8)."""
        return self.thread_id is not None and self.thread_status != "open" and UNAUTHENTICATED not in self.flags


@dataclass(frozen=True)
class MessageParties:
    """The identities named by one message of a thread; `authenticated` is False for mail shown as unauthenticated."""

    sender: str
    recipients: tuple[str, ...] = ()
    authenticated: bool = True


def participants(messages: Iterable[MessageParties]) -> frozenset[str]:
    """Who takes part in a thread: From, To and Cc of its messages (TH3).

    Of unauthenticated mail only From counts, or a stranger could forge one mail of the customer with himself in Cc.
    """
    found: set[str] = set()
    for message in messages:
        found.add(message.sender)
        found.update(message.recipients if message.authenticated else ())
    return frozenset(found - {""})


def threading_facts(
    mail: ParsedMail,
    *,
    mailbox_id: UUID,
    sender: str,
    contact_identifier: str,
    dmarc: str,
    token_thread_id: UUID | None = None,
    mailbox_addresses: frozenset[str] = frozenset(),
) -> ThreadingFacts:
    """The facts of a parsed mail; what the parser cannot know is handed in."""
    return ThreadingFacts(
        mailbox_id=mailbox_id,
        sender=sender,
        contact_identifier=contact_identifier,
        normalized_subject=normalized_subject(mail.subject),
        in_reply_to=mail.in_reply_to,
        references=mail.references,
        token_thread_id=token_thread_id,
        reply_like=is_reply_like(mail.subject, quoted_text=mail.quoted_text),
        dmarc=dmarc,
        ambiguous_sender=mail.ambiguous_sender,
        mailbox_addresses=mailbox_addresses,
    )
