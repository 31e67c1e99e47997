"""Rules over HTTP: what is refused, what is written down, and what a record has to prove first (P80-P91a)."""

from typing import Any

import pytest

from tests.integration.running import Running, mail


async def put(pipeline: Running, category: str, body: dict[str, Any], **more: Any) -> Any:
    """PUT one rule of the default mailbox."""
    return await pipeline.put(f"/api/mailboxes/{pipeline.mailbox_id}/rules/{category}", body, **more)


async def checked_sender(pipeline: Running) -> None:
    """A mail whose DMARC verdict is known."""
    message = await pipeline.arrive(mail(subject="With a verdict"))
    await pipeline.eventually(lambda: pipeline.value("SELECT count(*) FROM inbound_messages WHERE id = $1", message))
    await pipeline.sql(
        """UPDATE inbound_messages SET auth_verdicts = '{"dmarc": {"value": "pass"}}' WHERE id = $1""", message
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"auto_approve_threshold": 1.2}, "auto_approve_threshold"),
        ({"auto_approve_threshold": 0.83}, "auto_approve_threshold"),
        ({"max_daily_auto_actions": -1}, "max_daily_auto_actions"),
        ({"target_error_rate": 0}, "target_error_rate"),
        ({"working_hours_start": "25:00", "working_hours_end": "17:00"}, "working_hours_start"),
        ({"working_hours_start": "09:00"}, "working_hours_end"),
        ({"holidays_region": "Atlantis"}, "holidays_region"),
        ({"mode": "sometimes"}, "mode"),
    ],
)
async def test_what_makes_no_rule_is_refused_by_name(pipeline: Running, body: dict[str, Any], field: str) -> None:
    """P80, A83: the field is named, nothing is saved."""
    answer = await put(pipeline, "billing", body)
    assert answer.status_code == 422 and field in answer.text
    assert await pipeline.value("SELECT count(*) FROM autonomy_rules WHERE category = 'billing'") == 0


async def test_an_unknown_category_and_a_viewer_get_nowhere(pipeline: Running) -> None:
    """P97: 422 and 403, nothing saved."""
    assert (await put(pipeline, "astrology", {"mode": "shadow"})).status_code == 422
    viewer = await pipeline.person("viewer", "read")
    assert (await put(pipeline, "sales", {"mode": "shadow"}, token=viewer)).status_code == 403
    assert await pipeline.value("SELECT count(*) FROM autonomy_rules WHERE category = 'sales'") == 0


async def test_on_needs_known_senders_then_a_record_or_a_reason(pipeline: Running) -> None:
    """P83, A85b: refused without DMARC, refused without a certificate, on with a reason; all of it is audited."""
    before = await put(pipeline, "support", {"mode": "shadow", "auto_approve_threshold": 0.9})
    assert before.status_code == 200 and before.json()["rule"]["mode"] == "shadow"
    refused = await put(pipeline, "support", {"mode": "on"})
    assert (refused.status_code, refused.json()["error"]) == (409, "no_sender_auth")
    await checked_sender(pipeline)
    refused = await put(pipeline, "support", {"mode": "on"})
    assert (refused.status_code, refused.json()["error"]) == (409, "no_certificate")
    assert await pipeline.value("SELECT mode FROM autonomy_rules WHERE category = 'support'") == "shadow"
    done = (await put(pipeline, "support", {"mode": "on", "override_reason": "a trial week"})).json()["rule"]
    assert (done["mode"], done["mode_basis"], done["override_reason"]) == ("on", "override", "a trial week")
    rows = await pipeline.rows("SELECT actor, before, after FROM audit_log WHERE action = 'rule' ORDER BY id")
    assert len(rows) == 2 and all(row["actor"].startswith("user:") for row in rows)
    assert '"mode": "on"' in rows[1]["after"] and "a trial week" in rows[1]["after"]
    off = (await put(pipeline, "support", {"mode": "off"})).json()["rule"]
    assert (off["mode"], off["mode_basis"], off["auto_approve_threshold"]) == ("off", None, 0.9)


async def test_a_stale_version_is_a_conflict(pipeline: Running) -> None:
    """P98: who saw an older rule is told, and nothing is changed."""
    first = (await put(pipeline, "other", {"mode": "shadow"})).json()["rule"]["version"]
    assert (await put(pipeline, "other", {"max_daily_auto_actions": 5, "version": first})).status_code == 200
    late = await put(pipeline, "other", {"max_daily_auto_actions": 9, "version": first})
    assert (late.status_code, late.json()["error"]) == (409, "changed_meanwhile")
    assert await pipeline.value("SELECT max_daily_auto_actions FROM autonomy_rules WHERE category = 'other'") == 5


async def test_handling_rules_restrict_and_nothing_else(pipeline: Running) -> None:
    """P86a: added by a reviewer, refused where they say nothing, removed by an admin, audited."""
    path = f"/api/mailboxes/{pipeline.mailbox_id}/handling"
    lawyer = {"kind": "never_automatic", "predicate": {"words": ["my lawyer"]}}
    assert (await pipeline.post(path, {"kind": "must_mention"})).status_code == 422
    assert (await pipeline.post(path, {"kind": "always_automatic"})).status_code == 422
    assert (await pipeline.post(path, {**lawyer, "text": "x"})).status_code == 422
    reviewer = await pipeline.person("reviewer", "read", "review")
    added = await pipeline.post(path, lawyer, token=reviewer)
    assert added.status_code == 201
    assert [rule["id"] for rule in (await pipeline.get(path)).json()] == [added.json()["id"]]
    assert (await pipeline.request("DELETE", f"{path}/{added.json()['id']}", token=reviewer)).status_code == 403
    assert (await pipeline.request("DELETE", f"{path}/{added.json()['id']}")).status_code == 204
    assert (await pipeline.get(path)).json() == []
    assert await pipeline.value("SELECT count(*) FROM audit_log WHERE action = 'handling_rule'") == 2


async def test_a_rule_speaks_about_its_examples_or_is_refused(pipeline: Running) -> None:
    """P86a: an example it does not hold is named; the check finds one whose mail is gone."""
    path = f"/api/mailboxes/{pipeline.mailbox_id}/handling"
    message = await pipeline.arrive(mail(subject="My lawyer will write to you"))
    await pipeline.eventually(lambda: pipeline.value("SELECT count(*) FROM inbound_messages WHERE id = $1", message))
    rule = {"kind": "never_automatic", "predicate": {"words": ["my lawyer"]}, "examples": [str(message)]}
    wrong = await pipeline.post(path, {**rule, "predicate": {"words": ["notary"]}})
    assert wrong.status_code == 422 and str(message) in wrong.text
    added = (await pipeline.post(path, rule)).json()
    checked = (await pipeline.get(f"{path}/check")).json()
    assert (checked["rules"], checked["examples"], checked["misses"]) == (1, 1, [])
    await pipeline.sql("UPDATE handling_rules SET examples = ARRAY[gen_random_uuid()] WHERE id = $1", added["id"])
    missed = (await pipeline.get(f"{path}/check")).json()["misses"]
    assert [(miss["rule_id"], miss["gone"]) for miss in missed] == [(added["id"], True)]
    assert (await pipeline.request("DELETE", f"{path}/{added['id']}")).status_code == 204
