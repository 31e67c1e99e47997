"""Rules that may send alone, what their record proves, and switching them (P80-P91a)."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import APIRouter
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from adapters.postgres import Transaction
from api.auth import Principal, Who
from api.docs import GUARDED
from api.errors import ApiError, invalid
from api.mailboxes import known_mailbox
from api.plain_text import WORDS, is_storable
from api.rows import plain
from api.services import Deskhand
from api.settings_body import Counter, Region, TimeOfDay
from contracts.classification import Category
from domain.autonomy import Certificate, Forecast, PastDecision, forecast
from domain.autonomy.forecasting import LOOK_BACK
from domain.autonomy.reading import audits_of, certificate_of
from domain.autonomy.switching import Basis, Refused, Wish, judge
from domain.routing.rules import THRESHOLD_GRID, RuleMode

REFUSALS = {
    Refused.NO_CERTIFICATE: "Its record does not prove this threshold yet. Leave it in shadow until it does, or give a "
    "reason in `override_reason`; that is written down with your name.",
    Refused.NO_SENDER_AUTH: "Mail of this mailbox comes without a DMARC verdict, so anybody could be the sender. Let "
    "the receiving server add one, or switch `require_sender_auth` off.",
}

NO_ID = UUID(int=0)
EVER = datetime(1970, 1, 1, tzinfo=UTC)

router = APIRouter(prefix="/api/mailboxes/{mailbox_id}/rules", tags=["autonomy"], responses=GUARDED)


def _on_grid(value: Decimal) -> Decimal:
    if float(value) not in THRESHOLD_GRID:
        raise ValueError(f"one of {', '.join(f'{step:.2f}' for step in THRESHOLD_GRID)}")
    return value


Threshold = Annotated[Decimal, Field(ge=0, le=1), AfterValidator(_on_grid)]

Share = Annotated[Decimal, Field(ge=Decimal("0.001"), le=Decimal("0.5"), decimal_places=3)]


class RuleBody(BaseModel):
    """What a rule is to be. Fields that are not named stay as they are; `version` is the one you saw."""

    model_config = ConfigDict(extra="forbid")

    mode: RuleMode = RuleMode.OFF
    auto_approve_threshold: Threshold = Decimal("0.80")
    max_daily_auto_actions: Counter = 20
    warmup_required: Annotated[int, Field(ge=0, le=1000)] = 3
    target_error_rate: Share = Decimal("0.05")
    working_hours_start: TimeOfDay | None = None
    working_hours_end: TimeOfDay | None = None
    holidays_region: Region | None = None
    override_reason: Annotated[str, Field(max_length=500)] = ""
    version: int | None = None

    @model_validator(mode="after")
    def _both_or_none(self) -> "RuleBody":
        if (self.working_hours_start is None) != (self.working_hours_end is None):
            raise ValueError("working_hours_start and working_hours_end belong together")
        return self


class Rule(BaseModel):
    """A rule as it stands."""

    id: UUID
    category: Category
    sender: str
    mode: RuleMode
    mode_basis: Basis | None
    mode_since: datetime
    override_reason: str
    auto_approve_threshold: float
    max_daily_auto_actions: int
    current_daily_count: int
    warmup_required: int
    target_error_rate: float
    working_hours_start: time | None
    working_hours_end: time | None
    holidays_region: str | None
    audit_alert: bool
    suggested: float | None
    suggested_at: datetime | None
    version: int
    changed_by: str


class Standing(BaseModel):
    """A rule with what its record proves."""

    rule: Rule
    certificate: Certificate


class Report(Standing):
    """The same with what its audits say, and what switching it on would mean."""

    audits: dict[str, Any] | None
    forecast: Forecast | None
    senders_checked: bool


class RuleHistory(BaseModel):
    """One change of a rule."""

    at: datetime
    actor: str
    action: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@router.get("")
async def rules(mailbox_id: UUID, services: Deskhand, who: Who) -> list[Rule]:
    """The rules of a mailbox."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        return [rule_of(row) for row in await tx.rows("autonomy_rules", mailbox_id)]


@router.get("/{category}")
async def report(mailbox_id: UUID, category: Category, services: Deskhand, who: Who, sender: str = "") -> Report:
    """One rule with its record. A rule nobody saved yet is reported as off; it has no record."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        return await report_of(tx, mailbox_id, category, identity(sender))


@router.put("/{category}")
async def save(
    mailbox_id: UUID, category: Category, body: RuleBody, services: Deskhand, who: Who, sender: str = ""
) -> Report:
    """Change a rule. `mode` on needs a certificate for the threshold, or an admin's reason."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        await save_rule(tx, who, mailbox_id, category, identity(sender), body)
        return await report_of(tx, mailbox_id, category, identity(sender))


@router.post("/{category}/accept")
async def accept(mailbox_id: UUID, category: Category, services: Deskhand, who: Who, sender: str = "") -> Report:
    """Accept the looser threshold the weekly look suggests; a rule that is on is asked for its certificate again."""
    who.require("admin", role="admin")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        await accept_suggestion(tx, who, mailbox_id, category, identity(sender))
        return await report_of(tx, mailbox_id, category, identity(sender))


@router.get("/{category}/history")
async def history(
    mailbox_id: UUID, category: Category, services: Deskhand, who: Who, sender: str = ""
) -> list[RuleHistory]:
    """The newest 50 changes of a mailbox's rules: who, when, before, after."""
    who.require("read")
    async with services.database.transaction(who.mailboxes) as tx:
        await known_mailbox(tx, who, mailbox_id)
        row = await tx.one("autonomy_rule", mailbox_id, category, identity(sender))
        return [RuleHistory(**plain(r, "subject")) for r in await rule_history(tx, mailbox_id, row)]


async def rule_history(tx: Transaction, mailbox_id: UUID, rule: Mapping[str, Any] | None) -> list[Any]:
    """Changes of one rule, newest first."""
    if rule is None:
        return []
    return [r for r in await tx.rows("autonomy_history", mailbox_id) if r["subject"] == f"rule/{rule['id']}"]


def identity(sender: str) -> str:
    """A sender as rules and messages name it."""
    cleaned = sender.strip().casefold()
    if not is_storable(cleaned):
        raise invalid("sender", WORDS)
    if cleaned and (cleaned.count("@") != 1 or len(cleaned) > 320 or any(c.isspace() for c in cleaned)):
        raise invalid("sender", "this is no mail address")
    return cleaned


def nobodys(category: Category, sender: str) -> Rule:
    """The rule as it is before anybody saved one: off."""
    body = RuleBody()
    return Rule(
        id=NO_ID, category=category, sender=sender, mode_basis=None, mode_since=EVER, current_daily_count=0,
        audit_alert=False, suggested=None, suggested_at=None, version=0, changed_by="",
        **body.model_dump(exclude={"version"}),
    )  # fmt: skip


def rule_of(row: Mapping[str, Any]) -> Rule:
    """A row of `autonomy_rules` as people see it."""
    return Rule(**{name: row[name] for name in Rule.model_fields})


async def save_rule(
    tx: Transaction,
    who: Principal,
    mailbox_id: UUID,
    category: Category,
    sender: str,
    body: RuleBody,
    named: set[str] | None = None,
) -> None:
    """Judges and writes a rule in the transaction of the caller; raises ApiError and leaves everything as it was."""
    await tx.run("autonomy_rule_new", mailbox_id, category, sender, who.actor)
    found = await tx.must("autonomy_rule", mailbox_id, category, sender)
    before = await tx.must("autonomy_rule_lock", found["id"])
    if body.version is not None and body.version != before["version"]:
        raise ApiError(
            409, "changed_meanwhile", "The rule was changed meanwhile; look at it again.", by=before["changed_by"]
        )
    wanted = _wanted(before, body, named if named is not None else body.model_fields_set)
    basis = await _basis(tx, before, wanted)
    row = await tx.must(
        "autonomy_rule_set",
        before["id"],
        wanted["mode"],
        basis,
        wanted["override_reason"] if basis is Basis.OVERRIDE else "",
        wanted["auto_approve_threshold"],
        wanted["max_daily_auto_actions"],
        wanted["warmup_required"],
        wanted["target_error_rate"],
        wanted["working_hours_start"],
        wanted["working_hours_end"],
        wanted["holidays_region"],
        who.actor,
    )
    if row["auto_approve_threshold"] != before["auto_approve_threshold"]:
        await tx.run("autonomy_suggestion_drop", row["id"])
    await _audit(tx, who, before, row)


async def accept_suggestion(
    tx: Transaction, who: Principal, mailbox_id: UUID, category: Category, sender: str
) -> None:
    """Takes over the suggested threshold as `save_rule` does; ApiError 409 where there is none any more."""
    row = await tx.one("autonomy_rule", mailbox_id, category, sender)
    if row is None or row["suggested"] is None:
        raise ApiError(409, "no_suggestion", "There is no suggestion to accept any more.")
    wanted = RuleBody(auto_approve_threshold=row["suggested"], override_reason=row["override_reason"])
    await save_rule(tx, who, mailbox_id, category, sender, wanted, {"auto_approve_threshold"})


def _wanted(before: Mapping[str, Any], body: RuleBody, named: set[str]) -> dict[str, Any]:
    given = body.model_dump()
    return {n: given[n] if n in named else before[n] for n in RuleBody.model_fields if n != "version"}


async def _basis(tx: Transaction, before: Mapping[str, Any], wanted: Mapping[str, Any]) -> Basis | None:
    if wanted["mode"] != RuleMode.ON:
        return None
    config = await tx.must("lifecycle_config", before["mailbox_id"])
    proof = await _proof(tx, before, float(wanted["target_error_rate"]))
    checked = await tx.value("autonomy_sender_checked", before["mailbox_id"])
    wish = Wish(
        mode=RuleMode.ON,
        threshold=float(wanted["auto_approve_threshold"]),
        override_reason=wanted["override_reason"],
    )
    basis = judge(wish, proof, checked, config["require_sender_auth"])
    if isinstance(basis, Refused):
        raise ApiError(409, str(basis), REFUSALS[basis])
    return basis


async def _proof(tx: Transaction, rule: Mapping[str, Any], target: float) -> Certificate:
    return certificate_of(await _evidence(tx, rule), target, await tx.value("clock"))


async def _evidence(tx: Transaction, rule: Mapping[str, Any]) -> list[Any]:
    whose = rule["mailbox_id"], rule["category"], rule["id"]
    return list(await tx.rows("autonomy_observations", *whose, rule["evidence_since"]))


async def _audit(tx: Transaction, who: Principal, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    names = [*RuleBody.model_fields, "mode_basis"]
    changed = [n for n in names if n != "version" and before[n] != after[n]]
    if changed:
        old, new = ({n: str(v[n]) for n in changed} for v in (before, after))
        mark = {"category": after["category"], **({"sender": after["sender"]} if after["sender"] else {})}
        await tx.run("api_audit", after["mailbox_id"], who.actor, "rule", f"rule/{after['id']}", mark | old, mark | new)


async def report_of(tx: Transaction, mailbox_id: UUID, category: Category, sender: str) -> Report:
    """Everything known about a rule; see Report."""
    config = await tx.must("lifecycle_config", mailbox_id)
    now = await tx.value("clock")
    rule, seen = await _rule_and_evidence(tx, mailbox_id, category, sender)
    return Report(
        rule=rule,
        certificate=certificate_of(seen, rule.target_error_rate, now),
        audits=_audits(rule, seen, now),
        forecast=await _forecast(tx, mailbox_id, rule, config, now),
        senders_checked=await tx.value("autonomy_sender_checked", mailbox_id),
    )


async def standing_of(tx: Transaction, mailbox_id: UUID, category: Category) -> Standing:
    """A category's rule and its proof, without what only the page of one rule shows."""
    rule, seen = await _rule_and_evidence(tx, mailbox_id, category, "")
    return Standing(rule=rule, certificate=certificate_of(seen, rule.target_error_rate, await tx.value("clock")))


async def _rule_and_evidence(
    tx: Transaction, mailbox_id: UUID, category: Category, sender: str
) -> tuple[Rule, list[Any]]:
    row = await tx.one("autonomy_rule", mailbox_id, category, sender)
    return (nobodys(category, sender), []) if row is None else (rule_of(row), await _evidence(tx, row))


def _audits(rule: Rule, seen: list[Any], now: datetime) -> dict[str, Any] | None:
    if rule.mode is not RuleMode.ON:
        return None
    watching = audits_of(seen, rule.target_error_rate, rule.auto_approve_threshold, rule.mode_since, now)
    return watching.verdict().model_dump(mode="json")


async def _forecast(
    tx: Transaction, mailbox_id: UUID, rule: Rule, config: Mapping[str, Any], now: datetime
) -> Forecast | None:
    rows = await tx.rows("autonomy_recent", mailbox_id, rule.category, rule.sender, now - LOOK_BACK)
    past = [PastDecision(**dict(row)) for row in rows]
    return forecast(past, rule.auto_approve_threshold, rule.max_daily_auto_actions, now, ZoneInfo(config["timezone"]))
