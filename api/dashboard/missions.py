"""Missions as people see them: give a goal, watch the tree, answer what is asked, stop it (missions.md 6.4)."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from api.dashboard.actions import refused
from api.dashboard.frame import show
from api.dashboard.visit import Visit, as_id
from api.errors import ApiError
from api.mission_acts import Actor, CancelBody, InputBody, MissionBody, mission_desk
from api.mission_reading import read_mission, read_result
from api.mission_shapes import MissionRow, ResultShown, TaskShown
from api.rows import plain
from contracts.missions import CLOSED, Capability, GateReason, MissionStatus

PLACE = "/dashboard/missions"
PAGE = 30
SIFTS: dict[str, list[str] | None] = {
    "": None, "waits": [MissionStatus.OWNER_GATE], "works": [MissionStatus.OPEN], "ended": sorted(CLOSED),
}  # fmt: skip
DELEGATING = (Capability.READ, Capability.RETRIEVE, Capability.DRAFT, Capability.SAVE_DRAFT, Capability.DELEGATE)


async def missions_page(visit: Visit) -> Response:
    """The composer and the list, newest first."""
    sift = visit.request.query_params.get("show", "")
    sift = sift if sift in SIFTS else ""
    after = visit.request.query_params.get("after", "")
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        rows = await tx.rows(
            "mission_pages_list", SIFTS[sift], None, list(visit.mailboxes), as_id(after) if after else None, PAGE + 1
        )
        boxes = [dict(b) for b in await tx.rows("api_mailboxes", visit.who.organisation_id) if _usable(visit, b)]
    shown = [MissionRow(**plain(row)) for row in rows[:PAGE]]
    return await show(
        visit, "missions.html", missions=shown, boxes=boxes, sift=sift, sifts=tuple(SIFTS), money=money,
        more=shown[-1].id if len(rows) > PAGE else None,
    )  # fmt: skip


def _usable(visit: Visit, box: Any) -> bool:
    return box["kind"] == "inbox" and box["id"] in visit.mailboxes


async def start_mission(visit: Visit) -> Response:
    """A goal from the composer; afterwards the person is at the mission."""
    form = visit.form
    try:
        body = MissionBody.model_validate({
            "mailbox_id": form.get("mailbox"), "goal": form.get("text"), "request_id": form.get("request_id") or None,
            "turn_limit": form.get("turn_limit") or None, "cost_limit_usd": form.get("cost_limit_usd") or None,
            **({"capabilities": DELEGATING} if form.get("delegate") == "yes" else {}),
        })  # fmt: skip
        started = await _actor(visit).start(body, None)
    except ValidationError:
        return await refused(visit, "mission.start", ApiError(422, "invalid", ""))
    except ApiError as error:
        return await refused(visit, "mission.start", error)
    await visit.note(kind="done", action="mission.start")
    return RedirectResponse(f"{PLACE}/{started.id}", 303)


async def mission_page(visit: Visit) -> Response:
    """The tree, the gate with its question, and beside them the mission's turns or one task with its result."""
    mission_id, chosen = visit.path_id("mission_id"), visit.request.query_params.get("task", "")
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        found = await read_mission(tx, visit.services.settings, mission_id)
        tasks = list(flat(found.tasks))
        task = next((t for t, _ in tasks if str(t.attempt_id) == chosen), None)
        result = await read_result(tx, mission_id, task.attempt_id) if task and task.result else None
    return await show(
        visit, "mission.html", m=found, branches=tasks, task=task, doc=_document(result), money=money,
        is_open=found.status not in CLOSED, limits=GateReason.LIMIT_REACHED, took=took, strip=strip,
    )  # fmt: skip


def _document(result: ResultShown | None) -> dict[str, Any] | None:
    """The document with every part there, so that the page need not ask."""
    if result is None:
        return None
    parts = ("records", "fragments", "checks", "risks", "blockers", "citations")
    return {"summary": "", **{name: [] for name in parts}, **result.document}


async def answer_mission(visit: Visit) -> Response:
    """What the owner says: at a gate the decision, otherwise an instruction."""
    form, mission_id = visit.form, visit.path_id("mission_id")
    try:
        body = InputBody.model_validate({
            "request_id": form.get("request_id") or None, "gate_id": form.get("gate_id"), "text": form.get("text"),
            "kind": form.get("kind") or "instruct", "seen_message_id": form.get("seen_message_id") or None,
            "turn_limit": form.get("turn_limit") or None, "cost_limit_usd": form.get("cost_limit_usd") or None,
        })  # fmt: skip
        answer = await _actor(visit).answer(mission_id, body, None)
    except ValidationError:
        return await refused(visit, "mission.answer", ApiError(422, "invalid", ""))
    except ApiError as error:
        return await refused(visit, "mission.answer", error)
    await visit.note(kind="done", action=f"mission.{answer.result}")
    return visit.back(f"{PLACE}/{mission_id}")


async def cancel_mission(visit: Visit) -> Response:
    """Stops the mission, or one task of it."""
    form, mission_id = visit.form, visit.path_id("mission_id")
    try:
        body = CancelBody.model_validate({
            "request_id": form.get("request_id") or None, "reason": form.get("reason"),
            "task_key": form.get("task_key"),
        })  # fmt: skip
        await _actor(visit).cancel(mission_id, body, None)
    except ValidationError:
        return await refused(visit, "mission.cancel", ApiError(422, "invalid", ""))
    except ApiError as error:
        return await refused(visit, "mission.cancel", error)
    await visit.note(kind="done", action="mission.cancel_task" if body.task_key else "mission.cancel")
    return visit.back(f"{PLACE}/{mission_id}")


def _actor(visit: Visit) -> Actor:
    return Actor(visit.services, visit.who, mission_desk(visit.request))


def flat(tasks: Sequence[TaskShown], depth: int = 0) -> Iterator[tuple[TaskShown, int]]:
    """Every task of the tree with its depth, parents before their children."""
    for task in tasks:
        yield task, depth
        yield from flat(task.children, depth + 1)


def strip(task: TaskShown, stages: Sequence[str]) -> tuple[int, list[bool]]:
    """How many of the stages were reached, and which, in their order (M18)."""
    reached = [stage in task.stage_times for stage in stages]
    return sum(reached), reached


def took(turn: Any) -> int | None:
    """Milliseconds from the receipt of a turn to its end; None while it runs."""
    if turn.receipt_at is None or turn.ended_at is None:
        return None
    return int((turn.ended_at - turn.receipt_at).total_seconds() * 1000)


def money(amount: float | None) -> str:
    """US dollars; small sums with the digits that say something."""
    value = amount or 0.0
    return f"${value:.2f}" if value >= 1 or not value else f"${value:.4f}"

