"""Two people at once, and servers that are away: nothing is decided twice, nothing typed is lost (P98, P100)."""

import asyncio
from uuid import UUID

from playwright.async_api import Page, expect

from tests.browser.test_review import at, drafted, statuses
from tests.browser.visitors import Visitors
from tests.integration.running import Running, mail
from tests.integration.test_api_decisions import in_doubt
from tests.integration.test_api_restore import archived_as_spam
from tests.peers.model_peer import DEFAULT_ANSWERS, Fails

# The page itself notes when it showed a decision; a reload would lose the note.
NOTES_WHEN_SHOWN = """status => {
  window.sawAt = 0;
  new MutationObserver(() => {
    const work = document.querySelector("#work");
    if (work && work.dataset.status === status && !window.sawAt) window.sawAt = Date.now();
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""


async def opened(page: Page, running: Running, message_id: UUID, lane: str = "review") -> None:
    """The message in its lane, with its stream of news open."""
    async with page.expect_response(lambda r: "/dashboard/live" in r.url):
        await page.goto(f"{running.url}/dashboard/inbox/{lane}?at={message_id}")
    assert await at(page) == str(message_id)


async def test_a_decision_is_seen_elsewhere_without_reload(pipeline: Running, visitors: Visitors) -> None:
    """The second page shows the new state by itself; how long it took is printed for whoever runs the tests."""
    await pipeline.config(human_undo_ms=120_000)
    ids = await drafted(pipeline, 3, subject="seen by two")
    anna, ben = await visitors.arrive(name="Anna"), await visitors.arrive(name="Ben")
    took = []
    for message_id in ids:
        for page in (anna, ben):
            await opened(page, pipeline, message_id)
        await ben.evaluate(NOTES_WHEN_SHOWN, "approved")
        pressed = await anna.evaluate("() => Date.now()")
        await anna.keyboard.press("a")
        await expect(ben.locator("#work")).to_have_attribute("data-status", "approved")
        took.append(await ben.evaluate("() => window.sawAt") - pressed)
    print(f"decision_visible_elsewhere_ms: {sorted(took)}")
    assert min(took) > 0


async def test_of_two_approvals_one_wins_and_the_other_sees_who(pipeline: Running, visitors: Visitors) -> None:  # P98
    """Pressed at the same moment: one reply, and the page of the one who was second names the first."""
    await pipeline.config(human_undo_ms=120_000)
    (message_id,) = await drafted(pipeline, 1, subject="both approve")
    anna, ben = await visitors.arrive(name="Anna"), await visitors.arrive(name="Ben")
    for page in (anna, ben):
        await opened(page, pipeline, message_id)
    forms = "form[action$='/approve'] button"
    await asyncio.gather(anna.locator(forms).click(), ben.locator(forms).click())
    refused = [page.locator(".corner .refused, .note.refused") for page in (anna, ben)]

    async def told() -> bool:
        return bool(sum([await one.count() for one in refused]))

    await pipeline.eventually(told)
    second, first = ("Anna", "Ben") if await refused[0].count() else ("Ben", "Anna")
    loser = refused[0] if second == "Anna" else refused[1]
    await expect(loser.first).to_contain_text(first)
    orders = await pipeline.value("SELECT count(*) FROM outbox WHERE message_id = $1", message_id)
    assert orders == 1 and (await statuses(pipeline, [message_id]))[message_id] == "approved"


async def test_a_decision_without_a_worker_is_kept_and_tried_again(pipeline: Running, visitors: Visitors) -> None:
    """Nobody answers: the text stays in its editor with the reason, nothing is half done, and the next press works."""
    await pipeline.config(human_undo_ms=120_000)
    (message_id,) = await drafted(pipeline, 1, subject="away for a moment")
    page = await visitors.arrive()
    await opened(page, pipeline, message_id)
    await page.keyboard.press("e")
    await page.locator("textarea[data-agent]").fill("My own words, typed with care.")
    async with pipeline.without_worker():
        await page.keyboard.press("Control+Enter")
        await expect(page.locator(".note.refused, .note.kept").first).to_be_visible(timeout=60_000)
        await expect(page.locator("textarea[data-agent]")).to_have_value("My own words, typed with care.")
        assert (await statuses(pipeline, [message_id]))[message_id] == "draft_ready"
        assert await pipeline.value("SELECT count(*) FROM outbox WHERE message_id = $1", message_id) == 0
    await page.locator("form[action$=edit_and_approve] button.primary").click()
    await pipeline.until(message_id, "approved")
    assert await pipeline.value("SELECT count(*) FROM outbox WHERE message_id = $1", message_id) == 1


async def test_a_lost_connection_shows_and_recovers(pipeline: Running, visitors: Visitors) -> None:
    """Offline, a decision is put back and said so; online again the bar is gone and the same key decides."""
    await pipeline.config(human_undo_ms=120_000)
    (message_id,) = await drafted(pipeline, 1, subject="on a train")
    page = await visitors.arrive()
    await opened(page, pipeline, message_id)
    await page.context.set_offline(True)
    await page.keyboard.press("a")
    await expect(page.locator(".lost")).to_be_visible()
    await expect(page.locator("li.pending")).to_have_count(0)
    assert (await statuses(pipeline, [message_id]))[message_id] == "draft_ready"
    await page.context.set_offline(False)
    await expect(page.locator(".lost")).to_have_count(0)
    await page.keyboard.press("a")
    await pipeline.until(message_id, "approved")


async def test_what_went_wrong_is_mended_on_its_page(pipeline: Running, visitors: Visitors) -> None:  # P97, OB10
    """A doubtful delivery is settled, a failure retried, a wrongly archived mail restored: each where it is listed."""
    await pipeline.config(human_undo_ms=700)
    page = await visitors.arrive()
    doubtful = await in_doubt(pipeline)
    await opened(page, pipeline, doubtful, "ambiguous")
    await page.locator("form[action$=resolve_delivery] button[value=went_out]").click()
    await pipeline.until(doubtful, "sent")
    pipeline.model.answer("classify_answer", Fails(401))
    failed = await pipeline.arrive(mail(subject="fails once"))
    await pipeline.until(failed, "failed")
    pipeline.model.answer("classify_answer", DEFAULT_ANSWERS["classify_answer"])
    await opened(page, pipeline, failed, "failed")
    await page.locator(f"form[action='/dashboard/messages/{failed}/retry'] button.primary").click()
    await pipeline.until(failed, "draft_ready")
    spam = await archived_as_spam(pipeline)
    await opened(page, pipeline, spam, "archived")
    await page.locator("form[action$=restore] button").click()
    await pipeline.until(spam, "draft_ready")


async def test_a_follow_up_is_written_on_a_closed_conversation(pipeline: Running, visitors: Visitors) -> None:  # P97a
    """By keyboard, with an answer sent before; the reply leaves as a mail of its own and stands in the conversation."""
    await pipeline.config(human_undo_ms=0)
    (message_id,) = await drafted(pipeline, 1, subject="one more thing")
    assert (await pipeline.approve(message_id)).status_code == 200
    await pipeline.until(message_id, "sent")
    thread_id = await pipeline.value("SELECT thread_id FROM inbound_messages WHERE id = $1", message_id)
    await pipeline.post(f"/api/threads/{thread_id}/status", {"status": "closed"})
    before = len(pipeline.sent())
    page = await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/{thread_id}")
    await page.keyboard.press("r")
    await expect(page.locator("form[action$=write_reply] textarea")).to_be_focused()
    await page.keyboard.type("The parcel was found today.")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".talk")).to_contain_text("The parcel was found today.")

    async def left() -> bool:
        return len(pipeline.sent()) == before + 1

    await pipeline.eventually(left)
