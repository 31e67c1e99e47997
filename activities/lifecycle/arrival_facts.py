"""What must be known of a mail on arrival: who wrote it, on whose behalf, and which threads it could belong to."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from activities.ports import Transaction
from contracts.mail import AutomaticClass, AutomaticHit, ParsedMail
from domain.automatic_mail import (
    AutomaticFacts,
    FormSender,
    automatic_class,
    automatic_hits,
    form_customer,
    form_sender_offer,
    verify_marker,
)
from domain.automatic_mail.marker import MARKER_HEADER
from domain.keys import Keyring
from domain.reply.recipients import ReplyRecipients, reply_recipients
from domain.reply_token import find_reply_token
from domain.threads import ThreadCandidates, ThreadFacts, ThreadingFacts, threading_facts


@dataclass(frozen=True)
class Arrival:
    """One parsed mail with the verdicts that do not depend on its thread."""

    message_id: UUID
    mailbox_id: UUID
    organisation_id: UUID
    received_at: datetime
    account: str
    mail: ParsedMail
    verdicts: dict[str, Any]
    envelope_recipients: tuple[str, ...]
    hits: tuple[AutomaticHit, ...]
    automatic: AutomaticClass
    contact_identifier: str
    contact_name: str
    recipients: ReplyRecipients
    flags: frozenset[str]
    own: frozenset[str]

    @property
    def dmarc(self) -> str:
        """pass, fail or anything else for unknown."""
        return str((self.verdicts.get("dmarc") or {}).get("value", "unknown"))

    @property
    def dmarc_failed(self) -> bool:
        """Does DMARC contradict the From address?"""
        return self.dmarc == "fail"


async def read(tx: Transaction, message_id: UUID, keyring: Keyring) -> Arrival | None:
    """Reads the parsed mail and judges it; None if there is none."""
    row = await tx.one("receive_mail", message_id)
    if row is None:
        return None
    mail = ParsedMail.model_validate(row["parsed"])
    facts = await _automatic_facts(tx, row, mail, keyring)
    hits = automatic_hits(mail, facts)
    customer = form_customer(mail, facts) or mail.from_
    return Arrival(
        message_id=message_id,
        mailbox_id=row["mailbox_id"],
        organisation_id=row["organisation_id"],
        received_at=row["received_at"],
        account=row["account"],
        mail=mail,
        verdicts=row["verdicts"] or {},
        envelope_recipients=tuple(row["envelope_recipients"]),
        hits=hits,
        automatic=automatic_class(hits),
        contact_identifier=customer.identity if customer else "",
        contact_name=customer.name if customer and not mail.display_name_spoof else "",
        recipients=reply_recipients(mail, facts.our_addresses, form_sender=form_customer(mail, facts) is not None),
        flags=_flags(row, mail, facts),
        own=facts.our_addresses,
    )


async def _automatic_facts(tx: Transaction, row: Any, mail: ParsedMail, keyring: Keyring) -> AutomaticFacts:
    own = {r["address"] for r in await tx.rows("receive_own_addresses", row["organisation_id"])}
    sent = 0
    if mail.message_id:
        sent = await tx.value("receive_own_outbox", row["mailbox_id"], [mail.message_id])
    marker = next((value for name, value in mail.headers if name.lower() == MARKER_HEADER.lower()), "")
    sender = mail.from_.identity if mail.from_ else ""
    exempt = bool(sender) and await tx.value("receive_exempt", row["mailbox_id"], sender)
    return AutomaticFacts(
        our_addresses=frozenset(own),
        own_message_ids=frozenset({mail.message_id} if sent else ()),
        marker_valid=verify_marker([keyring.marker], marker) is not None,
        form_senders=await _form_senders(tx, row["mailbox_id"]),
        dkim_pass_domains=frozenset((row["verdicts"] or {}).get("dkim", {}).get("domains", ())),
        exempt_senders=frozenset({sender} if exempt else ()),
        source_spam=(row["verdicts"] or {}).get("spam", {}).get("value") == "fail",
    )


async def _form_senders(tx: Transaction, mailbox_id: UUID) -> tuple[FormSender, ...]:
    rows = await tx.rows("receive_form_senders", mailbox_id)
    return tuple(FormSender(identity=r["address"], dkim_domains=frozenset({r["dkim_domain"]})) for r in rows)


def _flags(row: Any, mail: ParsedMail, facts: AutomaticFacts) -> frozenset[str]:
    named = {
        "ambiguous_sender": mail.ambiguous_sender,
        "display_name_spoof": mail.display_name_spoof,
        "parts_differ": mail.parts_differ,
        "maybe_hidden": mail.maybe_hidden,
        "encrypted": mail.encrypted,
        "attachment_only": mail.attachment_only,
        "calendar_request": mail.calendar_method.upper() == "REQUEST",
        "form_sender_offer": form_sender_offer(mail, facts) is not None,
        "answered_there": row["answered_by"] is not None,
    }
    return frozenset({*(name for name, is_set in named.items() if is_set), *row["flags"], *mail.defects})


def threading(a: Arrival, keyring: Keyring) -> ThreadingFacts:
    """The facts the cascade needs; the reply token is verified here."""
    addresses = (*a.envelope_recipients, *(x.address for x in (*a.mail.to, *a.mail.cc)))
    token = find_reply_token(
        addresses, keys=[keyring.reply_token], organisation_id=a.organisation_id, mailbox_id=a.mailbox_id
    )
    return threading_facts(
        a.mail,
        mailbox_id=a.mailbox_id,
        sender=a.contact_identifier,
        contact_identifier=a.contact_identifier,
        dmarc=a.dmarc,
        token_thread_id=token,
        mailbox_addresses=a.own,
    )


async def candidates(tx: Transaction, facts: ThreadingFacts) -> ThreadCandidates:
    """Threads known by id, by token and by subject; three bounded look-ups."""
    ids = [*facts.in_reply_to, *facts.references]
    by_id = await tx.rows("receive_ids", facts.mailbox_id, ids) if ids else ()
    token = None
    if facts.token_thread_id is not None:
        token = await tx.one("receive_thread_facts", facts.mailbox_id, facts.token_thread_id)
    subject = await tx.rows(
        "receive_subject_candidates", facts.mailbox_id, facts.contact_identifier, facts.normalized_subject
    )
    return ThreadCandidates(
        by_message_id={row["rfc_id"]: _thread(facts.mailbox_id, row) for row in by_id},
        by_token=_thread(facts.mailbox_id, token) if token else None,
        by_subject=tuple(_thread(facts.mailbox_id, row) for row in subject),
    )


def _thread(mailbox_id: UUID, row: Any) -> ThreadFacts:
    return ThreadFacts(
        thread_id=row["thread_id"],
        mailbox_id=mailbox_id,
        participants=frozenset(row["participants"]),
        status=row["status"],
        last_message_at=row["last_message_at"],
        normalized_subject=row["normalized_subject"],
        contact_identifier=row["contact_identifier"],
    )
