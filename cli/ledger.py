"""`deskhand ledger check`: the accounts of every mail, and exit code 1 when they do not balance (GL2, GL3)."""

import asyncio
from datetime import UTC, datetime
from typing import Final

import typer
from rich.console import Console

from adapters.accounts import Accounts, read_accounts
from adapters.postgres import Database
from adapters.settings import Settings
from cli.tables import age_words, plain_console, say, show_table

STATEMENT_TIMEOUT_MS: Final = 600_000
AMBIGUOUS: Final = "approved: ambiguous"

app = typer.Typer(help="Account for every mail that came in.", no_args_is_help=True)


@app.callback()
def ledger() -> None:
    """Account for every mail that came in."""


@app.command()
def check() -> None:
    """Compare ledger, mails, messages, bytes and send orders; exit code 1 on any difference."""
    accounts, console = asyncio.run(_read(Settings())), plain_console()
    show_accounts(console, accounts, datetime.now(UTC))
    if not accounts.balances:
        raise typer.Exit(1)


async def _read(settings: Settings) -> Accounts:
    url = settings.database_url.get_secret_value()
    database = await Database.connect(url, most=1, name="deskhand-ledger", statement_timeout_ms=STATEMENT_TIMEOUT_MS)
    try:
        return await read_accounts(database)
    finally:
        await database.close()


def show_accounts(console: Console, accounts: Accounts, now: datetime) -> None:
    """Sums per mailbox and account, what the door counted, every check, and each difference."""
    show_table(console, ("mailbox", "account", "mails", "oldest"), _account_rows(accounts, now), "Accounts")
    show_table(console, ("deliveries answered", "times", "mails made"), _delivery_rows(accounts), "At the door")
    rows = [(check.name, "ok" if not check.failures else f"{check.failures} wrong") for check in accounts.checks]
    show_table(console, ("check", "result"), rows, "Checks")
    if accounts.differences:
        named = [(one.check, one.message_id, one.what) for one in accounts.differences]
        show_table(console, ("check", "message", "difference"), named, "Differences")
    say(console, _verdict(accounts), "bold green" if accounts.balances else "bold red")


def _account_rows(accounts: Accounts, now: datetime) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for mailbox in accounts.mailboxes:
        for held in mailbox.holdings:
            age = age_words(held.oldest, now) if held.oldest else ""
            rows.append((mailbox.address, held.account, held.mails, age))
        rows.append((mailbox.address, f"{mailbox.held} {_sign(mailbox.held, mailbox.accepted)}", mailbox.accepted, ""))
    total = f"{accounts.held} {_sign(accounts.held, accounts.booked)} by the ledger"
    return [*rows, ("all", total, accounts.booked, "")]


def _sign(held: int, accepted: int) -> str:
    return "= accepted" if held == accepted else "≠ accepted"


def _delivery_rows(accounts: Accounts) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = [(one.outcome, one.count, one.mails) for one in accounts.deliveries]
    total = (sum(one.count for one in accounts.deliveries), sum(one.mails for one in accounts.deliveries))
    return [*rows, ("all", *total)]


def _verdict(accounts: Accounts) -> str:
    held = [one for mailbox in accounts.mailboxes for one in mailbox.holdings if one.account == AMBIGUOUS]
    lost = max(accounts.booked - accounts.held, 0)
    failures = sum(check.failures for check in accounts.checks)
    words = "The accounts balance" if accounts.balances else f"The accounts do not balance: {failures} differences"
    return f"{words}. {accounts.accepted} accepted · {lost} lost · {sum(one.mails for one in held)} ambiguous"
