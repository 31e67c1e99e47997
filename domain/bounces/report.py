"""One report about mail we sent, whatever its format was; it proves nothing until it matched a mail of ours (BO1)."""

from collections.abc import Iterable
from enum import StrEnum

from contracts.base import Contract


class ReportKind(StrEnum):
    """What a report means for us (BO2, BO3)."""

    FAILED = "failed"
    DELAYED = "delayed"
    DELIVERED = "delivered"
    UNKNOWN = "unknown"
    COMPLAINT = "complaint"
    READ_RECEIPT = "read_receipt"


_WORST_FIRST = (ReportKind.FAILED, ReportKind.DELAYED, ReportKind.UNKNOWN, ReportKind.DELIVERED)


class ReportedRecipient(Contract):
    """What is said of one recipient. `status` is `class.subject.detail` (RFC 3463) or empty, `diagnostic` <= 400 chars.

    `gave_up` tells that the other side stopped trying, which a kind of `delayed` does not rule out (failed with 4.x.x).
    """

    address: str
    kind: ReportKind
    action: str = ""
    status: str = ""
    diagnostic: str = ""
    gave_up: bool = False


class BounceReport(Contract):
    """A delivery report, complaint or read receipt. Ids are normalised; `marker` is not verified yet.

    `related_message_ids` stand in the report's own In-Reply-To and References, a weaker hint than the returned mail.
    """

    kind: ReportKind
    format: str
    recipients: tuple[ReportedRecipient, ...] = ()
    original_message_id: str = ""
    related_message_ids: tuple[str, ...] = ()
    marker: str = ""
    envelope_id: str = ""
    feedback_type: str = ""

    @property
    def decisive(self) -> ReportedRecipient | None:
        """The recipient that gave the report its kind, if any is named."""
        return next((recipient for recipient in self.recipients if recipient.kind is self.kind), None)

    @property
    def action(self) -> str:
        """Action of the decisive recipient, such as `failed`; empty if unknown."""
        return self.decisive.action if self.decisive else ""

    @property
    def status(self) -> str:
        """Status code of the decisive recipient, such as `5.1.1`; empty if unknown."""
        return self.decisive.status if self.decisive else ""

    @property
    def diagnostic(self) -> str:
        """The other server's words about the decisive recipient."""
        return self.decisive.diagnostic if self.decisive else ""


def worst(recipients: Iterable[ReportedRecipient]) -> ReportKind:
    """The kind of a report that speaks of several recipients."""
    kinds = {recipient.kind for recipient in recipients}
    return next((kind for kind in _WORST_FIRST if kind in kinds), ReportKind.UNKNOWN)
