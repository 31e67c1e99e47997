"""Where people correct Deskhand on the pages: what a mail is about, a reply that went wrong, a loop that is none (P89,
LO2, 15.1)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from starlette.responses import Response

from adapters.postgres import Transaction
from api import breakers, incidents
from api.breakers import CategoryBody
from api.dashboard.actions import carried_out
from api.dashboard.visit import Visit
from api.desk import Desk
from contracts.classification import Category

MOST_INCIDENTS = 20


@dataclass(frozen=True)
class Corrections:
    """What waits for a person's word on a conversation, and what they said about the mail that is shown."""

    loop_suspected: bool
    lifted_at: datetime | None
    lifted_by: str
    incidents: list[Any]
    category: str | None
    categories: tuple[Category, ...] = tuple(Category)


async def corrections_of(visit: Visit, tx: Transaction, thread: Any, message_id: UUID | None) -> Corrections:
    """Reads it; `category` is what a person said, None where nobody did."""
    row = await tx.must("corrections_of_thread", thread["id"])
    open_ones = await tx.rows("corrections_incidents", [thread["mailbox_id"]], thread["id"], MOST_INCIDENTS)
    said = await tx.value("label_of", message_id) if message_id else None
    people = {f"user:{p['id']}": p["name"] for p in await tx.rows("dashboard_people", visit.who.organisation_id)}
    by = row["loop_lifted_by"] or ""
    return Corrections(row["loop_suspected"], row["loop_lifted_at"], people.get(by, by), open_ones, said)


async def open_incidents(tx: Transaction, mailboxes: list[UUID]) -> list[Any]:
    """The newest replies that went wrong and that nobody has acknowledged."""
    return list(await tx.rows("corrections_incidents", mailboxes, None, MOST_INCIDENTS))


async def set_category(visit: Visit) -> Response:
    """Says what a mail is about."""
    message_id = visit.path_id("message_id")

    async def work(_: Desk) -> None:
        body = CategoryBody.model_validate({"category": visit.form.get("category")})
        await breakers.label(message_id, body, visit.services, visit.who)

    return await carried_out(visit, "category", work)


async def acknowledge(visit: Visit) -> Response:
    """Says that an incident was seen."""
    incident_id = visit.path_id("incident_id")

    async def work(_: Desk) -> None:
        await incidents.acknowledge(incident_id, visit.services, visit.who)

    return await carried_out(visit, "acknowledge_incident", work)


async def lift_loop(visit: Visit) -> Response:
    """Says that no machine answers here."""
    thread_id = visit.path_id("thread_id")

    async def work(_: Desk) -> None:
        await incidents.lift_loop(thread_id, visit.services, visit.who)

    return await carried_out(visit, "lift_loop", work)
