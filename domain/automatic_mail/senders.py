"""Rules AU7, AU8 and AU10: what sender and recipients of a mail say about it, and the contact forms that are the
exception, because they write as one of our own addresses on behalf of a customer (AM5)."""

import re
from collections.abc import Iterator

from contracts.mail import Address, AutomaticClass, AutomaticHit, ParsedMail
from domain.automatic_mail.facts import AutomaticFacts, hit
from domain.automatic_mail.header_rules import header_values

_DAEMON = re.compile(r"(?:mailer[-_.]?daemon|postmaster)(?![a-z0-9])|bounces?(?:\Z|[-+=])")
_ENVELOPE_DAEMON = re.compile(r"<?mailer[-_.]?daemon(?![a-z0-9])")
_MAIL_SYSTEM = re.compile(r'"?(?:ndr|mdaemon|mail[-_. ]?daemon|mail delivery (?:sub)?system|system administrator)"?\Z')
_NO_REPLY = re.compile(r"(?:\A|[-+._=])(?:no[-_.]?reply|do[-_.]?not[-_.]?reply)(?:\Z|[-+._=])")


def is_ours(identity: str, our_addresses: frozenset[str]) -> bool:
    """True for an address of ours, also with a plus part such as a reply token behind its local part."""
    if identity in our_addresses:
        return True
    local, at, domain = identity.rpartition("@")
    pluses = [place for place, char in enumerate(local) if char == "+"]
    return any(f"{local[:place]}{at}{domain}" in our_addresses for place in pluses)


def form_customer(mail: ParsedMail, facts: AutomaticFacts) -> Address | None:
    """The customer behind a trusted contact form, or None if the mail is not one (AM5)."""
    if mail.from_ is None or mail.ambiguous_sender or len(mail.reply_to) != 1:
        return None
    if is_ours(mail.reply_to[0].identity, facts.our_addresses) or not _form_passes(mail.from_.identity, facts):
        return None
    return mail.reply_to[0]


def form_sender_offer(mail: ParsedMail, facts: AutomaticFacts) -> Address | None:
    """The own address to offer as "add as form sender": unconfigured, with a foreign Reply-To, and no loop of ours."""
    if mail.from_ is None or facts.marker_valid or mail.message_id in facts.own_message_ids:
        return None
    configured = any(form.identity == mail.from_.identity for form in facts.form_senders)
    foreign = any(not is_ours(address.identity, facts.our_addresses) for address in mail.reply_to)
    return mail.from_ if is_ours(mail.from_.identity, facts.our_addresses) and foreign and not configured else None


def own_loop(mail: ParsedMail, facts: AutomaticFacts) -> AutomaticHit | None:
    """AU7: our own mail came back, or somebody writes as one of our addresses."""
    found = [f"X-Loop: {value}" for _, value in header_values(mail, "x-loop") if value]
    if facts.marker_valid:
        found.append("X-Deskhand-Id is ours")
    if mail.message_id and mail.message_id in facts.own_message_ids:
        found.append(f"Message-ID {mail.message_id} was sent by us")
    if mail.from_ and is_ours(mail.from_.identity, facts.our_addresses) and form_customer(mail, facts) is None:
        found.append(f"From {mail.from_.identity} is one of our addresses")
    return hit("own_loop", AutomaticClass.A, *found) if found else None


def robot(mail: ParsedMail, facts: AutomaticFacts) -> AutomaticHit | None:
    """AU8: local parts that no person answers to; a trusted form may well write as no-reply."""
    local = _local_part(mail.from_)
    if _DAEMON.match(local):
        return hit("robot", AutomaticClass.A, f"From {local}")
    if any(_ENVELOPE_DAEMON.match(path.strip().lower()) for path in _return_paths(mail)):
        return hit("robot", AutomaticClass.A, "envelope sender mailer-daemon")
    name = mail.from_.name.strip().lower() if mail.from_ else ""
    if _MAIL_SYSTEM.match(local) or _MAIL_SYSTEM.match(name):
        return hit("robot", AutomaticClass.B, f"From {local}, {name}")
    if _NO_REPLY.search(local) and form_customer(mail, facts) is None:
        return hit("robot", AutomaticClass.B, f"From {local}")
    return None


def not_addressed(mail: ParsedMail, facts: AutomaticFacts) -> AutomaticHit | None:
    """AU10: none of our addresses in To or Cc."""
    if any(is_ours(address.identity, facts.our_addresses) for address in (*mail.to, *mail.cc)):
        return None
    named = ", ".join(address.identity for address in (*mail.to, *mail.cc)[:3])
    return hit("not_addressed", AutomaticClass.B, f"addressed to {named or 'nobody'}")


def _local_part(address: Address | None) -> str:
    """The local part in lower case; some mail servers name themselves without any domain."""
    identity = address.identity.lower() if address else ""
    return identity.rpartition("@")[0] or identity


def _return_paths(mail: ParsedMail) -> Iterator[str]:
    yield mail.envelope_sender or ""
    yield from (value for _, value in header_values(mail, "return-path"))


def _form_passes(identity: str, facts: AutomaticFacts) -> bool:
    return any(
        form.identity == identity and not form.dkim_domains.isdisjoint(facts.dkim_pass_domains)
        for form in facts.form_senders
    )
