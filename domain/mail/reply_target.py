"""Whom an answer would go to. A Reply-To is the sender's wish, so it moves the recipient only within one organisation;
everything else is put before a person (AM2, AM4, AM5, AM7)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from contracts.mail import Address, ParsedMail
from domain.mail.address_list import identity
from domain.mail.domains import ascii_domain, is_valid_domain, organisational_domain


class TargetRule(StrEnum):
    """Which rule chose the recipient, or why a person has to."""

    FROM = "from"
    REPLY_TO = "reply_to"
    CONTACT_FORM = "contact_form"
    NO_SENDER = "no_sender"
    AMBIGUOUS_SENDER = "ambiguous_sender"
    OWN_ADDRESS = "own_address"
    FORM_UNAUTHENTICATED = "form_unauthenticated"
    FOREIGN_REPLY_TO = "foreign_reply_to"
    SEVERAL_REPLY_TO = "several_reply_to"
    UNUSABLE_ADDRESS = "unusable_address"


_DECIDED = frozenset({TargetRule.FROM, TargetRule.REPLY_TO, TargetRule.CONTACT_FORM})


@dataclass(frozen=True, slots=True)
class ReplyTarget:
    """The proposed recipient and the rule behind it; `candidates` are what a person may choose from.

    `offers_form_sender`: it comes from our own address with a foreign Reply-To, so "add as form sender" helps (AM5).
    `needs_smtputf8`: the address has a non-ASCII local part (AM7).
    """

    address: Address | None
    rule: TargetRule
    candidates: tuple[Address, ...] = ()
    offers_form_sender: bool = False
    needs_smtputf8: bool = False

    @property
    def needs_person(self) -> bool:
        """True if a person has to confirm the recipient before anything is sent."""
        return self.rule not in _DECIDED


def reply_target(
    parsed: ParsedMail,
    our_addresses: Collection[str],
    form_senders: Mapping[str, str] | Collection[str],
    *,
    dkim_domains: Collection[str] = (),
) -> ReplyTarget:
    """Whom to answer (AM2-AM5).

    `form_senders`: addresses of trusted contact forms; a mapping gives the DKIM domain each must pass with, else it
    is the organisational domain of the address. `dkim_domains`: domains whose DKIM signature of this mail was verified.
    """
    ours = frozenset(map(identity, our_addresses))
    foreign = tuple(address for address in parsed.reply_to if address.identity not in ours)
    sender = parsed.from_
    if sender is None:
        return _target(None, TargetRule.NO_SENDER, foreign)
    candidates = _distinct((sender, *foreign))
    if parsed.ambiguous_sender:
        return _target(sender, TargetRule.AMBIGUOUS_SENDER, candidates)
    required = _required_domains(form_senders).get(sender.identity)
    if required is not None:
        return _form_target(sender, foreign, passed=required in map(organisational_domain, dkim_domains))
    if sender.identity in ours:
        return _target(sender, TargetRule.OWN_ADDRESS, candidates, offers_form_sender=bool(foreign))
    return _ordinary_target(sender, foreign, candidates)


def _required_domains(form_senders: Mapping[str, str] | Collection[str]) -> dict[str, str]:
    if isinstance(form_senders, Mapping):
        return {identity(address): organisational_domain(domain) for address, domain in form_senders.items()}
    return {identity(address): _organisation(identity(address)) for address in form_senders}


def _form_target(sender: Address, foreign: tuple[Address, ...], passed: bool) -> ReplyTarget:
    """For a trusted form the Reply-To is the customer, if the form's own signature passed (AM5)."""
    if not passed:
        return _target(sender, TargetRule.FORM_UNAUTHENTICATED, _distinct((sender, *foreign)))
    if len(foreign) != 1:
        return _target(None, TargetRule.SEVERAL_REPLY_TO if foreign else TargetRule.NO_SENDER, foreign)
    return _usable(foreign[0], TargetRule.CONTACT_FORM, foreign)


def _ordinary_target(sender: Address, foreign: tuple[Address, ...], candidates: tuple[Address, ...]) -> ReplyTarget:
    if not foreign:
        return _usable(sender, TargetRule.FROM, candidates)
    if len({address.identity for address in foreign}) > 1:
        return _target(sender, TargetRule.SEVERAL_REPLY_TO, candidates)
    if foreign[0].identity == sender.identity:
        return _usable(sender, TargetRule.FROM, candidates)
    if _organisation(foreign[0].identity) == _organisation(sender.identity):
        return _usable(foreign[0], TargetRule.REPLY_TO, candidates)
    return _target(sender, TargetRule.FOREIGN_REPLY_TO, candidates)


def _usable(address: Address, rule: TargetRule, candidates: tuple[Address, ...]) -> ReplyTarget:
    return _target(address, rule if is_usable(address) else TargetRule.UNUSABLE_ADDRESS, candidates)


def is_usable(address: Address) -> bool:
    """True if mail could be sent to it: one local part without blanks and controls, and a valid domain (AM2)."""
    local, at, domain = address.address.rpartition("@")
    if not at or not local or "@" in local or any(char.isspace() or not char.isprintable() for char in local):
        return False
    return is_valid_domain(ascii_domain(domain))


def _organisation(address: str) -> str:
    return organisational_domain(address.rpartition("@")[2])


def _distinct(addresses: tuple[Address, ...]) -> tuple[Address, ...]:
    return tuple({address.identity: address for address in reversed(addresses)}.values())[::-1]


def _target(
    address: Address | None, rule: TargetRule, candidates: tuple[Address, ...], offers_form_sender: bool = False
) -> ReplyTarget:
    non_ascii = address is not None and not address.address.rpartition("@")[0].isascii()
    return ReplyTarget(address, rule, candidates, offers_form_sender, non_ascii)
