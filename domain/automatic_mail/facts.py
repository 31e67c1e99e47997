"""What the automatic-mail rules must know beyond the mail itself; looked up by the caller, so that rules stay pure."""

from contracts.base import Contract
from contracts.mail import AutomaticClass, AutomaticHit

MAX_EVIDENCE_CHARS = 200


class FormSender(Contract):
    """A trusted contact form: its From identity and the DKIM domains of which one must pass (AM5)."""

    identity: str
    dkim_domains: frozenset[str]


class AutomaticFacts(Contract):
    """Addresses are identities (AM8). `own_message_ids` are those ids of this mail that we once sent.

    `marker_valid` tells that its X-Deskhand-Id verified; `dkim_pass_domains` (lower case) come from a verified source;
    `exempt_senders` are the mailbox's exemptions, each an identity or `@domain`.
    """

    our_addresses: frozenset[str] = frozenset()
    own_message_ids: frozenset[str] = frozenset()
    marker_valid: bool = False
    form_senders: tuple[FormSender, ...] = ()
    dkim_pass_domains: frozenset[str] = frozenset()
    exempt_senders: frozenset[str] = frozenset()
    source_spam: bool = False


def hit(code: str, mail_class: AutomaticClass, *evidence: str) -> AutomaticHit:
    """One hit with its evidence on one line of bounded length."""
    line = " ".join("; ".join(evidence).split())
    return AutomaticHit(code=code, mail_class=mail_class, evidence=line[:MAX_EVIDENCE_CHARS])
