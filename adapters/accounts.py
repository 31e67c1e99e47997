"""The accounts of every mail, read from one snapshot: where each is, what the door counted, and what does not add up.

Ledger, mail rows, message rows, events, bytes and send orders are written by different statements; whatever one of them
lost or did twice shows here as a difference (GL1-GL5).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from adapters.postgres import Database, Transaction
from contracts.status import OutboxState, Status
from domain.reply.recipients import recipients_hash

SHOWN_PER_CHECK: Final = 20
PAGE: Final = 1000
# What each statement looks for, in the words of the table people read.
CHECKS: Final = {
    "accounts_vanished": "every mail of the ledger has its row",
    "accounts_unbooked": "every account is the ledger's",
    "accounts_without_message": "every mail in the pipeline has a message",
    "accounts_in_two": "no mail is in two accounts",
    "accounts_without_blob": "every mail has its bytes",
    "accounts_without_start": "every mail has its workflow order",
    "accounts_without_event": "every status is the last event's",
    "accounts_sent_without_row": "every sent message has its send order",
    "accounts_row_without_sent": "every reply that went out is marked sent",
    "accounts_sent_twice": "no reply went out twice",
    "accounts_undecided": "no send without a decision",
    "accounts_claimed_after_kill": "no send after a kill switch",
}
RECIPIENTS: Final = "recipients are those approved"
IDENTITY: Final = "accepted = sum of accounts"
DELIVERIES: Final = "stored deliveries made the mails of the ledger"
SENDING: Final = {
    OutboxState.READY: "undo window",
    OutboxState.SENDING: "sending",
    OutboxState.SENT: "sending",
    OutboxState.AMBIGUOUS: "ambiguous",
    OutboxState.FAILED_SAFE: "sending",
    OutboxState.BOUNCED: "sending",
}


@dataclass(frozen=True)
class Holding:
    """So many mails in one account, and when the oldest came."""

    account: str
    mails: int
    oldest: datetime | None


@dataclass(frozen=True)
class MailboxAccounts:
    """One mailbox: mails accepted, and where they are."""

    mailbox_id: UUID
    address: str
    accepted: int
    holdings: tuple[Holding, ...]

    @property
    def held(self) -> int:
        """The sum of all accounts."""
        return sum(holding.mails for holding in self.holdings)


@dataclass(frozen=True)
class Deliveries:
    """Deliveries answered with success, by outcome, and how many mails they made."""

    outcome: str
    count: int
    mails: int


@dataclass(frozen=True)
class Difference:
    """One thing that does not add up; `message_id` is empty where a sum is wrong."""

    check: str
    message_id: str
    what: str


@dataclass(frozen=True)
class Check:
    """One check and how often it failed; the differences name the first of them."""

    name: str
    failures: int


@dataclass(frozen=True)
class Accounts:
    """The whole answer. It balances if no check failed."""

    mailboxes: tuple[MailboxAccounts, ...]
    booked: int
    deliveries: tuple[Deliveries, ...]
    checks: tuple[Check, ...]
    differences: tuple[Difference, ...]

    @property
    def balances(self) -> bool:
        """Whether everything adds up."""
        return all(check.failures == 0 for check in self.checks)

    @property
    def accepted(self) -> int:
        """Mails accepted, in total."""
        return sum(mailbox.accepted for mailbox in self.mailboxes)

    @property
    def held(self) -> int:
        """The sum of all accounts, in total."""
        return sum(mailbox.held for mailbox in self.mailboxes)


def account_of(account: str, status: str | None, hold: str | None, archived: str | None, sending: str | None) -> str:
    """The name of the one account a mail is in (GL1); ValueError for a status that has none."""
    if status is None:
        return account
    match Status(status):
        case Status.ARCHIVED:
            return f"archived: {archived}"
        case Status.APPROVED:
            return f"approved: {SENDING[OutboxState(sending)] if sending else 'undo window'}"
        case other:
            return f"{other}: {hold}" if hold else str(other)


async def read_accounts(database: Database, shown: int = SHOWN_PER_CHECK) -> Accounts:
    """Reads and compares everything in one read-only snapshot; at most `shown` differences per check are named."""
    async with database.transaction() as tx:
        await tx.run("accounts_snapshot")
        mailboxes = await _mailboxes(tx)
        booked = await tx.value("accounts_booked")
        deliveries = tuple(Deliveries(*row) for row in await tx.rows("accounts_deliveries"))
        sums = _compare_sums(mailboxes, booked, deliveries)
        rows = [await _look(tx, name, words, shown) for name, words in CHECKS.items()]
        found = [*sums, *rows, await _recipients(tx, shown)]
    checks = tuple(check for check, _ in found)
    return Accounts(mailboxes, booked, deliveries, checks, tuple(one for _, some in found for one in some))


Found = tuple[Check, list[Difference]]


async def _mailboxes(tx: Transaction) -> tuple[MailboxAccounts, ...]:
    held: dict[UUID, dict[str, Holding]] = {}
    for row in await tx.rows("accounts_held"):
        name = account_of(row["account"], row["status"], row["hold"], row["archived"], row["sending"])
        accounts = held.setdefault(row["mailbox_id"], {})
        accounts[name] = _added(accounts.get(name), Holding(name, row["mails"], row["oldest"]))
    return tuple(
        MailboxAccounts(row["id"], row["address"], row["accepted"], tuple(held.get(row["id"], {}).values()))
        for row in await tx.rows("accounts_mailboxes")
    )


def _added(known: Holding | None, more: Holding) -> Holding:
    if known is None:
        return more
    dates = [date for date in (known.oldest, more.oldest) if date]
    return Holding(known.account, known.mails + more.mails, min(dates, default=None))


def _compare_sums(mailboxes: Sequence[MailboxAccounts], booked: int, deliveries: Sequence[Deliveries]) -> list[Found]:
    """GL2: per mailbox and in total, and what the door counted."""
    wrong = [_sum(IDENTITY, m.address, m.accepted, m.held) for m in mailboxes if m.accepted != m.held]
    accepted, held = sum(m.accepted for m in mailboxes), sum(m.held for m in mailboxes)
    if not booked == accepted == held:
        wrong.append(_sum(IDENTITY, "in total", booked, held))
    made = sum(delivery.mails for delivery in deliveries)
    at_the_door = [_sum(DELIVERIES, "in total", booked, made)] if made != booked else []
    return [(Check(IDENTITY, len(wrong)), wrong), (Check(DELIVERIES, len(at_the_door)), at_the_door)]


def _sum(check: str, where: str, accepted: int, found: int) -> Difference:
    return Difference(check, "", f"{where}: accepted {accepted}, found {found}, difference {found - accepted:+d}")


async def _look(tx: Transaction, name: str, words: str, shown: int) -> Found:
    rows = await tx.rows(name, shown)
    failures = rows[0]["all_of_them"] if rows else 0
    return Check(words, failures), [Difference(words, str(row["message_id"]), row["what"]) for row in rows]


async def _recipients(tx: Transaction, shown: int) -> Found:
    """Each order handed over still names the recipients that were approved (GL5)."""
    wrong, after = [], UUID(int=0)
    while rows := await tx.rows("accounts_recipients", after, PAGE):
        wrong += [row["message_id"] for row in rows if not _as_approved(row)]
        after = rows[-1]["id"]
    what = "the recipients are not those that were approved"
    return Check(RECIPIENTS, len(wrong)), [Difference(RECIPIENTS, str(each), what) for each in wrong[:shown]]


def _as_approved(row: Any) -> bool:
    digest: str = recipients_hash(tuple(row["recipients"]), tuple(row["cc"]), ())
    return digest == row["recipients_hash"]
