"""Every five minutes, per mailbox: what happened becomes numbers, breakers look at them, counters of a day that is over
go back to nothing, and mails that hold for money that is there again go on (15.1, P85, P93, P111)."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

from temporalio import activity

from activities.breakers import ACTOR, MOST_WOKEN, Breakers, wake_held
from activities.faults import named_faults, unexpected
from activities.model_turns import judge, spent_by, turn_wait
from activities.ports import Database, Row, Transaction
from activities.send_ceiling import stop_if_refused
from contracts.status import HoldReason
from domain.breakers import BreakerKind, BreakerState
from domain.budget.calendar_day import day_start, month_start, next_midnight
from domain.budget.spend import SpendLevel, SpendVerdict
from domain.metrics import LABELS_NEEDED, RollupReport, RollupRequest, latest_window, windows_due

PAGE = 100
NOBODY = UUID(int=0)
BY_WINDOW = ("rollup_latency", "rollup_errors", "rollup_automatic", "rollup_cost", "rollup_rejections")


class Rollup:
    """The rollup of all mailboxes; a mailbox that cannot be done now is left to the next one and stops no other."""

    def __init__(self, database: Database, breakers: Breakers) -> None:
        self.database = database
        self.breakers = breakers

    @activity.defn(name="rollup")
    async def rollup(self, request: RollupRequest) -> RollupReport:
        """One pass. Safe to repeat: a value is replaced only by one that rests on at least as many samples."""
        report, after = RollupReport(), NOBODY
        async with named_faults("rollup"):
            while rows := await self._mailboxes(after):
                for row in rows:
                    report = _sum(report, await self._one(row))
                    _beat()
                after = rows[-1]["id"]
        return report

    async def _mailboxes(self, after: UUID) -> Sequence[Row]:
        async with self.database.transaction() as tx:
            return await tx.rows("rollup_mailboxes", after, PAGE)

    async def _one(self, mailbox: Row) -> RollupReport:
        try:
            moved = await self.breakers.evaluate(mailbox["id"])
            values = await self._numbers(mailbox)
            woken = await self._upkeep(mailbox, bool(moved))
            await stop_if_refused(self.database, mailbox["id"])
        except Exception as fault:
            unexpected(f"rollup of mailbox {mailbox['id']}", fault, final=False)
            return RollupReport(skipped=1)
        return RollupReport(mailboxes=1, values=values, breakers_moved=len(moved), woken=woken)

    async def _numbers(self, mailbox: Row) -> int:
        mailbox_id = mailbox["id"]
        async with self.database.transaction(mailbox_id) as tx:
            now = await tx.value("clock")
            since, until = windows_due(now, mailbox["newest"])
            values = [await tx.run(name, mailbox_id, since, until) for name in BY_WINDOW]
            values.append(await tx.run("rollup_accuracy", mailbox_id, since, until, LABELS_NEEDED))
            for name in ("rollup_queue", "rollup_held"):
                values.append(await tx.run(name, mailbox_id, latest_window(now)))
        return sum(values)

    async def _upkeep(self, mailbox: Row, moved: bool) -> int:
        async with self.database.transaction(mailbox["id"]) as tx:
            now = await tx.value("clock")
            await reset_daily_counts(tx, mailbox["id"], mailbox["timezone"], now)
            left = 0 if moved else await _left_behind(tx, mailbox["id"], now)
            return await _money(tx, mailbox, now) + left


def _sum(one: RollupReport, other: RollupReport) -> RollupReport:
    return RollupReport(**{name: value + getattr(other, name) for name, value in one})


def _beat() -> None:
    if activity.in_activity():
        activity.heartbeat()


async def reset_daily_counts(tx: Transaction, mailbox_id: UUID, timezone: str, now: datetime) -> int:
    """Counters of automatic replies whose local day is over are 0 until the next local midnight; how many (P85)."""
    midnight = next_midnight(now, ZoneInfo(timezone))
    rules = await tx.rows("rollup_day_over", mailbox_id)
    done = [await tx.run("rollup_reset_rule", rule["id"], midnight) for rule in rules]
    return sum(done) + await tx.run("rollup_reset_global", mailbox_id, midnight)


async def _money(tx: Transaction, mailbox: Row, now: datetime) -> int:
    """Tells of a ceiling once per day or month, and wakes what held for one that no longer stops it (P111)."""
    verdict = judge(mailbox, await spent_by(tx, mailbox["id"], mailbox))
    if verdict.level is not SpendLevel.OK:
        await _tell(tx, mailbox, verdict, now)
    if verdict.level is SpendLevel.HOLD:
        return 0
    return await wake_held(tx, mailbox["id"], HoldReason.SPEND_CEILING, f"spend/{latest_window(now).isoformat()}")


async def _tell(tx: Transaction, mailbox: Row, verdict: SpendVerdict, now: datetime) -> None:
    zone = ZoneInfo(mailbox["timezone"])
    since = month_start(now, zone) if verdict.ceiling == "monthly" else day_start(now, zone)
    action = "spend_hold" if verdict.level is SpendLevel.HOLD else "spend_warning"
    after = {"ceiling": verdict.ceiling, "share": str(round(verdict.share or Decimal(0), 4)), "actor": ACTOR}
    if await tx.value("rollup_audit_once", mailbox["id"], action, f"ceiling/{verdict.ceiling}", after, since):
        activity.logger.warning(action, extra={"mailbox_id": str(mailbox["id"]), **after})


async def _left_behind(tx: Transaction, mailbox_id: UUID, now: datetime) -> int:
    """A worker that died had the turn with it: the longest wait is over, or all are if nobody takes turns (P96)."""
    if await turn_wait(tx, mailbox_id, NOBODY, now) is not None:
        return 0
    state = await tx.value("breaker_state", mailbox_id, BreakerKind.LLM_FAILURE)
    most = 1 if state == BreakerState.OPEN else MOST_WOKEN
    return await wake_held(tx, mailbox_id, HoldReason.LLM_BREAKER, f"turn/{now.isoformat()}", most)
