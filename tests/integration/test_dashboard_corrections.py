"""What people correct on a conversation's page: a category, a reply that went wrong, a loop that is none."""

from uuid import UUID

import pytest
import pytest_asyncio

from tests.browser.test_without_script import drafted, reader_as
from tests.browser.visitors import Reader
from tests.integration.running import Running


@pytest_asyncio.fixture
async def reviewer(pipeline: Running) -> Reader:
    """A reviewer without a script."""
    return await reader_as(pipeline, "reviewer", "Rita")


async def page_of(pipeline: Running, message_id: UUID) -> str:
    """The address of the conversation of a message."""
    thread = await pipeline.value("SELECT thread_id FROM inbound_messages WHERE id = $1", message_id)
    return f"/dashboard/inbox/{thread}"


async def went_wrong(pipeline: Running, message_id: UUID, kind: str) -> UUID:
    """An incident on the reply to a message."""
    await pipeline.config(human_undo_ms=0)
    await pipeline.approve(message_id)
    await pipeline.until(message_id, "sent")
    made: UUID = await pipeline.value(
        "INSERT INTO incidents (mailbox_id, kind, outbox_id, message_id, sender, category)"
        " SELECT mailbox_id, $2, id, message_id, 'anna@kunde.example', 'support' FROM outbox"
        " WHERE message_id = $1 RETURNING id",
        message_id, kind,
    )  # fmt: skip
    return made


async def test_a_reviewer_says_what_a_mail_is_about(pipeline: Running, reviewer: Reader) -> None:  # 15.1
    """Kept beside the model's word, shown on the page, and changed by saying it again."""
    message_id = await drafted(pipeline, subject="what is it")
    page = await page_of(pipeline, message_id)
    for category, told in (("billing", "A person said: billing."), ("complaint", "A person said: complaint.")):
        await reviewer.get(page)
        assert (await reviewer.submit("/category", category=category)).headers["location"] == page
        assert told in (await reviewer.get(page)).text
    said = await pipeline.rows("SELECT category, by FROM category_labels WHERE message_id = $1", message_id)
    assert [(row["category"], row["by"][:5]) for row in said] == [("complaint", "user:")]
    await reviewer.submit("/category", category="nonsense")
    assert "A person said: complaint." in (await reviewer.get(page)).text


@pytest.mark.parametrize(
    ("kind", "told"), [("bounced", "An automatic reply came back"), ("complained", "reported as spam")]
)
async def test_an_incident_stands_on_inbox_and_conversation_until_seen(
    pipeline: Running, reviewer: Reader, kind: str, told: str
) -> None:  # P89
    """One press acknowledges it, and it is gone from both."""
    message_id = await drafted(pipeline, subject=f"went wrong {kind}")
    made = await went_wrong(pipeline, message_id, kind)
    page = await page_of(pipeline, message_id)
    inbox = (await reviewer.get("/dashboard/inbox")).text
    assert told in inbox and f"{page}#incident-{made}" in inbox
    assert told in (await reviewer.get(page)).text
    await reviewer.submit(f"/{made}/acknowledge")
    assert told not in (await reviewer.get(page)).text and told not in (await reviewer.get("/dashboard/inbox")).text
    by = await pipeline.value("SELECT acknowledged_by FROM incidents WHERE id = $1", made)
    assert by.startswith("user:")


async def test_a_loop_mark_is_lifted_with_the_name_of_who_did(pipeline: Running, reviewer: Reader) -> None:  # LO2
    """The mark says what it means; after one press the page names the person."""
    message_id = await drafted(pipeline, subject="two machines")
    page = await page_of(pipeline, message_id)
    thread = page.rpartition("/")[2]
    await pipeline.sql("UPDATE conversation_threads SET loop_suspected = true WHERE id = $1", UUID(thread))
    assert "Two machines seem to talk here" in (await reviewer.get(page)).text
    await reviewer.submit("/lift_loop")
    after = (await reviewer.get(page)).text
    assert "Two machines" not in after and "Rita said that no machine answers here" in after


async def test_a_viewer_sees_and_cannot_correct(pipeline: Running) -> None:  # HU8
    """No form is offered, and what is sent all the same is refused."""
    message_id = await drafted(pipeline, subject="only looking")
    page = await page_of(pipeline, message_id)
    thread = page.rpartition("/")[2]
    await pipeline.sql("UPDATE conversation_threads SET loop_suspected = true WHERE id = $1", UUID(thread))
    viewer = await reader_as(pipeline, "viewer")
    assert "Two machines seem to talk here" in (await viewer.get(page)).text
    assert not {"category", "lift_loop", "acknowledge"} & viewer.forms()
    await viewer.post(f"/dashboard/threads/{thread}/lift_loop", {"stay": page})
    await viewer.post(f"/dashboard/messages/{message_id}/category", {"category": "sales", "stay": page})
    assert await pipeline.value("SELECT loop_suspected FROM conversation_threads WHERE id = $1", UUID(thread))
    assert await pipeline.value("SELECT count(*) FROM category_labels WHERE message_id = $1", message_id) == 0
