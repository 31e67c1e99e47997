"""Rules are looked at by the clock: thresholds follow reviews, and lost trust ends automatic sending (P90, P91)."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from activities.earning import Earning
from contracts.autonomy import RulesReport, RulesRequest
from contracts.status import Status, StepKind
from domain.autonomy.counting import observation_of, stored
from tests.activities.conftest import World, route_output
from tests.activities.decision_rows import decided, rule

START = datetime(2020, 1, 1, tzinfo=UTC)


async def weekly(world: World) -> RulesReport:
    """The weekly look."""
    return await Earning(world.database).look(RulesRequest(weekly=True))


async def now_of(world: World, rule_id: UUID) -> Any:
    """The rule's row."""
    return await world.sql.fetchrow("SELECT * FROM autonomy_rules WHERE id = $1", rule_id)


async def told(world: World) -> list[str]:
    """What the audit log says about rules."""
    rows = await world.sql.fetch("SELECT action, actor FROM audit_log WHERE subject LIKE 'rule/%' ORDER BY id")
    assert {row["actor"] for row in rows} <= {"system"}
    return [row["action"] for row in rows]


@pytest.mark.parametrize(("threshold", "tightened"), [(0.80, 0.90), (0.90, 0.99), (0.95, 0.99)])
async def test_too_many_rejections_tighten_at_once(world: World, threshold: float, tightened: float) -> None:  # P90
    """3 of 5 rejected: the threshold rises on the grid, a pending suggestion goes, and the log says why."""
    rule_id = await rule(world, auto_approve_threshold=threshold)
    await world.sql.execute(
        "INSERT INTO autonomy_suggestions VALUES ($1, $2, 0.75, '{}')", rule_id, world.mailbox_id
    )
    await decided(world, 2)
    await decided(world, 3, "rejected")
    assert (await weekly(world)).tightened == 1
    assert float((await now_of(world, rule_id))["auto_approve_threshold"]) == tightened
    assert await world.sql.fetchval("SELECT count(*) FROM autonomy_suggestions") == 0
    assert await told(world) == ["rule_tightened"]


async def test_four_reviews_change_nothing(world: World) -> None:  # A83
    """Below five reviews there is nothing to go by."""
    rule_id = await rule(world)
    await decided(world, 4, "rejected")
    before = dict(await now_of(world, rule_id))
    assert (await weekly(world)).looked_at == 1
    after = dict(await now_of(world, rule_id))
    assert {n for n in after if after[n] != before[n]} == {"adjusted_at"} and await told(world) == []


async def test_loosened_only_as_far_as_the_record_reaches(world: World) -> None:  # A84, P90
    """20 clean ones: a suggestion for a target of 5 %, a looser threshold for one of 30 %."""
    rule_id = await rule(world, target_error_rate=0.05)
    await decided(world, 20)
    assert (await weekly(world)).suggested == 1
    assert float(await world.sql.fetchval("SELECT threshold FROM autonomy_suggestions")) == 0.75
    assert float((await now_of(world, rule_id))["auto_approve_threshold"]) == 0.80
    await world.sql.execute("UPDATE autonomy_rules SET target_error_rate = 0.3")
    assert (await weekly(world)).loosened == 1
    assert float((await now_of(world, rule_id))["auto_approve_threshold"]) == 0.75


async def test_bad_audits_put_a_rule_back_into_shadow(world: World) -> None:  # P91
    """Drawn replies that people reject: shadow, its old evidence void, and the log holds the numbers."""
    rule_id = await rule(world, mode="on", mode_basis="certificate", target_error_rate=0.05,
                         mode_since=await world.sql.fetchval("SELECT now() - interval '1 day'"))  # fmt: skip
    await decided(world, 6, "rejected", drawn=True)
    report = await Earning(world.database).look(RulesRequest())
    row = await now_of(world, rule_id)
    assert (report.demoted, row["mode"], row["mode_basis"]) == (1, "shadow", None)
    assert row["evidence_since"] >= row["mode_since"] - timedelta(seconds=1)
    after = await world.sql.fetchval("SELECT after FROM audit_log WHERE action = 'rule_demoted'")
    assert '"errors": "6"' in str(after)


async def test_good_audits_leave_a_rule_on(world: World) -> None:  # P91
    """Clean draws, errors before it was switched on and errors a gate held back do not count against it."""
    rule_id = await rule(world, mode="on", mode_basis="certificate", target_error_rate=0.05,
                         mode_since=await world.sql.fetchval("SELECT now() - interval '1 day'"))  # fmt: skip
    await decided(world, 6, drawn=True)
    await decided(world, 6, "rejected", drawn=True, ago=timedelta(days=2))
    await decided(world, 6, "rejected", drawn=True, objection="missing: order number")
    assert (await Earning(world.database).look(RulesRequest())).demoted == 0
    assert (await now_of(world, rule_id))["mode"] == "on"


async def test_what_leaves_above_a_threshold_does_not_vouch_for_what_is_below_it(world: World) -> None:  # P91a
    """Clean audits at 0.95 loosen a rule at 0.90 only if what every reviewer saw below it is clean too."""
    await rule(world, mode="on", mode_basis="certificate", auto_approve_threshold=0.90, target_error_rate=0.3)
    await decided(world, 12, score=0.95, drawn=True)
    await decided(world, 120, "edited", score=0.87, unmet="below_threshold")
    assert (await weekly(world)).suggested == 1


async def test_the_rate_of_then_weighs_a_decision(world: World) -> None:  # P91a
    """The route step's rate is stored with the decision and used instead of today's; an older one has the lowest."""
    await rule(world, mode="on", mode_basis="certificate")
    for rate in (0.1, 0.05, None):
        await decided(world, 1, unmet="warm_up", audit_rate=rate)
    rule_id = await world.sql.fetchval("SELECT id FROM autonomy_rules")
    async with world.database.transaction(world.mailbox_id) as tx:
        rows = await tx.rows("autonomy_observations", world.mailbox_id, "support", rule_id, START)
    found = [observation_of(stored(row), True) for row in rows]
    assert [one and one.weight for one in found] == [0.1, 0.05, 0.05]


async def test_the_lifecycle_stores_the_rate_and_what_became_of_an_approval(world: World) -> None:  # P85, P87
    """An approval that the cap refused was seen by a person for sure, so it is not stored as drawn."""
    message = await world.arrive()
    await world.to_drafted(message)
    rate = Decimal("0.05")
    route = route_output(outcome="auto_approve", charge="global", propensity=rate, audit_rate=rate)
    await world.configure(is_auto_reply_enabled=True, max_daily_auto_replies=0)
    await world.end(message, StepKind.ROUTE, route, to=Status.APPROVED, reason="auto")
    row = await world.sql.fetchrow("SELECT * FROM autonomy_decisions")
    assert (row["reason"], float(row["propensity"]), float(row["audit_rate"])) == ("daily_cap", 1.0, 0.05)
