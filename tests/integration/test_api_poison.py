"""Mail nobody could read, or for nobody of ours, in the hands of a person: the same workflow goes on (RC11, RC11a)."""

import uuid
from uuid import UUID

from tests.integration.running import Running, mail
from tests.integration.senders import SENDERS

BROKEN = b'{"event": "inbound.received", "inboundPayload": {"from": "anna@kunde.example", "to": "support@shop.example"'


async def poisoned(pipeline: Running, content: bytes | None = None) -> UUID:
    """A mail in the poison lane whose workflow runs."""
    answer = await pipeline.deliver_json(content or BROKEN + f', "x": "{uuid.uuid4()}'.encode())
    message_id = UUID(answer.json()["message_id"])

    async def started() -> bool:
        at = await pipeline.value("SELECT started_at FROM start_queue WHERE workflow_id = $1", f"message/{message_id}")
        return at is not None

    await pipeline.eventually(started)
    return message_id


async def test_poison_is_listed_with_its_reason_and_bytes(pipeline: Running) -> None:  # RC11, P119a
    """Reason, age, raw download; it has no status, and the accounts count it."""
    message_id = await poisoned(pipeline)
    listed = (await pipeline.get("/api/poison?limit=1")).json()
    row = listed["poison"][0]
    assert row["id"] == str(message_id) and row["reason"] in ("bad_json", "unknown_recipient")
    assert (await pipeline.get(row["raw"])).content.startswith(BROKEN)
    found = await pipeline.message(message_id)
    assert found["status"] is None and found["poison"]["poison_reason"] == row["reason"]
    again = await poisoned(pipeline)
    page = (await pipeline.get("/api/poison?limit=1")).json()
    assert page["poison"][0]["id"] == str(again) and page["next_cursor"] == str(again)
    assert (await pipeline.get(f"/api/poison?cursor={page['next_cursor']}")).json()["poison"][0]["id"] == str(
        message_id
    )


async def test_parse_again_says_what_came_of_it(pipeline: Running) -> None:  # RS-04
    """Still unreadable: poison with its reason. Readable by now: an ordinary message, same id, same workflow, once."""
    message_id = await poisoned(pipeline)
    await pipeline.sql("UPDATE accepted_mail SET poison_reason = 'bad_json' WHERE message_id = $1", message_id)
    answer = await pipeline.act(message_id, "parse_again")
    assert answer.status_code == 200 and answer.json()["poison_reason"] in ("bad_json", "parser_error")
    await mend(pipeline, message_id)
    request_id = f"again-{uuid.uuid4()}"
    answer = await pipeline.act(message_id, "parse_again", request_id=request_id)
    assert answer.status_code == 200 and answer.json()["poison_reason"] == ""
    await pipeline.until(message_id, "draft_ready")
    repeat = await pipeline.act(message_id, "parse_again", request_id=request_id)
    assert repeat.status_code == 200 and repeat.json()["repeated"]
    assert (await pipeline.act(message_id, "parse_again")).status_code == 409
    starts = await pipeline.value(
        "SELECT count(*) FROM start_queue WHERE workflow_id LIKE $1", f"message/{message_id}%"
    )
    assert starts == 1
    assert (await pipeline.get("/api/accounts")).json()["balanced"]


async def mend(pipeline: Running, message_id: UUID) -> None:
    """What a newer parser would do: the stored bytes can be read now."""
    good = SENDERS["mta"].good()
    await pipeline.sql(
        "UPDATE blob_chunks SET bytes = $2 "
        "WHERE sha256 = (SELECT blob_sha256 FROM accepted_mail WHERE message_id = $1)",
        message_id, good,
    )  # fmt: skip
    await pipeline.sql(
        "UPDATE accepted_mail SET mailbox_id = $2 WHERE message_id = $1", message_id, pipeline.mailbox_id
    )


async def test_mail_for_nobody_is_delivered_to_a_mailbox(pipeline: Running) -> None:  # RC11a, RS-05
    """An ordinary message of that mailbox under the same id; the identity holds."""
    message_id = await pipeline.arrive(mail(to="nobody@elsewhere.example"))
    for bad in (str(uuid.uuid4()), str(await pipeline.value("SELECT id FROM mailboxes WHERE kind = 'unassigned'"))):
        assert (await pipeline.act(message_id, "deliver_to", mailbox_id=bad)).status_code == 422
    body = {"mailbox_id": str(pipeline.mailbox_id), "request_id": f"deliver-{uuid.uuid4()}"}
    answer = await pipeline.act(message_id, "deliver_to", **body)
    assert answer.status_code == 200 and answer.json()["mailbox_id"] == str(pipeline.mailbox_id)
    found = await pipeline.until(message_id, "draft_ready")
    assert found["mailbox_id"] == str(pipeline.mailbox_id) and found["account"] == "pipeline"
    repeat = await pipeline.act(message_id, "deliver_to", **body)
    assert repeat.status_code == 200 and repeat.json()["repeated"]
    assert (await pipeline.get("/api/accounts")).json()["balanced"]


async def test_mail_for_nobody_cannot_be_answered_before_it_has_a_mailbox(pipeline: Running) -> None:  # RC11a
    """There would be no sender address to answer from."""
    message_id = await pipeline.arrive(mail(to="nobody@elsewhere.example"))
    answer = await pipeline.act(message_id, "write_reply", text="Hello")
    assert (answer.status_code, answer.json()["result"]) == (409, "not_prepared")


async def test_unreadable_mail_is_answered_by_hand(pipeline: Running) -> None:  # RS-04, P97
    """A stub message from envelope and header scan, then the person's reply: one mail leaves."""
    await pipeline.config(human_undo_ms=0)
    message_id = await pipeline.arrive(mail(sender="garbled@kunde.example"))
    async with pipeline.without_worker():
        unreadable = await pipeline.arrive(mail(sender="garbled@kunde.example", subject="Torn"))
        await pipeline.sql(
            "UPDATE accepted_mail SET account = 'poison', poison_reason = 'parser_error' WHERE message_id = $1",
            unreadable,
        )
    assert message_id != unreadable
    body = {"text": "We could not read all of your mail.", "request_id": f"hand-{uuid.uuid4()}"}
    answer = await pipeline.act(unreadable, "write_reply", **body)
    assert answer.status_code == 200, answer.text
    found = await pipeline.until(unreadable, "draft_ready")
    assert found["message"]["from_address"] == "garbled@kunde.example" and found["draft"]["text"] == body["text"]
    repeat = await pipeline.act(unreadable, "write_reply", **body)
    assert repeat.status_code == 200 and repeat.json()["repeated"]
    approved = await pipeline.approve(unreadable)
    assert approved.status_code == 200, approved.text
    await pipeline.until(unreadable, "sent")
    assert len([f for f in pipeline.sent() if approved.json()["outbox_id"] in f.name]) == 1


async def test_what_is_no_poison_is_refused_and_audited(pipeline: Running) -> None:  # P97
    """409 with the present status."""
    message_id = await pipeline.arrive()
    await pipeline.until(message_id, "draft_ready")
    for action, body in (("parse_again", {}), ("deliver_to", {"mailbox_id": str(pipeline.mailbox_id)})):
        answer = await pipeline.act(message_id, action, **body)
        assert answer.status_code == 409 and answer.json()["status"] == "draft_ready"
        audited = await pipeline.value(
            "SELECT after ->> 'result' FROM audit_log WHERE subject = $1 AND action = $2",
            f"message/{message_id}",
            action,
        )
        assert audited == "conflict"
