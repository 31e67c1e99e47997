"""Whom a reply goes to: decided by rules over the received mail and by people, never by a model (OB11)."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Iterable
from enum import StrEnum

import idna

from contracts.base import Contract
from contracts.errors import PermanentFault
from contracts.mail import Address, ParsedMail
from domain.mail.domains import organisational_domain

ADDRESS_OCTETS = 320

_DOMAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|\[[A-Za-z0-9:.]+\]")
_LOCAL = re.compile(r'[^\s<>()\[\],;:\\"@]+|"(?:[^"\\]|\\[ -~])*"')
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class UnsendableReply(PermanentFault):
    """This mail cannot be put on the wire as ordered; the message says which part of it, a person must change it."""


class ConfirmReason(StrEnum):
    """Why a person must confirm the recipients before anything is sent."""

    NO_SENDER = "no_sender"
    AMBIGUOUS_SENDER = "ambiguous_sender"
    OWN_ADDRESS = "own_address"
    BAD_ADDRESS = "bad_address"
    NEEDS_SMTPUTF8 = "needs_smtputf8"
    REPLY_TO_SEVERAL = "reply_to_several"
    REPLY_TO_FOREIGN = "reply_to_foreign"


class ReplyRecipients(Contract):
    """Proposed recipients. `confirm` is empty if no person need look; `offered` is what they may choose instead."""

    to: tuple[str, ...]
    cc: tuple[str, ...] = ()
    confirm: tuple[ConfirmReason, ...] = ()
    offered: tuple[str, ...] = ()


def reply_recipients(
    mail: ParsedMail,
    own: Collection[str],
    *,
    reply_all: bool = False,
    form_sender: bool = False,
    smtputf8: bool = False,
) -> ReplyRecipients:
    """Propose recipients for a reply to `mail` (AM4, AM5, AM7, OB11).

    `own` holds the identities of our addresses. `reply_all` is a person's choice. `form_sender` says that the sender is
    a trusted contact form, whose Reply-To is the customer. `smtputf8` says that the channel carries non-ASCII local
    parts.
    """
    chosen, doubts, offered = _primary(mail, own, form_sender)
    doubts = _sender_doubts(mail) + doubts
    if chosen is None:
        return ReplyRecipients(to=(), confirm=_distinct(doubts), offered=offered)
    if chosen.identity in own or (mail.from_ and mail.from_.identity in own and not form_sender):
        doubts.append(ConfirmReason.OWN_ADDRESS)
    copies = _copies(mail, {*own, chosen.identity}) if reply_all else ()
    doubts += [doubt for each in (chosen.address, *copies) for doubt in _address_doubts(each, smtputf8)]
    return ReplyRecipients(to=(chosen.address,), cc=copies, confirm=_distinct(doubts), offered=offered)


_Choice = tuple[Address | None, list[ConfirmReason], tuple[str, ...]]


def _primary(mail: ParsedMail, own: Collection[str], form_sender: bool) -> _Choice:
    sender, wishes = mail.from_, [each for each in mail.reply_to if each.identity not in own]
    if not wishes:
        return sender, [], ()
    offered = tuple(dict.fromkeys(each.address for each in wishes))
    if len({each.identity for each in wishes}) > 1:
        return sender, [ConfirmReason.REPLY_TO_SEVERAL], offered
    if form_sender or (sender is not None and same_organisation(sender, wishes[0])):
        return wishes[0], [], ()
    return sender, [ConfirmReason.REPLY_TO_FOREIGN], offered


def _sender_doubts(mail: ParsedMail) -> list[ConfirmReason]:
    if mail.from_ is None:
        return [ConfirmReason.NO_SENDER]
    return [ConfirmReason.AMBIGUOUS_SENDER] if mail.ambiguous_sender or mail.from_count != 1 else []


def _address_doubts(address: str, smtputf8: bool) -> list[ConfirmReason]:
    try:
        wire = wire_address(address)
    except UnsendableReply:
        return [ConfirmReason.BAD_ADDRESS]
    return [] if wire.isascii() or smtputf8 else [ConfirmReason.NEEDS_SMTPUTF8]


def _copies(mail: ParsedMail, excluded: set[str]) -> tuple[str, ...]:
    others = {each.identity: each.address for each in reversed((*mail.to, *mail.cc)) if each.identity not in excluded}
    return tuple(reversed(others.values()))


def _distinct(reasons: list[ConfirmReason]) -> tuple[ConfirmReason, ...]:
    return tuple(dict.fromkeys(reasons))


def same_organisation(one: Address, other: Address) -> bool:
    """True for the same address or the same organisational domain, by the public suffix list (AM4)."""
    houses = {organisational_domain(each.identity.rpartition("@")[2]) for each in (one, other)}
    return one.identity == other.identity or len(houses) == 1


def wire_address(address: str) -> str:
    """`address` as it stands in an envelope or header: local part as received (NFC), domain as A-labels (AM7, AM8).

    Raises UnsendableReply if it could end a command or a header field, or is longer than 320 octets.
    """
    local, _, domain = unicodedata.normalize("NFC", address).rpartition("@")
    wire = f"{local}@{_a_labels(domain)}"
    if not _LOCAL.fullmatch(local) or _has_unseen(local) or len(wire.encode(errors="replace")) > ADDRESS_OCTETS:
        raise UnsendableReply("An address is not one that mail can be sent to; correct it first.")
    return wire


def _has_unseen(text: str) -> bool:
    return any(unicodedata.category(char) in _UNSEEN for char in text)


def _a_labels(domain: str) -> str:
    try:
        ascii_form = domain if domain.isascii() else idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        ascii_form = ""
    if not _DOMAIN.fullmatch(ascii_form):
        raise UnsendableReply("The domain of an address is not one that mail can be sent to; correct it first.")
    return ascii_form


def recipients_hash(to: Iterable[str], cc: Iterable[str], attachments: Iterable[str]) -> str:
    """SHA-256 (hex) of what an approval covers besides the text, in any order; `attachments` are content digests."""
    parts = [sorted(to), sorted(cc), sorted(attachments)]
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()
