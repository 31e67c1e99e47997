"""News about a mail we sent: delivered, bounced, complained (AD2)."""

from enum import StrEnum

from contracts.base import Contract


class NewsKind(StrEnum):
    """What a source may tell us about our own mail."""

    DELIVERED = "delivered"
    BOUNCED = "bounced"
    COMPLAINED = "complained"


class OutboundNews(Contract):
    """`ids` are outbox ids or Message-IDs without angle brackets; no match means counted and without effect."""

    kind: NewsKind
    ids: tuple[str, ...] = ()
    recipient: str = ""
