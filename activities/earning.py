"""Rules keep what they earned only while their audits stay good, and their thresholds follow the reviews once a week
(P90, P91)."""

from collections import Counter
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from temporalio import activity

from activities.faults import named_faults, unexpected
from activities.ports import Database, Row, Transaction
from contracts.autonomy import RulesReport, RulesRequest
from domain.autonomy.adjustment import WINDOW, Adjustment, Change, Review, weekly_adjustment
from domain.autonomy.demotion import AuditWatch
from domain.autonomy.reading import audits_of, certificate_of
from domain.routing.rules import RuleMode

ACTOR = "system"
BEFORE_ALL = UUID(int=0)
WORDS = {Change.TIGHTEN: "tightened", Change.LOOSEN: "loosened", Change.SUGGEST: "suggested"}


class Earning:
    """Looks at every enabled rule; one that cannot be judged now is left to the next look and stops no other."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @activity.defn(name="look_at_rules")
    async def look(self, request: RulesRequest) -> RulesReport:
        """One pass. Safe to repeat: every change names the version of the rule it was decided on."""
        done: Counter[str] = Counter()
        after = BEFORE_ALL
        async with named_faults("look_at_rules"):
            while rules := await self._page(after):
                for rule in rules:
                    done.update(["looked_at", *await self._judged(rule, request.weekly)])
                after = rules[-1]["id"]
        return RulesReport(**done)

    async def _page(self, after: UUID) -> list[Row]:
        async with self.database.transaction() as tx:
            return list(await tx.rows("autonomy_enabled", after))

    async def _judged(self, rule: Row, weekly: bool) -> list[str]:
        try:
            async with self.database.transaction(rule["mailbox_id"]) as tx:
                return await self._judge(tx, rule["id"], weekly)
        except Exception as fault:
            unexpected(f"rule {rule['id']}", fault, final=False)
            return ["skipped"]

    async def _judge(self, tx: Transaction, rule_id: UUID, weekly: bool) -> list[str]:
        rule = await tx.one("autonomy_rule_lock", rule_id)
        if rule is None or rule["mode"] == RuleMode.OFF:
            return []
        now = await tx.value("clock")
        if rule["mode"] == RuleMode.ON and await _lost_trust(tx, rule, now):
            return ["demoted"]
        if weekly and not rule["sender"]:
            return await _adjust(tx, rule, now)
        return []


async def _lost_trust(tx: Transaction, rule: Row, now: datetime) -> bool:
    """Back to shadow when the audits prove more errors than the target allows; twice the audits on suspicion."""
    rows = await tx.rows("autonomy_observations", *_whose(rule), rule["mode_since"])
    target, threshold = float(rule["target_error_rate"]), float(rule["auto_approve_threshold"])
    audits = audits_of(rows, target, threshold, rule["mode_since"], now)
    if audits.drops is None:
        await tx.run("autonomy_alert", rule["id"], audits.alert)
        return False
    await tx.run("autonomy_demote", rule["id"], rule["version"])
    await _tell(tx, rule, "rule_demoted", {"mode": rule["mode"]}, _why(audits))
    return True


def _why(audits: AuditWatch) -> dict[str, str]:
    verdict = audits.verdict()
    return {
        "mode": RuleMode.SHADOW.value,
        "reason": str(verdict.drops),
        "audited": str(verdict.n),
        "errors": str(verdict.errors),
        "lower_limit": f"{verdict.lower_limit:.4f}",
    }


async def _adjust(tx: Transaction, rule: Row, now: datetime) -> list[str]:
    rows = await tx.rows("autonomy_observations", *_whose(rule), rule["evidence_since"])
    proof = certificate_of(rows, float(rule["target_error_rate"]), now)
    reviews = await tx.rows("autonomy_reviews", rule["mailbox_id"], rule["category"], now - WINDOW, rule["sender"])
    said = weekly_adjustment(
        float(rule["auto_approve_threshold"]),
        [Review(rejected=row["rejected"], at=row["at"]) for row in reviews],
        [point.threshold for point in proof.points if point.is_certified],
        now,
    )
    if said.deletes_suggestion:
        await tx.run("autonomy_suggestion_drop", rule["id"])
    await _carry_out(tx, rule, said)
    return [WORDS[said.change]] if said.change in WORDS else []


async def _carry_out(tx: Transaction, rule: Row, said: Adjustment) -> None:
    evidence = {"reviews": said.reviews, "rejected": said.rejected}
    if said.change is Change.KEEP:
        await tx.run("autonomy_looked_at", rule["id"])
    elif said.change is Change.SUGGEST:
        await tx.run("autonomy_suggest", rule["id"], rule["mailbox_id"], _numeric(said.threshold), evidence)
        await tx.run("autonomy_looked_at", rule["id"])
    else:
        await tx.run("autonomy_adjusted", rule["id"], _numeric(said.threshold), rule["version"])
        after = {"auto_approve_threshold": str(said.threshold), **{name: str(n) for name, n in evidence.items()}}
        before = {"auto_approve_threshold": str(rule["auto_approve_threshold"])}
        await _tell(tx, rule, f"rule_{WORDS[said.change]}", before, after)


def _whose(rule: Row) -> tuple[UUID, str, UUID]:
    return rule["mailbox_id"], rule["category"], rule["id"]


async def _tell(tx: Transaction, rule: Row, action: str, before: dict[str, str], after: dict[str, str]) -> None:
    await tx.run("api_audit", rule["mailbox_id"], ACTOR, action, f"rule/{rule['id']}", before, after)


def _numeric(threshold: float) -> Decimal:
    return Decimal(f"{threshold:.2f}")
