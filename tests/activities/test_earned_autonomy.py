"""A rule's whole life, on real Postgres and the product's own code: it earns its certificate, sends under its cap,
stops for a breaker, a kill switch and bad audits, and a rule that is not good enough never gets that far (P79-P95)."""

import asyncio
import random
from dataclasses import dataclass

import pytest

from api.errors import ApiError
from contracts.classification import Category
from tests.activities.conftest import World
from tests.activities.lived import Life
from tests.activities.metric_rows import open_breaker, set_breaker

GOOD, JUST_TOO_BAD, RUINED = 0.01, 0.21, 0.9
CAP = 4
RULE = {"auto_approve_threshold": 0.80, "target_error_rate": 0.2, "max_daily_auto_actions": CAP, "warmup_required": 1}


@dataclass(frozen=True)
class Size:
    """How much of everything; `most_days` a phase may take before the test gives up."""

    mails_a_day: int
    most_days: int
    calm_days: int
    bad_days: int


SMALL = Size(mails_a_day=12, most_days=20, calm_days=3, bad_days=4)
FULL = Size(mails_a_day=40, most_days=40, calm_days=25, bad_days=30)


async def switched_on(life: Life, category: Category) -> bool:
    """Asks for mode on, as an admin would every evening; True if the record was enough."""
    try:
        await life.save(category, mode="on")
    except ApiError as refused:
        assert refused.error == "no_certificate"
        return False
    assert (await life.rule(category))["mode_basis"] == "certificate"
    return True


async def earned(life: Life, category: Category, error_rate: float, size: Size, days: int) -> bool:
    """Days in shadow until the certificate comes, if it does; nothing leaves meanwhile."""
    await life.save(category, mode="shadow", **RULE)
    for _ in range(days):
        assert await life.day(category, size.mails_a_day, error_rate) == 0
        if await switched_on(life, category):
            return True
        await life.night()
    return False


async def calm(life: Life, size: Size) -> None:
    """Good days: some replies leave alone, never more than the cap, and the rule stays on."""
    left = [0]
    for _ in range(size.calm_days):
        left.append(await life.day(Category.SUPPORT, size.mails_a_day, GOOD))
        assert left[-1] <= CAP and (await life.night()).demoted == 0
    assert max(left) == CAP
    assert await life.world.sql.fetchval("SELECT count(*) FROM autonomy_decisions WHERE reason = 'daily_cap'") > 0


async def behind_a_breaker(life: Life) -> None:
    """What was approved before it opened does not leave either."""
    messages = [await life.drafted(Category.SUPPORT, 0) for _ in range(8)]
    said = [await life.routed(message) for message in messages]
    approved = [m for m, s in zip(messages, said, strict=True) if await life.end_route(m, s)]
    assert approved
    await open_breaker(life.world, "llm_failure")
    assert not any([await life.send(message) for message in approved])
    assert await life.day(Category.SUPPORT, 4, GOOD) == 0 == await life.left_alone(messages)
    await set_breaker(life.world, "llm_failure", state="closed")
    await life.night()


async def ruined(life: Life, size: Size) -> None:
    """The model gets worse and its scores do not: the audits notice, and then nothing leaves alone any more."""
    await life.save(Category.SUPPORT, max_daily_auto_actions=size.mails_a_day)
    for _ in range(size.most_days):
        await life.day(Category.SUPPORT, size.mails_a_day, RUINED)
        if (await life.night()).demoted:
            break
    rule = await life.rule(Category.SUPPORT)
    assert (rule["mode"], rule["mode_basis"]) == ("shadow", None)
    assert await life.day(Category.SUPPORT, size.mails_a_day, RUINED) == 0
    assert not await switched_on(life, Category.SUPPORT)


async def switched_off_under_load(life: Life) -> None:
    """A switch among claims: some may have won, none is claimed after it, and what waited goes back to people."""
    await life.save(Category.SUPPORT, mode="on", override_reason="a test", max_daily_auto_actions=50)
    messages = [await life.drafted(Category.SUPPORT, 0) for _ in range(14)]
    said = [await life.routed(message) for message in messages]
    approved = [m for m, s in zip(messages, said, strict=True) if await life.end_route(m, s)]
    assert len(approved) >= 4
    first, rest = approved[:2], approved[2:]
    assert all([await life.send(message) for message in first])
    switch, *_ = await asyncio.gather(life.throw_switch(), *(life.send(message) for message in rest))
    await life.withdraw(switch)
    states = {await life.world.status(message) for message in approved}
    assert states <= {"sent", "draft_ready"}
    late = "SELECT count(*) FROM outbox WHERE automatic AND claimed_at > $1"
    assert await life.world.sql.fetchval(late, switch["thrown_at"]) == 0
    assert await life.day(Category.SUPPORT, 4, GOOD) == 0
    assert await life.world.sql.fetchval(late, switch["thrown_at"]) == 0


async def lived(world: World, size: Size) -> Life:
    """All of it, one phase after the other."""
    life = Life(world, random.Random(20_261_201), size.mails_a_day)
    await life.begin(audit_rate=0.10)
    assert not await earned(life, Category.BILLING, JUST_TOO_BAD, size, size.bad_days)
    assert await earned(life, Category.SUPPORT, GOOD, size, size.most_days)
    await calm(life, size)
    await behind_a_breaker(life)
    await ruined(life, size)
    await switched_off_under_load(life)
    return life


@pytest.mark.timeout(600)
async def test_a_rule_earns_sends_and_loses_what_it_earned(world: World) -> None:  # P79-P95, A77, A89
    """Shadow, certificate, cap, breaker, drift, demotion and kill switch, in small."""
    assert (await lived(world, SMALL)).sent


@pytest.mark.long
@pytest.mark.timeout(7_200)
async def test_thousands_of_mails_keep_every_promise(world: World) -> None:  # P79-P95, A77, A89
    """The same life with thousands of mails: a just too bad rule is refused every evening of a month."""
    life = await lived(world, FULL)
    assert life.number > 2_000 and len(life.sent) > 80
