"""What has to be true before a rule may send alone. Asked wherever a rule is saved, by page, API or command line
(P83, P91a)."""

from enum import StrEnum

from contracts.base import Contract
from domain.autonomy.certifying import Certificate
from domain.routing.rules import RuleMode


class Basis(StrEnum):
    """Why a rule is on: its record proves it, or an admin said so."""

    CERTIFICATE = "certificate"
    OVERRIDE = "override"


class Refused(StrEnum):
    """Why it may not be switched on. Each word has a sentence on the page and in the API."""

    NO_CERTIFICATE = "no_certificate"
    NO_SENDER_AUTH = "no_sender_auth"


class Wish(Contract):
    """What somebody wants a rule to be; `override_reason` is their word for it where there is no certificate."""

    mode: RuleMode
    threshold: float
    override_reason: str = ""


def judge(
    wish: Wish, certificate: Certificate, senders_checked: bool, require_sender_auth: bool
) -> Basis | None | Refused:
    """The basis of a rule that is on, None for off and shadow, or why it must not be on.

    `senders_checked`: lately a mail came with a DMARC verdict. Without one every sender could be anybody, so a rule
    stays in shadow unless an admin has switched `require_sender_auth` off.
    """
    if wish.mode is not RuleMode.ON:
        return None
    if require_sender_auth and not senders_checked:
        return Refused.NO_SENDER_AUTH
    if certificate.covers(wish.threshold):
        return Basis.CERTIFICATE
    return Basis.OVERRIDE if wish.override_reason.strip() else Refused.NO_CERTIFICATE
