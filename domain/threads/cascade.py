"""Which conversation a mail joins. Everything in a mail can be forged, so a reference is only a hint: what joins a
mail to a thread is that its sender already takes part in it, or that it carries a token we made."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from domain.threads.facts import (
    IGNORED_REFERENCE,
    NEW_PARTICIPANT,
    THIRD_PARTY,
    UNAUTHENTICATED,
    SkippedHit,
    ThreadCandidates,
    ThreadDecision,
    ThreadFacts,
    ThreadingFacts,
    ThreadRule,
)
from domain.threads.subjects import is_telling_subject


@dataclass(frozen=True)
class _Hit:
    rule: ThreadRule
    evidence: str
    thread: ThreadFacts


def decide_thread(
    mail: ThreadingFacts, candidates: ThreadCandidates, now: datetime, subject_window: timedelta
) -> ThreadDecision:
    """The thread of a mail: In-Reply-To, References from the end, token, subject, else a new one (TH1-TH7)."""
    skipped: dict[UUID, SkippedHit] = {}
    for hit in _hits(mail, _own_mailbox(candidates, mail.mailbox_id), now, subject_window):
        if hit.rule is ThreadRule.TOKEN or _takes_part(mail, hit.thread):
            return _joined(mail, hit, tuple(skipped.values()))
        skipped.setdefault(hit.thread.thread_id, SkippedHit(hit.rule, hit.evidence, hit.thread.thread_id))
    return _new_thread(mail, tuple(skipped.values()))


def _own_mailbox(candidates: ThreadCandidates, mailbox_id: UUID) -> ThreadCandidates:
    """The candidates without threads of other mailboxes: a mail never crosses that border (TH7)."""
    token = candidates.by_token
    return ThreadCandidates(
        by_message_id={id_: t for id_, t in candidates.by_message_id.items() if t.mailbox_id == mailbox_id},
        by_token=token if token is not None and token.mailbox_id == mailbox_id else None,
        by_subject=tuple(thread for thread in candidates.by_subject if thread.mailbox_id == mailbox_id),
    )


def _hits(
    mail: ThreadingFacts, candidates: ThreadCandidates, now: datetime, subject_window: timedelta
) -> Iterator[_Hit]:
    """Every thread some rule points to, strongest rule first."""
    known = candidates.by_message_id
    yield from (_Hit(ThreadRule.IN_REPLY_TO, id_, known[id_]) for id_ in mail.in_reply_to if id_ in known)
    yield from (_Hit(ThreadRule.REFERENCES, id_, known[id_]) for id_ in reversed(mail.references) if id_ in known)
    if mail.token_thread_id is not None and candidates.by_token is not None:
        yield _Hit(ThreadRule.TOKEN, f"token of thread {mail.token_thread_id}", candidates.by_token)
    if _may_match_by_subject(mail, known, subject_window):
        yield from _subject_hits(mail, candidates.by_subject, now - subject_window)


def _may_match_by_subject(mail: ThreadingFacts, known: Mapping[str, ThreadFacts], subject_window: timedelta) -> bool:
    """The conditions of TH5 that lie in the mail itself."""
    unresolved = any(id_ not in known for id_ in (*mail.in_reply_to, *mail.references))
    return (
        subject_window > timedelta(0)
        and mail.authenticated
        and bool(mail.contact_identifier)
        and is_telling_subject(mail.normalized_subject)
        and (mail.reply_like or unresolved)
    )


def _subject_hits(mail: ThreadingFacts, threads: Iterable[ThreadFacts], oldest: datetime) -> Iterator[_Hit]:
    """Threads of the same contact and subject that were active lately, the latest first."""
    fitting = [
        thread
        for thread in threads
        if thread.contact_identifier == mail.contact_identifier
        and thread.normalized_subject == mail.normalized_subject
        and thread.last_message_at >= oldest
    ]
    for thread in sorted(fitting, key=lambda thread: (thread.last_message_at, thread.thread_id.int), reverse=True):
        yield _Hit(ThreadRule.SUBJECT, mail.normalized_subject, thread)


def _takes_part(mail: ThreadingFacts, thread: ThreadFacts) -> bool:
    """Our own addresses take part everywhere and therefore prove nothing."""
    return mail.sender in thread.participants and mail.sender not in mail.mailbox_addresses


def _joined(mail: ThreadingFacts, hit: _Hit, skipped: tuple[SkippedHit, ...]) -> ThreadDecision:
    flags = [] if mail.authenticated else [UNAUTHENTICATED]
    if not _takes_part(mail, hit.thread):
        flags.append(NEW_PARTICIPANT)
    if any(skip.thread_id != hit.thread.thread_id for skip in skipped):
        flags.append(IGNORED_REFERENCE)
    return ThreadDecision(
        thread_id=hit.thread.thread_id,
        rule=hit.rule,
        evidence=hit.evidence,
        flags=tuple(flags),
        skipped=skipped,
        thread_status=hit.thread.status,
    )


def _new_thread(mail: ThreadingFacts, skipped: tuple[SkippedHit, ...]) -> ThreadDecision:
    flags = [] if mail.authenticated else [UNAUTHENTICATED]
    if skipped:
        flags.append(THIRD_PARTY)
    return ThreadDecision(
        thread_id=None,
        rule=ThreadRule.NEW,
        evidence=skipped[0].evidence if skipped else "",
        maybe_related_thread_id=skipped[0].thread_id if skipped else None,
        flags=tuple(flags),
        skipped=skipped,
    )
