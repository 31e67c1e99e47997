"""What people decide over HTTP, end to end: real workflow, real database, a model that answers by script (P97-P102)."""

import asyncio
import uuid
from uuid import UUID

from contracts.workflow import SignalDecision
from tests.integration.running import Running, mail
from tests.peers.model_behaviour import Hangs
from tests.peers.model_peer import DEFAULT_ANSWERS


async def drafted(pipeline: Running, **fields: str) -> UUID:
    """A message in review."""
    message_id = await pipeline.arrive(mail(**fields))
    await pipeline.until(message_id, "draft_ready")
    return message_id


async def audits(pipeline: Running, message_id: UUID, action: str) -> list[str]:
    """Results of one action in the audit log, oldest first."""
    rows = await pipeline.rows(
        "SELECT after ->> 'result' AS result FROM audit_log WHERE subject = $1 AND action = $2 ORDER BY id",
        f"message/{message_id}", action,
    )  # fmt: skip
    return [row["result"] for row in rows]


async def test_an_approved_reply_leaves_after_the_undo_window(pipeline: Running) -> None:  # P97, P102, A99
    """200 names the time; window 0 hands it over at once; the action is audited once."""
    message_id = await drafted(pipeline)
    await pipeline.config(human_undo_ms=0)
    answer = await pipeline.approve(message_id)
    assert answer.status_code == 200
    assert (answer.json()["result"], answer.json()["to_status"]) == ("ok", "approved")
    await pipeline.until(message_id, "sent")
    assert len([f for f in pipeline.sent() if str(answer.json()["outbox_id"]) in f.name]) == 1
    assert await audits(pipeline, message_id, "approve") == ["ok"]


async def test_a_stale_revision_is_refused_naming_who_changed_it(pipeline: Running) -> None:  # P98, A96
    """409 with the current revision; recorded as an event; the same request id gives the same answer."""
    message_id = await drafted(pipeline)
    seen = (await pipeline.message(message_id))["to_approve"]
    colleague = await pipeline.person("reviewer", "read", "review")
    assert (await pipeline.act(message_id, "write_reply", colleague, text="Mine is better.")).status_code == 200
    stale = {**seen, "request_id": f"stale-{uuid.uuid4()}"}
    first = await pipeline.act(message_id, "approve", **stale)
    again = await pipeline.act(message_id, "approve", **stale)
    assert (first.status_code, again.status_code) == (409, 409)
    body = first.json()
    assert (body["result"], body["current_revision"], body["by_name"]) == ("conflict", 1, "Reviewer")
    assert {k: v for k, v in again.json().items() if k != "repeated"} == {
        k: v for k, v in body.items() if k != "repeated"
    }
    assert again.json()["repeated"] is True
    refused = await pipeline.value(
        "SELECT count(*) FROM lifecycle_events WHERE message_id = $1 AND reason = 'stale_revision' AND NOT accepted",
        message_id,
    )
    assert refused == 1 and await audits(pipeline, message_id, "approve") == ["conflict"]


async def test_of_two_reviewers_at_once_one_wins(pipeline: Running) -> None:  # A97, RS-54
    """One approval, one conflict that names the present status; one order to send."""
    await pipeline.config(human_undo_ms=60_000)
    message_id = await drafted(pipeline)
    seen = (await pipeline.message(message_id))["to_approve"]
    tokens = [await pipeline.person("reviewer", "read", "review") for _ in range(2)]
    answers = await asyncio.gather(*(pipeline.act(message_id, "approve", t, **seen) for t in tokens))
    assert sorted(a.status_code for a in answers) == [200, 409]
    loser = next(a for a in answers if a.status_code == 409).json()
    assert loser["status"] == "approved" and loser["by_name"] == "Reviewer" and loser["at"]
    assert await pipeline.value("SELECT count(*) FROM outbox WHERE message_id = $1", message_id) == 1
    assert (await pipeline.act(message_id, "undo_send")).status_code == 200


async def test_undo_in_the_window_and_after_the_hand_over(pipeline: Running) -> None:  # A99, A11, P102
    """Back in review with processed_at cleared; after delivery the caller learns the truth."""
    await pipeline.config(human_undo_ms=60_000)
    message_id = await drafted(pipeline)
    assert (await pipeline.approve(message_id)).status_code == 200
    undone = await pipeline.act(message_id, "undo_send")
    assert undone.status_code == 200 and undone.json()["status"] == "draft_ready"
    assert (await pipeline.message(message_id))["work"]["processed_at"] is None
    await pipeline.config(human_undo_ms=0)
    assert (await pipeline.approve(message_id)).status_code == 200
    await pipeline.until(message_id, "sent")
    late = await pipeline.act(message_id, "undo_send")
    assert (late.status_code, late.json()["result"], late.json()["status"]) == (409, "already_sent", "sent")
    assert await audits(pipeline, message_id, "undo_send") == ["ok", "already_sent"]


async def test_an_undo_during_the_hand_over_is_told_so(pipeline: Running) -> None:  # A99, OB5
    """`already_sending` while the row is claimed."""
    await pipeline.config(human_undo_ms=60_000)
    message_id = await drafted(pipeline)
    assert (await pipeline.approve(message_id)).status_code == 200
    await pipeline.sql(
        "UPDATE outbox SET state = 'sending', deadline = now() + interval '1 hour' WHERE message_id = $1", message_id
    )
    late = await pipeline.act(message_id, "undo_send")
    assert (late.status_code, late.json()["result"]) == (409, "already_sending")


async def test_a_review_of_a_sent_message_is_409(pipeline: Running) -> None:  # A115, P98
    """A late click names the status and who brought it there; nothing changes and it is audited."""
    await pipeline.config(human_undo_ms=0)
    message_id = await drafted(pipeline)
    seen = (await pipeline.message(message_id))["to_approve"]
    assert (await pipeline.approve(message_id)).status_code == 200
    await pipeline.until(message_id, "sent")
    events = len((await pipeline.message(message_id))["events"])
    for action, body in (("approve", seen), ("reject", {}), ("write_reply", {"text": "late"}), ("archive", {})):
        answer = await pipeline.act(message_id, action, **body)
        assert (answer.status_code, answer.json()["result"], answer.json()["status"]) == (409, "terminal", "sent"), (
            action
        )
    assert await audits(pipeline, message_id, "reject") == ["terminal"]
    assert len((await pipeline.message(message_id))["events"]) == events


async def test_what_the_status_does_not_allow_is_refused_by_the_validator(pipeline: Running) -> None:  # P97
    """409, no event, no history; the audit log knows."""
    message_id = await drafted(pipeline)
    events = len((await pipeline.message(message_id))["events"])
    answer = await pipeline.act(message_id, "retry")
    assert answer.status_code == 409 and answer.json()["status"] == "draft_ready"
    assert len((await pipeline.message(message_id))["events"]) == events
    assert await audits(pipeline, message_id, "retry") == ["conflict"]


async def test_a_signal_approves_as_an_update_does(pipeline: Running) -> None:  # P99, A98
    """For the command line and the Temporal UI; the actor is `signal`."""
    await pipeline.config(human_undo_ms=0)
    message_id = await drafted(pipeline)
    handle = pipeline.client.get_workflow_handle(f"message/{message_id}")
    await pipeline.call(handle.signal("approve", SignalDecision(revision=0)))
    sent = await pipeline.until(message_id, "sent")
    assert ("draft_ready", "approved", "signal") in [
        (e["from_status"], e["to_status"], e["actor"]) for e in sent["events"]
    ]


async def test_without_a_worker_503_and_later_once(pipeline: Running) -> None:  # A102, P100
    """Retry-After, nothing half done; the same request id is carried out once when the worker is back."""
    message_id = await drafted(pipeline)
    request_id = f"reject-{uuid.uuid4()}"
    async with pipeline.without_worker():
        answer = await pipeline.act(message_id, "reject", request_id=request_id, note="not ours")
        assert answer.status_code == 503 and answer.headers["retry-after"] == "5"
        assert answer.json()["request_id"] == request_id
        assert (
            await pipeline.value("SELECT processing_status FROM inbound_messages WHERE id = $1", message_id)
            == "draft_ready"
        )
    answers = [await pipeline.act(message_id, "reject", request_id=request_id, note="not ours") for _ in range(2)]
    assert [a.status_code for a in answers] == [200, 200] and answers[1].json()["repeated"]
    notes = await pipeline.value("SELECT count(*) FROM review_notes WHERE message_id = $1", message_id)
    assert notes == 1 and await audits(pipeline, message_id, "reject") == ["ok"]


async def test_a_request_id_stands_for_one_action(pipeline: Running) -> None:  # P97
    """With another action, another text or another message it is a conflict, and nothing is done."""
    one, other = await drafted(pipeline), await drafted(pipeline)
    request_id = f"reject-{uuid.uuid4()}"
    assert (await pipeline.act(one, "reject", request_id=request_id)).status_code == 200
    for message_id, action, body in (
        (one, "archive", {}), (one, "reject", {"note": "because"}), (other, "reject", {}),
        (one, "write_reply", {"text": "x"}),
    ):  # fmt: skip
        answer = await pipeline.act(message_id, action, request_id=request_id, **body)
        assert (answer.status_code, answer.json()["error"]) == (409, "conflict"), action
    header = await pipeline.post(f"/api/messages/{one}/reject", None, headers={"Idempotency-Key": request_id})
    assert header.status_code == 200 and header.json()["repeated"]
    assert (await pipeline.message(other))["status"] == "draft_ready"


async def test_an_edited_text_is_saved_scanned_and_sent(pipeline: Running) -> None:  # P98a, P78
    """The agent's text stays as revision 0; the mail carries the edit; a repeat saves nothing twice."""
    await pipeline.config(human_undo_ms=0)
    message_id = await drafted(pipeline)
    seen = (await pipeline.message(message_id))["to_approve"]
    body = {
        "text": "Dear Anna,\n\nyour parcel is on its way.\n", "base_revision": seen["revision"],
        "seen_message_id": seen["seen_message_id"], "request_id": f"edit-{uuid.uuid4()}",
    }  # fmt: skip
    first = await pipeline.act(message_id, "edit_and_approve", **body)
    assert first.status_code == 200 and first.json()["revision"] == 1
    sent = await pipeline.until(message_id, "sent")
    again = await pipeline.act(message_id, "edit_and_approve", **body)
    assert again.status_code == 200 and again.json()["repeated"]
    assert [(r["revision"], r["author"].split(":")[0]) for r in sent["draft"]["revisions"]] == [
        (1, "user"),
        (0, "agent"),
    ]
    file = next(f for f in pipeline.sent() if first.json()["outbox_id"] in f.name)
    assert b"your parcel is on its way" in file.read_bytes()


async def test_a_finding_is_shown_before_approval_and_confirmed_by_id(pipeline: Running) -> None:  # P98a, A81a
    """Unconfirmed it comes back from the claim as `presend_check`; confirmed with a reason it is sent."""
    await pipeline.config(human_undo_ms=0)
    message_id = await drafted(pipeline)
    text = "Please use this link: https://reset.shop.example/reset?token=0123456789abcdef0123456789abcdef\n"
    saved = await pipeline.act(message_id, "revisions", text=text)
    assert saved.status_code == 200 and saved.json()["findings"]
    seen = (await pipeline.message(message_id))["to_approve"]
    edit = {
        "revision": saved.json()["revision"],
        "base_revision": seen["revision"],
        "seen_message_id": seen["seen_message_id"],
    }
    assert (await pipeline.act(message_id, "edit_and_approve", **edit)).status_code == 200
    back = await pipeline.until(message_id, "draft_ready")
    assert [e["reason"] for e in back["events"]][0] == "presend_check"
    ids = [f["finding_id"] for f in saved.json()["findings"]]
    edit |= {
        "base_revision": back["to_approve"]["revision"],
        "confirmed_findings": ids,
        "reason": "the customer asked for it",
    }
    assert (await pipeline.act(message_id, "edit_and_approve", **edit)).status_code == 200
    await pipeline.until(message_id, "sent")


async def test_findings_of_a_hand_written_reply_are_shown_too(pipeline: Running) -> None:  # P98a
    """Without their ids nobody could confirm them, and the claim would send the reply back for ever."""
    await pipeline.config(human_undo_ms=0)
    message_id = await drafted(pipeline)
    text = "Here: https://reset.shop.example/reset?token=0123456789abcdef0123456789abcdef\n"
    assert (await pipeline.act(message_id, "write_reply", text=text)).status_code == 200
    found = await pipeline.message(message_id)
    ids = [f["finding_id"] for f in found["findings"] if f["revision"] == found["to_approve"]["revision"]]
    assert ids
    assert (await pipeline.approve(message_id, confirmed_findings=ids, reason="asked for")).status_code == 200
    await pipeline.until(message_id, "sent")


async def test_a_hand_written_reply_overtakes_the_agent(pipeline: Running) -> None:  # A101, P4
    """While drafting: the step is cancelled, its row skipped, the person's text current."""
    pipeline.model.answer("draft_answer", Hangs())
    try:
        message_id = await pipeline.arrive()
        await pipeline.until(message_id, "drafting")
        answer = await pipeline.act(message_id, "write_reply", text="I know this one.")
        assert answer.status_code == 200 and answer.json()["status"] == "draft_ready"
    finally:
        pipeline.model.answer("draft_answer", DEFAULT_ANSWERS["draft_answer"])
    found = await pipeline.message(message_id)
    assert found["draft"]["text"] == "I know this one." and found["draft"]["revisions"][0]["author"].startswith("user:")
    assert {s["step"]: s["status"] for s in found["steps"]}["draft"] == "skipped"


async def test_a_draft_on_request_follows_instructions(pipeline: Running) -> None:  # A71, P97
    """An urgent mail comes without a draft; asked for, one is written, and never approved by itself."""
    pipeline.model.answer("classify_answer", {
        "category": "complaint", "priority": "urgent", "sentiment": "negative", "intent": "complaint",
        "confidence": 0.9,
        "intents": [{"key": "broken", "intent": "complaint", "confidence": 0.9, "label": "it is broken"}],
    })  # fmt: skip
    try:
        message_id = await drafted(pipeline)
    finally:
        pipeline.model.answer("classify_answer", DEFAULT_ANSWERS["classify_answer"])
    assert (await pipeline.message(message_id))["draft"] is None
    assert (await pipeline.act(message_id, "approve", revision=0, seen_message_id=str(message_id))).json()[
        "result"
    ] == "no_draft"
    answer = await pipeline.act(message_id, "request_draft", instructions="Offer a replacement.")
    assert answer.status_code == 200 and answer.json()["to_status"] == "drafting"
    found = await pipeline.until(message_id, "draft_ready")
    assert found["draft"]["revision"] == 0 and found["work"]["run_no"] == 2
    assert "Offer a replacement." in str(pipeline.model.calls_of("draft_answer")[-1].body)


async def test_an_owner_is_set_cleared_and_must_be_known(pipeline: Running) -> None:  # P97
    """Equal is no change; a stranger is refused."""
    message_id = await drafted(pipeline)
    user = await pipeline.value("SELECT id FROM users WHERE role = 'admin'")
    for wanted in (str(user), str(user), None):
        answer = await pipeline.act(message_id, "reassign", to_user=wanted)
        assert answer.status_code == 200
        assert (await pipeline.message(message_id))["work"]["assigned_to"] == wanted
    assert (await pipeline.act(message_id, "reassign", to_user=str(uuid.uuid4()))).status_code == 409


async def test_approval_can_resolve_the_thread(pipeline: Running) -> None:  # A113
    """The thread is `resolved` with `sent`."""
    await pipeline.config(human_undo_ms=0)
    message_id = await drafted(pipeline)
    assert (await pipeline.approve(message_id, resolve=True)).status_code == 200
    sent = await pipeline.until(message_id, "sent")
    thread = (await pipeline.get(sent["links"]["thread"])).json()
    assert thread["thread"]["status"] == "resolved" and thread["replies"][0]["state"] == "sent"


async def test_a_customers_mail_in_the_window_withdraws_the_send(pipeline: Running) -> None:  # A100, TH9
    """Nothing is sent, and an approval of the older view is refused naming the newer mail."""
    await pipeline.config(human_undo_ms=60_000)
    sender = "longwinded@kunde.example"
    message_id = await drafted(pipeline, sender=sender, message_id="<first@kunde.example>")
    seen = (await pipeline.message(message_id))["to_approve"]
    assert (await pipeline.approve(message_id)).status_code == 200
    newer = await pipeline.arrive(
        mail(sender=sender, subject="Re: Where is my order?", In_Reply_To="<first@kunde.example>")
    )
    await pipeline.eventually(lambda: _has_event(pipeline, message_id, "thread_reply"))
    late = await pipeline.act(message_id, "approve", **seen)
    assert late.status_code == 409
    assert late.json()["newer_message_id"] == str(newer) or late.json()["status"] == "archived"


async def _has_event(pipeline: Running, message_id: UUID, reason: str) -> bool:
    count = await pipeline.value(
        "SELECT count(*) FROM lifecycle_events WHERE message_id = $1 AND reason = $2", message_id, reason
    )
    return bool(count)


async def test_a_doubtful_delivery_is_settled_by_a_person(pipeline: Running) -> None:  # A107, OB10
    """Refused without the hold; with it: it went out, send again as a linked new row, or close."""
    await pipeline.config(human_undo_ms=700)
    untouched = await drafted(pipeline)
    assert (await pipeline.act(untouched, "resolve_delivery", how="went_out")).status_code == 409
    for how, status, reason in (
        ("went_out", "sent", None),
        ("send_again", "sent", None),
        ("close", "archived", "dismissed"),
    ):
        message_id = await in_doubt(pipeline)
        answer = await pipeline.act(message_id, "resolve_delivery", how=how)
        assert answer.status_code == 200, answer.text
        found = await pipeline.until(message_id, status)
        assert found["work"]["archive_reason"] == reason
        rows = {row["generation"]: row for row in found["outbox"]}
        assert rows[1]["state"] == ("sent" if how == "went_out" else "ambiguous")
        assert (2 in rows) == (how == "send_again")
        if how == "send_again":
            assert rows[2]["previous_id"] == rows[1]["id"] and rows[2]["state"] == "sent"


async def in_doubt(pipeline: Running) -> UUID:
    """A reply whose claim was lost on the way: the row says `sending`, and nobody knows more."""
    message_id = await drafted(pipeline)
    assert (await pipeline.approve(message_id)).status_code == 200
    await pipeline.sql("UPDATE outbox SET state = 'sending', deadline = now() WHERE message_id = $1", message_id)

    async def held() -> bool:
        hold = await pipeline.value("SELECT hold_reason FROM inbound_messages WHERE id = $1", message_id)
        return bool(hold == "delivery_ambiguous")

    await pipeline.eventually(held)
    return message_id


async def test_several_at_once_get_one_result_each(pipeline: Running) -> None:  # A103, P118, HU9
    """51 are refused untouched; five mixed give five results; what was not looked at is not approved."""
    too_many = [{"message_id": str(uuid.uuid4())} for _ in range(51)]
    refused = await pipeline.post("/api/bulk", {"action": "reject", "items": too_many})
    assert refused.status_code == 422
    ids = [await drafted(pipeline) for _ in range(3)]
    await pipeline.act(ids[2], "reject")
    items = [{"message_id": str(i)} for i in (*ids, uuid.uuid4())] + [{"message_id": str(uuid.uuid4()), "revision": 1}]
    answer = (await pipeline.post("/api/bulk", {"action": "reject", "items": items})).json()
    assert [r["result"] for r in answer["results"]] == ["ok", "ok", "terminal", "not_found", "invalid"]
    assert (answer["done"], answer["refused"]) == (2, 3)
    unseen = await drafted(pipeline)
    seen = (await pipeline.message(unseen))["to_approve"]
    half = {"message_id": str(unseen), "revision": 0, "seen_message_id": seen["seen_message_id"]}
    answer = (await pipeline.post("/api/bulk", {"action": "approve", "items": [half]})).json()
    assert answer["results"][0]["result"] == "invalid"
    whole = {**half, "recipients_hash": seen["recipients_hash"]}
    answer = (await pipeline.post("/api/bulk", {"action": "approve", "items": [whole]})).json()
    assert answer["results"][0]["result"] == "ok"


async def test_an_archived_sender_can_be_blocked(pipeline: Running) -> None:  # BO4, A29
    """The next mail of the same address, in another spelling, is archived without a model call."""
    message_id = await drafted(pipeline, sender="Pest@Kunde.Example")
    assert (await pipeline.act(message_id, "archive", block_sender=True)).status_code == 200
    assert (await pipeline.until(message_id, "archived"))["work"]["archive_reason"] == "sender_blocked"
    calls = len(pipeline.model.calls)
    again = await pipeline.arrive(mail(sender="pest@kunde.example", subject="Buy!"))
    assert (await pipeline.until(again, "archived"))["work"]["archive_reason"] == "sender_blocked"
    assert len(pipeline.model.calls) == calls
