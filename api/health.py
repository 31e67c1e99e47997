"""How the installation is: alive or not for everybody, numbers and accounts for those who may read (GL1-GL3)."""

from datetime import datetime
from uuid import UUID

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from adapters.accounts import account_of
from adapters.postgres import Database, Transaction
from api.auth import Principal, Who
from api.docs import GUARDED
from api.services import Deskhand
from contracts.errors import DatabaseFault

BACKLOG_LATE_S = 120
AMBIGUOUS = "approved: ambiguous"

router = APIRouter(tags=["accounts and health"])


class Account(BaseModel):
    """So many mails in one account, and when the oldest came."""

    account: str
    mails: int
    oldest: datetime | None


class MailboxAccounts(BaseModel):
    """One mailbox: mails accepted, where they are, and the difference, which should be 0."""

    mailbox_id: UUID
    address: str
    accepted: int
    accounts: list[Account]
    sum_of_accounts: int
    difference: int


class DoorCount(BaseModel):
    """Deliveries answered with success, by outcome, and how many mails they made."""

    outcome: str
    deliveries: int
    messages: int


class AccountsAnswer(BaseModel):
    """The identity `accepted = sum of accounts`, per mailbox and in total, read from one snapshot."""

    accepted: int
    sum_of_accounts: int
    lost: int
    ambiguous: int
    balanced: bool
    mailboxes: list[MailboxAccounts]
    door: list[DoorCount]


@router.get("/healthz", include_in_schema=False)
async def healthz(request: Request) -> Response:
    """200 while mail is accepted; what is degraded is named. 503 without the database."""
    services = request.app.state.services
    backlog = await _backlog(services.door)
    temporal = await services.desk.healthy()
    late = backlog is not None and backlog["oldest_s"] > BACKLOG_LATE_S
    degraded = [name for name, bad in (("temporal", not temporal), ("relay", late)) if bad]
    body = {
        "status": "down" if backlog is None else "degraded" if degraded else "ok",
        "degraded": degraded,
        "database": backlog is not None,
        "temporal": temporal,
        "relay_backlog": backlog,
    }
    return JSONResponse(body, 503 if backlog is None else 200)


async def _backlog(database: Database) -> dict[str, float] | None:
    try:
        async with database.transaction(timeout_s=2) as tx:
            row = await tx.one("relay_backlog")
    except DatabaseFault:
        return None
    return (
        {"starts": row["starts"], "oldest_s": round(float(row["oldest_s"]), 1), "wakes": row["wakes"]} if row else None
    )


@router.get("/metrics", include_in_schema=False)
async def metrics(who: Who) -> Response:
    """Prometheus; the scraper needs a token with the scope read."""
    who.require("read")
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


@router.get("/api/accounts", responses=GUARDED)
async def accounts(services: Deskhand, who: Who) -> AccountsAnswer:
    """Where every accepted mail is."""
    who.require("read")
    return await read_accounts(services.database, who)


async def read_accounts(database: Database, who: Principal) -> AccountsAnswer:
    """The accounts of the mailboxes somebody sees."""
    async with database.transaction(who.mailboxes) as tx:
        await tx.run("accounts_snapshot")
        mailboxes = await _mailboxes(tx, who)
        door = [
            DoorCount(outcome=r["outcome"], deliveries=r["deliveries"], messages=r["messages"])
            for r in await tx.rows("accounts_deliveries")
        ]
    accepted, held = sum(m.accepted for m in mailboxes), sum(m.sum_of_accounts for m in mailboxes)
    return AccountsAnswer(
        accepted=accepted,
        sum_of_accounts=held,
        lost=max(accepted - held, 0),
        ambiguous=sum(a.mails for m in mailboxes for a in m.accounts if a.account == AMBIGUOUS),
        balanced=all(m.difference == 0 for m in mailboxes),
        mailboxes=mailboxes,
        door=door,
    )


async def _mailboxes(tx: Transaction, who: Principal) -> list[MailboxAccounts]:
    held: dict[UUID, dict[str, Account]] = {}
    for row in await tx.rows("accounts_held"):
        name = account_of(row["account"], row["status"], row["hold"], row["archived"], row["sending"])
        _add(held.setdefault(row["mailbox_id"], {}), Account(account=name, mails=row["mails"], oldest=row["oldest"]))
    seen = set(who.mailboxes)
    return [_mailbox(row, held) for row in await tx.rows("accounts_mailboxes") if row["id"] in seen]


def _add(accounts: dict[str, Account], more: Account) -> None:
    known = accounts.setdefault(more.account, Account(account=more.account, mails=0, oldest=None))
    known.mails += more.mails
    known.oldest = min((d for d in (known.oldest, more.oldest) if d is not None), default=None)


def _mailbox(row: object, held: dict[UUID, dict[str, Account]]) -> MailboxAccounts:
    mailbox_id, accepted = row["id"], row["accepted"]  # type: ignore[index]
    found = sorted(held.get(mailbox_id, {}).values(), key=lambda a: a.account)
    total = sum(a.mails for a in found)
    return MailboxAccounts(
        mailbox_id=mailbox_id,
        address=row["address"],  # type: ignore[index]
        accepted=accepted,
        accounts=found,
        sum_of_accounts=total,
        difference=accepted - total,
    )
