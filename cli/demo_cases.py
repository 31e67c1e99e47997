"""The mails of the demo and where each must end: read by people, followed by `deskhand demo`, checked by a test."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from cli.follow import Standing
from contracts.status import ArchiveReason, HoldReason, Status

FOLDER: Final = Path(__file__).with_name("demo_mails")
KNOWLEDGE: Final = FOLDER / "knowledge"
POLICY_PREFIX: Final = "policy-"
# What stands in the files for the mailbox of the stack, the day before today, and the run of the demo.
ADDRESSED_TO: Final = b"support@example.org"
WRITTEN_ON: Final = b"Mon, 2 Mar 2026"
ID_MARK: Final = b".demo@"
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
SPAM: Final = frozenset({ArchiveReason.SPAM.value, ArchiveReason.CLASSIFIER_SPAM.value})
FORCED: Final = frozenset({"forced_review"})
SUPERSEDED: Final = frozenset({ArchiveReason.SUPERSEDED.value})


@dataclass(frozen=True)
class DemoMail:
    """One mail: its file, what it shows, and its expected end. No reasons means that any will do.

    `after_draft` says that its sender writes again only when the mail before it has its draft.
    """

    file: str
    shows: str
    status: Status
    reasons: frozenset[str] = frozenset()
    hold: str = ""
    after_draft: bool = False

    def ended_as_expected(self, standing: Standing) -> bool:
        """Whether the message is where it should end."""
        at_end = (standing.status, standing.hold) == (self.status, self.hold)
        return at_end and (not self.reasons or standing.reason in self.reasons)

    @property
    def expected(self) -> str:
        """The expected end in words."""
        why = " or ".join(sorted(self.reasons)) or self.hold
        return f"{self.status} ({why})" if why else str(self.status)

    def content(self, mailbox: str, day: date, again: bytes = b"") -> bytes:
        """The mail to `mailbox` as if written on `day`; `again` makes it another than that of an earlier run."""
        raw = (FOLDER / self.file).read_bytes().replace(ADDRESSED_TO, mailbox.encode())
        raw = raw.replace(WRITTEN_ON, mail_day(day).encode())
        return raw.replace(ID_MARK, b".demo-" + again + b"@") if again else raw


MAILS: Final[Sequence[DemoMail]] = (
    DemoMail("01-password.eml", "a question the help pages answer", Status.DRAFT_READY),
    DemoMail("02-invoice.eml", "a billing question", Status.DRAFT_READY),
    DemoMail("03-lieferzeit.eml", "a German question", Status.DRAFT_READY),
    DemoMail("04-beschwerde.eml", "a German complaint: straight to a person", Status.DRAFT_READY, FORCED),
    DemoMail("05-prize.eml", "spam", Status.ARCHIVED, SPAM),
    DemoMail("06-orders-to-a-machine.eml", "orders to a machine", Status.QUARANTINED),
    DemoMail("07-bulb.eml", "first of three on one thread", Status.ARCHIVED, SUPERSEDED),
    DemoMail("08-bulb-dimmer.eml", "second of three", Status.ARCHIVED, SUPERSEDED, after_draft=True),
    DemoMail("09-bulb-box.eml", "third of three: the one draft left", Status.DRAFT_READY, after_draft=True),
    DemoMail(
        "10-out-of-office.eml", "an auto-reply: held, never answered", Status.RECEIVED,
        frozenset({HoldReason.AUTOMATIC.value}), HoldReason.AUTOMATIC.value,
    ),
    DemoMail("11-html-only.eml", "a mail without plain text", Status.DRAFT_READY),
    DemoMail("12-subject-only.eml", "a question in the subject alone", Status.DRAFT_READY),
)  # fmt: skip


def mail_day(day: date) -> str:
    """A day as mail headers write it, in English whatever the locale (RFC 5322 3.3)."""
    return f"{WEEKDAYS[day.weekday()]}, {day.day} {MONTHS[day.month - 1]} {day.year}"


def new_mark() -> bytes:
    """A fresh mark for a second demo on the same stack."""
    return secrets.token_hex(4).encode()
