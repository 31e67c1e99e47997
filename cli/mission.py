"""`deskhand mission`: give the agent a goal, watch it work, answer what it asks, and stop it, over the REST API."""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Final, TypeVar

import typer

from cli.access import find_access
from cli.api_client import Api, ApiRefused, open_api
from cli.editing import text_from
from cli.mission_pages import show_list, show_mission, show_steps
from cli.tables import plain_console, say
from contracts.errors import DeskhandError
from contracts.missions import CLOSED, MissionStatus

LOOK_EVERY_S: Final = 1.0
SAME_AGAIN: Final = 3
LIST: Final = 25
WAITS: Final = frozenset({*CLOSED, MissionStatus.OWNER_GATE})
T = TypeVar("T")

app = typer.Typer(help="Give the agent a goal and watch it work.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(metavar="ID", help="A mission id, or the end or beginning of one.")]
Json = Annotated[bool, typer.Option("--json", help="The API's answer as it is.")]
Cost = Annotated[float | None, typer.Option(help="Stop and ask at so many US dollars.", min=0.0001)]
Turns = Annotated[int | None, typer.Option(help="Stop and ask after so many turns.", min=1)]


class NoMission(DeskhandError):
    """No mission, no mailbox, or more than one, has the name given; or a command contradicts itself."""


@app.callback()
def mission() -> None:
    """Delegated work: missions of this Deskhand."""


@app.command()
def start(
    goal: Annotated[str, typer.Argument(help="What should be done, in a sentence; - reads it from a pipe.")],
    mailbox: Annotated[str | None, typer.Option(help="Address, name or id; default: the default one.")] = None,
    cost_limit: Cost = None,
    turn_limit: Turns = None,
    key: Annotated[str | None, typer.Option(help="The same key is the same mission, however often it is said.")] = None,
    as_json: Json = False,
) -> None:
    """Start a mission."""
    text = text_from("-", "", "") if goal == "-" else goal

    async def work(api: Api) -> Any:
        body = {"mailbox_id": await _mailbox(api, mailbox), "goal": text, "turn_limit": turn_limit,
                "cost_limit_usd": cost_limit, "request_id": key or str(uuid.uuid4())}  # fmt: skip
        return await _post(api, "/api/missions", body)

    answer = _call(work)
    if as_json:
        _print(answer)
    else:
        console = plain_console()
        say(console, f"{answer['id']} {'was started before.' if answer['repeated'] else 'is started.'}")
        say(console, f"`deskhand mission watch {short(answer['id'])}` follows it.")


@app.command("list")
def list_missions(
    status: Annotated[list[MissionStatus] | None, typer.Option(help="Only these; may be said again.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many.")] = LIST,
    as_json: Json = False,
) -> None:
    """Missions, newest first."""
    query = {"status": [str(s) for s in status] if status else None, "limit": limit}
    page = _call(lambda api: api.get("/api/missions", **query))
    if as_json:
        _print(page)
    else:
        show_list(plain_console(), page["missions"])


@app.command()
def show(mission_id: Id, as_json: Json = False) -> None:
    """The tree of one mission: tasks, stages, turns, gates and what came out."""
    found = _call(lambda api: _found(api, mission_id))
    if as_json:
        _print(found)
    else:
        show_mission(plain_console(), found)


@app.command()
def watch(mission_id: Id, as_json: Json = False) -> None:
    """Follow a mission until it asks something or ends. Exit code 1 if it failed or was cancelled."""
    console = plain_console()

    async def work(api: Api) -> Any:
        before: dict[str, str] = {}
        while True:
            found = await _found(api, mission_id)
            if not as_json:
                before = show_steps(console, found, before)
            if found["status"] in WAITS:
                return found
            await asyncio.sleep(LOOK_EVERY_S)

    found = _call(work)
    if as_json:
        _print(found)
    else:
        show_mission(console, found)
    if found["status"] in (MissionStatus.FAILED, MissionStatus.CANCELLED):
        raise typer.Exit(1)


@app.command()
def answer(
    mission_id: Id,
    gate: Annotated[str | None, typer.Option(help="The gate you answer; default: the one it stands at now.")] = None,
    approve: Annotated[bool, typer.Option("--approve", help="Yes, go on.")] = False,
    edit: Annotated[str | None, typer.Option(metavar="FILE", help="Go on with this text; - reads a pipe.")] = None,
    instruct: Annotated[str | None, typer.Option(metavar="TEXT", help="What to do.")] = None,
    seen: Annotated[str | None, typer.Option(metavar="MESSAGE", help="Newest mail you have seen at the gate.")] = None,
    cost_limit: Cost = None,
    turn_limit: Turns = None,
    as_json: Json = False,
) -> None:
    """Answer the gate, or tell an open mission something. Exit code 1 if it is refused."""
    kind, text = _said(approve, edit, instruct)

    async def work(api: Api) -> Any:
        found = await _found(api, mission_id)
        gate_id = gate if gate is not None else (found["gate"] or {}).get("gate_id", "")
        body = {"kind": kind, "text": text, "gate_id": gate_id, "seen_message_id": seen, "turn_limit": turn_limit,
                "cost_limit_usd": cost_limit, "request_id": str(uuid.uuid4())}  # fmt: skip
        return await _post(api, f"/api/missions/{found['id']}/owner-input", body)

    _said_back(_call(work), as_json)


def _said(approve: bool, edit: str | None, instruct: str | None) -> tuple[str, str]:
    if sum((approve, edit is not None, instruct is not None)) != 1:
        raise NoMission("Say one of --approve, --edit FILE or --instruct TEXT.")
    if edit is not None:
        return "edit", text_from(edit, "", "")
    return ("approve", "") if approve else ("instruct", instruct or "")


@app.command()
def cancel(
    mission_id: Id,
    task: Annotated[str, typer.Option(metavar="KEY", help="Give up only this task.")] = "",
    reason: Annotated[str, typer.Option(help="Why, for colleagues.")] = "",
    as_json: Json = False,
) -> None:
    """Cancel a mission, or one task of it. What was done stays done."""

    async def work(api: Api) -> Any:
        found = await _found(api, mission_id)
        body = {"task_key": task, "reason": reason, "request_id": str(uuid.uuid4())}
        return await _post(api, f"/api/missions/{found['id']}/cancel", body)

    _said_back(_call(work), as_json)


def short(mission_id: object) -> str:
    """The end of an id: ids begin with the time, so their ends are what differs."""
    return str(mission_id)[-8:]


async def _found(api: Api, name: str) -> Any:
    """The mission of an id or of a part of one; parts are looked for among the newest."""
    try:
        return await api.get(f"/api/missions/{uuid.UUID(name)}")
    except ValueError:
        page = await api.get("/api/missions", limit=100)
    ids = [row["id"] for row in page["missions"] if row["id"].endswith(name) or row["id"].startswith(name)]
    if len(ids) != 1:
        raise NoMission(f"{name!r} names {len(ids) or 'no'} missions among the newest 100; give the whole id.")
    return await api.get(f"/api/missions/{ids[0]}")


async def _mailbox(api: Api, name: str | None) -> str:
    boxes = [box for box in await api.get("/api/mailboxes") if box["kind"] == "inbox"]
    if name is None:
        chosen = [box for box in boxes if box["is_default"]] or boxes[:1]
    else:
        chosen = [box for box in boxes if name in (box["id"], box["address"], box["name"])]
    if len(chosen) != 1:
        raise NoMission(f"There is no mailbox {name!r}." if name else "There is no mailbox to work on.")
    return str(chosen[0]["id"])


async def _post(api: Api, path: str, body: Mapping[str, Any]) -> Any:
    """A 503 or a cut line is repeated with the same request id (P100)."""
    given = {name: value for name, value in body.items() if value is not None}
    for _ in range(SAME_AGAIN - 1):
        try:
            return await api.post(path, given)
        except ApiRefused as refused:
            if refused.status != 503:
                raise
    return await api.post(path, given)


def _call(work: Callable[[Api], Awaitable[T]]) -> T:
    async def run() -> T:
        async with open_api(find_access()) as api:
            return await work(api)

    return asyncio.run(run())


def _said_back(given: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        _print(given)
    else:
        say(plain_console(), given["message"])


def _print(answer: Any) -> None:
    print(json.dumps(answer, indent=1, ensure_ascii=False))
