"""Switches and settings of a mailbox over HTTP: kill switch, flags with their ancestors, ranges (P92, P112, P113)."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.postgres import QUERIES
from tests.integration.running import Running, mail


def on(flags: list[dict[str, Any]], what: str = "on") -> set[str]:
    """The flags that are on, or effective."""
    return {f["flag"] for f in flags if f[what]}


async def set_flag(pipeline: Running, flag: str, value: bool) -> list[dict[str, Any]]:
    """PUT one flag of the default mailbox."""
    answer = await pipeline.put(f"/api/mailboxes/{pipeline.mailbox_id}/flags/{flag}", {"on": value})
    assert answer.status_code == 200, answer.text
    flags: list[dict[str, Any]] = answer.json()
    return flags


async def test_turning_a_flag_on_pulls_its_ancestors(pipeline: Running) -> None:  # P112
    """Turning one off takes effect below at once and leaves what stands below as it was set; all of it is audited."""
    await set_flag(pipeline, "ai", False)
    flags = await set_flag(pipeline, "ai.autonomy", False)
    assert on(flags) == {"ai.agent", "ai.knowledge"} and on(flags, "effective") == set()
    for name in ("ai.agent", "ai.knowledge"):
        await set_flag(pipeline, name, False)
    flags = await set_flag(pipeline, "ai.autonomy", True)
    assert on(flags) == {"ai", "ai.agent", "ai.autonomy"} == on(flags, "effective")
    rows = await pipeline.rows(
        "SELECT action, subject FROM audit_log WHERE actor LIKE 'user:%' AND action LIKE 'flag%' ORDER BY id"
    )
    assert [(r["action"], r["subject"]) for r in rows][-3:] == [
        ("flag_on", "ai.autonomy"), ("flag_on", "ai.agent"), ("flag_on", "ai")
    ]  # fmt: skip
    await set_flag(pipeline, "ai.autonomy", False)
    await set_flag(pipeline, "ai.knowledge", True)


async def test_mail_held_while_the_agent_is_off_goes_on_oldest_first(pipeline: Running) -> None:  # P60, A51, A52
    """No model call while it is off, a person can still answer; switched on, the held ones are woken in order."""
    await set_flag(pipeline, "ai.agent", False)
    calls = len(pipeline.model.calls)
    held = [await pipeline.arrive(mail(subject=f"Held {n}")) for n in range(3)]
    for message_id in held:
        await pipeline.eventually(lambda m=message_id: _holds(pipeline, m))
    assert len(pipeline.model.calls) == calls
    await pipeline.config(human_undo_ms=0)
    assert (await pipeline.act(held[1], "write_reply", text="A person answers.")).status_code == 200
    assert (await pipeline.approve(held[1])).status_code == 200
    await pipeline.until(held[1], "sent")
    await set_flag(pipeline, "ai.agent", True)
    for message_id in (held[0], held[2]):
        await pipeline.until(message_id, "draft_ready")
    wakes = await pipeline.rows(
        "SELECT workflow_id FROM wake_queue WHERE args ->> 'cause' LIKE 'flag/%' ORDER BY created_at"
    )
    assert [row["workflow_id"] for row in wakes] == [f"message/{held[0]}", f"message/{held[2]}"]


async def _holds(pipeline: Running, message_id: Any) -> bool:
    hold = await pipeline.value("SELECT hold_reason FROM inbound_messages WHERE id = $1", message_id)
    return bool(hold == "agent_off")


async def test_the_kill_switch_withdraws_every_pending_send(pipeline: Running) -> None:  # P92, A89, OB7
    """Switch and flags first, alone; then each pending send back in review; what people approve afterwards is sent."""
    await pipeline.config(human_undo_ms=60_000, is_auto_reply_enabled=True)
    await set_flag(pipeline, "ai.autonomy", True)
    ids = [await pipeline.arrive() for _ in range(5)]
    for message_id in ids:
        await pipeline.until(message_id, "draft_ready")
        assert (await pipeline.approve(message_id)).status_code == 200
    before = datetime.now(UTC)
    answer = await pipeline.post(f"/api/mailboxes/{pipeline.mailbox_id}/kill_switch", {"cause": "wrong prices"})
    assert answer.status_code == 200
    state = answer.json()
    assert state["switched_off"] and not state["config"]["is_auto_reply_enabled"]
    assert "ai.autonomy" not in on(state["flags"]) and "ai.agent" in on(state["flags"])
    assert datetime.fromisoformat(state["kill_switches"][0]["thrown_at"]) >= before
    for message_id in ids:
        found = await pipeline.until(message_id, "draft_ready")
        assert found["events"][0]["reason"] == "kill_switch"
    await pipeline.config(human_undo_ms=0)
    assert (await pipeline.approve(ids[0])).status_code == 200
    await pipeline.until(ids[0], "sent")
    lifted = await pipeline.post(f"/api/mailboxes/{pipeline.mailbox_id}/lift")
    assert not lifted.json()["switched_off"] and "ai.autonomy" not in on(lifted.json()["flags"])
    audited = await pipeline.rows("SELECT action FROM audit_log WHERE action LIKE '%kill_switch' ORDER BY id")
    assert [row["action"] for row in audited] == ["kill_switch", "lift_kill_switch"]


async def test_the_switch_waits_for_a_claim_and_then_stands(pipeline: Running) -> None:  # OB7, RS-57
    """A claim holds the switch shared; a throw takes it exclusively, so one sees the other."""
    claim = await pipeline.call(pipeline._sql.acquire())
    transaction = claim.transaction()
    await pipeline.call(transaction.start())
    await pipeline.call(
        claim.fetchval(QUERIES["claim_switch_lock"], pipeline.mailbox_id)
    )
    switching = asyncio.create_task(pipeline.post(f"/api/mailboxes/{pipeline.mailbox_id}/kill_switch"))
    done, _ = await asyncio.wait({switching}, timeout=0.5)
    assert not done
    committed = await pipeline.value("SELECT clock_timestamp()")
    await pipeline.call(transaction.commit())
    await pipeline.call(pipeline._sql.release(claim))
    thrown = (await switching).json()["kill_switches"][0]["thrown_at"]
    assert datetime.fromisoformat(thrown) >= committed
    await pipeline.post(f"/api/mailboxes/{pipeline.mailbox_id}/lift")


OUT_OF_RANGE = {
    "confidence_threshold": (-0.1, 1.01, "high"),
    "max_daily_auto_replies": (-1, 1.5),
    "tone_description": ("x" * 2001, None, "a\x00b"),
    "signature_template": ("x" * 2001,),
    "coalesce_window_ms": (-1, 600_001),
    "human_undo_ms": (-1, 120_001),
    "auto_send_delay_ms": (-1, 120_001),
    "retry_after_s": (9, 86_401),
    "max_retries": (-1, 11),
    "review_due_after_s": (59,),
    "audit_rate": (0.04, 0.11),
    "require_sender_auth": ("perhaps", None),
    "working_hours_zone": ("Mars/Olympus",),
    "working_hours_days": ([0], [8], [1, 1], "Mon"),
    "working_hours_start": ("25:00",),
    "working_hours_end": ("noon",),
    "holidays_region": ("XX", "DE-XX"),
    "daily_budget_usd": (-0.01,),
    "monthly_budget_usd": (-1,),
    "sender_rate_per_min": (0, 100_001),
    "sender_burst": (0, 100_001),
    "mailbox_rate_per_min": (0, 100_001),
    "mailbox_burst": (0, 100_001),
    "knowledge_entry_limit": (-1, 51),
    "file_limit": (-1, 21),
    "thread_close_after_days": (0, 3651),
    "daily_auto_reply_count": (0,),
    "mailbox_id": ("00000000-0000-0000-0000-000000000000",),
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in OUT_OF_RANGE.items() for v in values])
async def test_a_setting_out_of_range_is_refused_by_name(
    api_only: Running, name: str, value: Any
) -> None:  # A106, P113
    """422 names the field; nothing of the request is saved; counters and keys are not settings."""
    path = f"/api/mailboxes/{api_only.mailbox_id}"
    before = (await api_only.get(path)).json()["config"]
    answer = await api_only.put(f"{path}/config", {"file_limit": 7 if name != "file_limit" else value, name: value})
    assert answer.status_code == 422 and answer.json()["error"] == "invalid"
    assert name in [f["field"].split(".")[0] for f in answer.json()["fields"]]
    assert (await api_only.get(path)).json()["config"] == before


async def test_settings_are_saved_one_by_one_and_audited(api_only: Running) -> None:  # P112
    """What is not named stays; null means off; what did not change is not audited."""
    path = f"/api/mailboxes/{api_only.mailbox_id}"
    wanted = {
        "confidence_threshold": 0.9, "coalesce_window_ms": 30_000, "daily_budget_usd": 2.5,
        "working_hours_start": "08:30", "working_hours_days": [5, 1], "working_hours_zone": "Europe/Berlin",
        "holidays_region": "DE-BY",
    }  # fmt: skip
    saved = (await api_only.put(f"{path}/config", wanted)).json()["config"]
    assert (saved["confidence_threshold"], saved["coalesce_window_ms"], saved["daily_budget_usd"]) == (0.9, 30_000, 2.5)
    assert (saved["working_hours_start"], saved["working_hours_days"]) == ("08:30:00", [1, 5])
    off = (await api_only.put(f"{path}/config", {"coalesce_window_ms": None, "confidence_threshold": 0.9})).json()[
        "config"
    ]
    assert off["coalesce_window_ms"] is None and off["daily_budget_usd"] == 2.5
    row = (await api_only.rows("SELECT before, after FROM audit_log WHERE action = 'config' ORDER BY id DESC LIMIT 1"))[
        0
    ]
    assert (row["before"], row["after"]) == ('{"coalesce_window_ms": "30000"}', '{"coalesce_window_ms": "None"}')
