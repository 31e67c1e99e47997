"""The promise in SQL: every message accounted for, none answered twice, nobody stranded; true after any fault."""

import asyncio
from uuid import UUID

from temporalio.client import WorkflowExecutionStatus

from tests.faults.house import House
from tests.faults.looking import eventually
from tests.faults.mails import PLANTED
from tests.replay.history_texts import texts_in

# A terminal message's workflow ends a moment after its row; a wake that was sent is stamped a moment later.
SOON_S = 60.0

BROKEN_CHAINS = """
SELECT message_id, seq, from_status, expected FROM (
    SELECT message_id, seq, from_status,
        coalesce(lag(to_status) OVER (PARTITION BY message_id ORDER BY seq), '') AS expected
    FROM lifecycle_events WHERE accepted AND to_status <> '') e WHERE from_status <> expected
"""
REPEATED_EDGES = """
SELECT message_id, from_status, to_status, count(*) FROM lifecycle_events WHERE accepted AND to_status <> ''
GROUP BY 1, 2, 3 HAVING count(*) > 1
"""
FALSE_ENDINGS = """
SELECT m.id, m.processing_status FROM inbound_messages m WHERE m.processing_status <> (
    SELECT to_status FROM lifecycle_events e WHERE e.message_id = m.id AND accepted AND to_status <> ''
    ORDER BY seq DESC LIMIT 1)
"""
UNACCOUNTED = """
SELECT a.message_id, a.account FROM accepted_mail a LEFT JOIN inbound_messages m ON m.id = a.message_id
WHERE a.account <> 'pipeline' OR m.id IS NULL
"""
LIVE_ROWS_TWICE = """
SELECT message_id, reply_slot, count(*) FROM outbox WHERE state <> 'cancelled' GROUP BY 1, 2 HAVING count(*) > 1
"""
WHICH_ARE_OVER = "SELECT id, processing_status IN ('sent', 'rejected', 'archived') AS over FROM inbound_messages"
UNFINISHED_STEPS = """
SELECT m.id, action_type, x.status FROM agent_actions x JOIN inbound_messages m ON m.id = x.inbound_message_id
WHERE m.processing_status IN ('draft_ready', 'approved', 'sent') AND x.status NOT IN ('completed', 'skipped')
"""


async def check_promise(house: House, messages: list[UUID]) -> None:
    """All of it. Every message of the house went its way once: no edge was walked twice."""
    assert await house.rows(REPEATED_EDGES) == []
    await check_accounts(house, messages)


async def check_accounts(house: House, messages: list[UUID]) -> None:
    """The same without the single walk, for houses in which a person sent something round again."""
    ids = {row["message_id"] for row in await house.rows("SELECT message_id FROM accepted_mail")}
    assert ids == set(messages)
    for broken in (BROKEN_CHAINS, FALSE_ENDINGS, UNACCOUNTED, LIVE_ROWS_TWICE, UNFINISHED_STEPS):
        assert await house.rows(broken) == [], broken
    await check_sent_once(house)
    await _queues_are_empty(house)
    await _workflows_match(house)
    await histories_hold_none_of(house, PLANTED)


async def check_sent_once(house: House) -> None:
    """No mail left twice, and each row that says `sent` left."""
    accepted, files = house.servers.accepted(), {file.stem for file in house.outbox.glob("*.eml")}
    assert [mail for mail, times in accepted.items() if times > 1] == []
    for row in await house.rows("SELECT id, rfc_message_id, state FROM outbox"):
        left = row["rfc_message_id"] in accepted or str(row["id"]) in files
        assert left or row["state"] != "sent", row
        assert not left or row["state"] in ("sent", "ambiguous", "bounced"), row


async def _queues_are_empty(house: House) -> None:
    async def empty() -> bool:
        starts = await house.value("SELECT count(*) FROM start_queue WHERE started_at IS NULL")
        return starts + await house.value("SELECT count(*) FROM wake_queue WHERE delivered_at IS NULL") == 0

    await eventually(empty, "no start and no wake waits", SOON_S)


async def _workflows_match(house: House) -> None:
    """A message that goes on has an open workflow; one that ended has none that is open, failed or lost."""

    async def match() -> bool:
        rows = await house.rows(WHICH_ARE_OVER)
        found = await asyncio.gather(*(_workflow_status(house, row["id"]) for row in rows))
        ends = (WorkflowExecutionStatus.RUNNING, WorkflowExecutionStatus.COMPLETED)
        return all(status is ends[row["over"]] for row, status in zip(rows, found, strict=True))

    await eventually(match, "each message that goes on has an open workflow, each other one a completed one", SOON_S)


async def _workflow_status(house: House, message_id: UUID) -> WorkflowExecutionStatus | None:
    return (await house.workflow(message_id).describe()).status


async def histories_hold_none_of(house: House, words: tuple[str, ...]) -> None:
    """Nothing of mail, draft or note in any history of the namespace, decoded payloads included (A9, HM-38)."""
    executions = [execution async for execution in house.client.list_workflows()]
    assert executions
    for execution in executions:
        handle = house.client.get_workflow_handle(execution.id, run_id=execution.run_id)
        texts = texts_in((await handle.fetch_history()).to_json_dict())
        assert [word for word in words if word in texts] == [], execution.id


async def attempts_of(house: House, message_id: UUID, activity: str) -> int:
    """How often a remote activity of the message's workflow was started, by its last try."""
    history = await house.workflow(message_id).fetch_history()
    scheduled = {
        event.event_id
        for event in history.events
        if event.activity_task_scheduled_event_attributes.activity_type.name == activity
    }
    tries = [
        event.activity_task_started_event_attributes.attempt
        for event in history.events
        if event.activity_task_started_event_attributes.scheduled_event_id in scheduled
    ]
    return max(tries, default=0)
