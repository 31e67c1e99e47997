"""Every page that the table of addresses knows, with an address to open it by, and a house in which none is empty."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from adapters.password_links import link_path, make_link
from adapters.postgres import Database
from api.dashboard.lanes import LANES
from api.dashboard.routes import routes
from api.dashboard.settings.fields import SECTIONS
from bench.fifty_thousand.filling import Ground, fill_in
from bench.fifty_thousand.plan import Conversation, Ending
from contracts.classification import Category
from tests.browser.health_rows import a_day
from tests.browser.visitors import new_person
from tests.integration.running import MAILBOX, Running

BOX = "/dashboard/settings/mailboxes/{mailbox_id}"
# What is asked for by GET and is no page: files, streams, answers to scripts, and ways that lead elsewhere.
NO_PAGES = frozenset({
    "/", "/style.css", "/dashboard/static/{name}", "/dashboard/oidc/callback", "/dashboard", "/dashboard/",
    "/dashboard/live", "/dashboard/messages/{message_id}/html", "/dashboard/messages/{message_id}/raw",
    "/dashboard/files/{message_id}/{n:int}", "/dashboard/palette",
    "/dashboard/pictures/{message_id}/{n:int}/{until:int}/{session}/{mark}",
})  # fmt: skip


@dataclass(frozen=True)
class House:
    """A Deskhand where every lane holds something."""

    running: Running
    person: str
    threads: Mapping[Ending, UUID]
    invitation: str
    mission: str


async def lived_in(running: Running) -> House:
    """One conversation for every way a mail can end, one of three mails, and a day of numbers."""
    await running.sql("UPDATE agent_config SET coalesce_window_ms = 0")
    email = await new_person(running, "admin", "Nora Admin")
    row = (await running.rows("SELECT id, organisation_id FROM users WHERE email = $1", email))[0]
    ground = Ground(running.database_url, running.key, row["organisation_id"], row["id"], MAILBOX)
    planned = [Conversation(n, (ending,), "", False) for n, ending in enumerate(Ending, 1)]
    longer = Conversation(99, (Ending.SENT, Ending.DISMISSED, Ending.REVIEW), "assigned", False)
    await fill_in(ground, [*planned, longer])
    await a_day(running)
    found = await running.rows("SELECT id, subject FROM conversation_threads")
    numbers = {int(re.search(r"\((\d+)\)", r["subject"])[1]) - 100_000: r["id"] for r in found}  # type: ignore[index]
    threads = {ending: numbers[n] for n, ending in enumerate(Ending, 1) if n in numbers}
    return House(running, email, threads, await _invitation(running), await _mission(running))


async def _mission(running: Running) -> str:
    body = {"mailbox_id": str(running.mailbox_id), "goal": "Look through the open conversations about lamps."}
    answer = await running.post("/api/missions", body, headers={"Idempotency-Key": "a-mission-to-look-at"})
    assert answer.status_code in (201, 202), answer.text
    return str(answer.json()["id"])


async def _invitation(running: Running) -> str:
    email = await new_person(running, "viewer")
    user = await running.value("SELECT id FROM users WHERE email = $1", email)
    database = await Database.connect(running.database_url, most=1)
    async with database.transaction() as tx:
        token = await make_link(tx, user, "test")
    await database.close()
    return link_path(token)


def addresses(house: House) -> dict[str, list[str]]:
    """What to open, by the path of the table."""
    box = f"/dashboard/settings/mailboxes/{house.running.mailbox_id}"
    lanes = {f"/dashboard/inbox/{lane}": [f"/dashboard/inbox/{lane}"] for lane in LANES}
    alone = (
        "/dashboard/account", "/dashboard/settings/people", "/dashboard/settings/access", "/dashboard/inbox",
        "/dashboard/knowledge", "/dashboard/inbox/poison", "/dashboard/settings", "/dashboard/settings/sources",
        "/dashboard/settings/model", "/dashboard/settings/history", "/dashboard/settings/autonomy", "/dashboard/health",
        "/dashboard/senders", "/dashboard/missions",
    )  # fmt: skip
    return {
        **lanes,
        **{path: [path] for path in alone},
        "/dashboard/sign-in": ["/dashboard/sign-in"],
        "/dashboard/invitation/{token}": [house.invitation, "/dashboard/invitation/unknown"],
        "/dashboard/inbox/{thread_id}": [
            *(f"/dashboard/inbox/{thread}" for thread in house.threads.values()), f"/dashboard/inbox/{UUID(int=0)}",
        ],
        "/dashboard/missions/{mission_id}": [f"/dashboard/missions/{house.mission}"],
        "/dashboard/settings/sources/{name}/rotate": ["/dashboard/settings/sources/default/rotate"],
        "/dashboard/settings/autonomy/{category}": [f"/dashboard/settings/autonomy/{next(iter(Category))}"],
        BOX: [box],
        f"{BOX}/addresses/{{change}}": [f"{box}/addresses/add"],
        f"{BOX}/flags": [f"{box}/flags"],
        f"{BOX}/{{section}}": [f"{box}/{section}" for section in SECTIONS],
    }  # fmt: skip


def paths_of_the_table() -> set[str]:
    """Every path that answers GET."""
    return {route.path for route in routes() if "GET" in (route.methods or ("GET",))}
