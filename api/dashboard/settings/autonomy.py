"""What may leave without a person: every category with its record, its rule, and what the team forbids (P80-P91a)."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from adapters.postgres import Transaction
from api.autonomy import RuleBody, accept_suggestion, report_of, rule_history, save_rule, standing_of
from api.dashboard.frame import show
from api.dashboard.settings.bound_plot import percent, plot_of
from api.dashboard.settings.hours import regions
from api.dashboard.settings.mailbox import Box, boxes_of
from api.dashboard.visit import Visit, as_id
from api.errors import ApiError, not_found
from api.handling import HandlingBody, add_rule, remove_rule, stored
from contracts.classification import Category
from domain.routing.rules import THRESHOLD_GRID, RuleMode

ROOT = "/dashboard/settings/autonomy"
NUMBERS = ("auto_approve_threshold", "max_daily_auto_actions", "warmup_required", "target_error_rate")
EMPTY_IS_NONE = ("working_hours_start", "working_hours_end", "holidays_region")
HANDLING_FIELDS = ("kind", "words", "category", "text", "from")
MOST_WORDS = 50


async def autonomy_page(visit: Visit) -> Response:
    """All categories of one mailbox."""
    return await _overview(visit)


async def _overview(
    visit: Visit, status: int = 200, typed: dict[str, str] | None = None, problem: str = ""
) -> Response:
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        boxes, box = await _boxes(tx, visit)
        reports = [await standing_of(tx, box.id, category) for category in Category]
        forbidden = await stored(tx, box.id)
        example = await _example(tx, visit)
        flags = {row["flag"]: row["is_on"] for row in await tx.rows("api_flags", box.id)}
    return await show(
        visit, "settings_autonomy.html", status, boxes=boxes, box=box, reports=reports, percent=percent,
        handling=forbidden, autonomy_on=flags.get("ai.autonomy", False),
        categories=list(Category), typed=typed or _offered(example), problem=problem, example=example,
    )  # fmt: skip


async def _example(tx: Transaction, visit: Visit) -> Any:
    """The mail a new handling rule is made from: a draft for it was rejected a moment ago."""
    asked = visit.form.get("from") if visit.request.method == "POST" else visit.request.query_params.get("from", "")
    return await tx.one("handling_from", as_id(asked)) if asked else None


def _offered(example: Any) -> dict[str, str]:
    empty = dict.fromkeys(HANDLING_FIELDS, "")
    return empty if example is None else {**empty, "category": example["category"], "from": str(example["id"])}


async def rule_page(visit: Visit) -> Response:
    """One category: the rule as a form, the record as a drawing and in words."""
    return await _rule(visit)


async def _rule(
    visit: Visit, status: int = 200, typed: dict[str, str] | None = None, problems: dict[str, str] | None = None
) -> Response:
    category = _category(visit)
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        boxes, box = await _boxes(tx, visit)
        found = await report_of(tx, box.id, category, "")
        row = await tx.one("autonomy_rule", box.id, category, "")
        changes = await rule_history(tx, box.id, row)
        people = {f"user:{p['id']}": p["name"] for p in await tx.rows("dashboard_people", visit.who.organisation_id)}
    return await show(
        visit, "settings_rule.html", status, boxes=boxes, box=box, report=found, rule=found.rule, percent=percent,
        plot=plot_of(found.certificate), point=found.certificate.at(found.rule.auto_approve_threshold),
        typed=typed or _as_typed(found.rule), problems=problems or {},
        problem_of=(problems or {}).get, grid=[f"{v:.2f}" for v in THRESHOLD_GRID],
        modes=list(RuleMode), regions=regions(), changes=changes, people=people, category=category,
    )  # fmt: skip


def _as_typed(rule: Any) -> dict[str, str]:
    values = {name: getattr(rule, name) for name in RuleBody.model_fields if name != "override_reason"}
    said = {name: "" if value is None else str(value) for name, value in values.items()}
    said["auto_approve_threshold"] = f"{rule.auto_approve_threshold:.2f}"
    for name in ("working_hours_start", "working_hours_end"):
        said[name] = said[name][:5]
    return {**said, "override_reason": ""}


async def save(visit: Visit) -> Response:
    """Saves a rule; what is refused stays in the form with its reason, and nothing is changed."""
    visit.who.require("admin", role="admin")
    typed = {name: visit.form.get(name).strip() for name in RuleBody.model_fields}
    try:
        body = RuleBody(**_meant(typed))
    except ValidationError as wrong:
        problems = {str(e["loc"][0]) if e["loc"] else "working_hours_start": _plain(e["msg"]) for e in wrong.errors()}
        return await _rule(visit, 422, typed, problems)
    try:
        async with visit.services.database.transaction(visit.who.mailboxes) as tx:
            _, box = await _boxes(tx, visit)
            await save_rule(tx, visit.who, box.id, _category(visit), "", body)
    except ApiError as refused:
        said = visit.words.named("rule_refused", refused.error)
        return await _rule(visit, refused.code, typed, {"mode": said})
    return await _done(visit, f"{ROOT}/{_category(visit)}", box.id)


def _meant(typed: dict[str, str]) -> dict[str, Any]:
    empty = {name: None for name in (*EMPTY_IS_NONE, "version") if not typed[name]}
    return {**{name: value.replace(",", ".") if name in NUMBERS else value for name, value in typed.items()}, **empty}


def _plain(message: str) -> str:
    return message.removeprefix("Value error, ")


async def accept(visit: Visit) -> Response:
    """Takes over the threshold that the weekly look suggests."""
    visit.who.require("admin", role="admin")
    category = _category(visit)
    try:
        async with visit.services.database.transaction(visit.who.mailboxes) as tx:
            _, box = await _boxes(tx, visit)
            await accept_suggestion(tx, visit.who, box.id, category, "")
    except ApiError as refused:
        return await _rule(visit, refused.code, None, {"mode": visit.words.named("rule_refused", refused.error)})
    return await _done(visit, f"{ROOT}/{category}", box.id)


async def forbid(visit: Visit) -> Response:
    """Adds a handling rule."""
    visit.who.require("review", "admin", role="reviewer")
    typed = {name: visit.form.get(name).strip() for name in HANDLING_FIELDS}
    words = [word.strip() for word in typed["words"].split(",") if word.strip()][:MOST_WORDS]
    predicate = {"words": words, "categories": [typed["category"]] if typed["category"] else []}
    try:
        examples = [as_id(typed["from"])] if typed["from"] else []
        body = HandlingBody(kind=typed["kind"], predicate=predicate, text=typed["text"], examples=examples)
    except ValidationError as wrong:
        return await _overview(visit, 422, typed, _plain(wrong.errors()[0]["msg"]))
    try:
        async with visit.services.database.transaction(visit.who.mailboxes) as tx:
            _, box = await _boxes(tx, visit)
            await add_rule(tx, visit.who, box.id, body)
    except ApiError as refused:
        if refused.code != 422:
            raise
        return await _overview(visit, 422, typed, visit.words("handling.misses"))
    return await _done(visit, ROOT, box.id)


async def allow(visit: Visit) -> Response:
    """Removes a handling rule."""
    visit.who.require("admin", role="admin")
    async with visit.services.database.transaction(visit.who.mailboxes) as tx:
        _, box = await _boxes(tx, visit)
        await remove_rule(tx, visit.who, box.id, visit.path_id("rule_id"))
    return await _done(visit, ROOT, box.id)


async def _boxes(tx: Transaction, visit: Visit) -> tuple[list[Box], Box]:
    boxes = await boxes_of(tx, visit.who.organisation_id)
    wanted = visit.form.get("mailbox") if visit.request.method == "POST" else visit.request.query_params.get("mailbox")
    example = None if wanted else await _example(tx, visit)
    wanted = wanted or (str(example["mailbox_id"]) if example else "")
    for box in boxes:
        if not wanted or str(box.id) == wanted:
            return boxes, box
    raise not_found("mailbox")


def _category(visit: Visit) -> Category:
    try:
        return Category(visit.request.path_params["category"])
    except ValueError:
        raise not_found("category") from None


async def _done(visit: Visit, path: str, mailbox_id: UUID) -> Response:
    await visit.note(kind="done", action="settings")
    return RedirectResponse(f"{path}?{urlencode({'mailbox': mailbox_id})}", 303)
