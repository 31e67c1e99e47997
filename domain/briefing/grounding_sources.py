"""Which text a draft may lean on. A statement counts as known only if it stands in a source that is still in the
context and that we, not the customer, vouch for (P66, P105, HW9)."""

from enum import StrEnum

from contracts.base import Contract


class SourceKind(StrEnum):
    """Where a piece of the context comes from."""

    CONTACT = "contact"
    ACTIVITY = "activity"
    CUSTOMER_MAIL = "customer_mail"
    SENT_REPLY = "sent_reply"
    POLICY = "policy"
    VERIFIED = "verified"
    CLAIM = "claim"
    FILE = "file"
    SIGNATURE = "signature"
    CURRENT_MESSAGE = "current_message"


class Source(Contract):
    """One piece of context. `trusted` is False for everything a customer wrote, also after it became a claim or a
    file."""

    id: str
    kind: SourceKind
    title: str
    text: str
    trusted: bool


def signature_source(signature: str, mailbox_name: str = "") -> Source:
    """Our own signature and name as a trusted source: a draft that signs as the team is not inventing a name."""
    text = f"{mailbox_name}\n{signature}".strip()
    return Source(id="signature", kind=SourceKind.SIGNATURE, title="signature", text=text, trusted=True)
