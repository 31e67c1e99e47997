"""A reviewer at the keyboard, and two of them at once, in real browsers against the real pipeline (P116-P118, P98)."""

import asyncio
from uuid import UUID

from playwright.async_api import Page, expect

from tests.browser.visitors import Visitors
from tests.integration.running import Running, mail


async def drafted(pipeline: Running, count: int, **fields: str) -> list[UUID]:
    """So many messages in review."""
    ids = [await pipeline.arrive(mail(**fields)) for _ in range(count)]
    for message_id in ids:
        await pipeline.until(message_id, "draft_ready")
    return ids


async def statuses(pipeline: Running, ids: list[UUID]) -> dict[UUID, str]:
    """Where the messages are."""
    rows = await pipeline.rows("SELECT id, processing_status FROM inbound_messages WHERE id = ANY ($1)", ids)
    return {row["id"]: row["processing_status"] for row in rows}


async def at(page: Page) -> str:
    """The message that is shown."""
    return str(await page.locator("#work").get_attribute("data-message"))


async def next_after(page: Page, before: str) -> None:
    """Waits until another message is shown."""
    await page.wait_for_function(
        "before => { const w = document.querySelector('#work'); return !w || w.dataset.message !== before }", arg=before
    )


async def test_ten_mails_by_keyboard_alone(pipeline: Running, visitors: Visitors) -> None:  # P117
    """Approve, edit, reject and skip ten mails; the next one takes the focus each time, and no key takes a mouse."""
    await pipeline.config(human_undo_ms=120_000)
    ids = await drafted(pipeline, 10)
    page = await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/review")
    await expect(page.locator("[data-row]")).to_have_count(10)
    done: dict[str, str] = {}
    for n in range(10):
        shown = await at(page)
        await expect(page.locator(f"#row-{shown} a")).to_be_focused()
        if n == 3:
            await page.keyboard.press("e")
            await expect(page.locator("textarea[data-agent]")).to_be_focused()
            await page.keyboard.type("Dear Anna, ")
            await expect(page.locator("[data-diff] ins").first).to_be_visible()
            await page.keyboard.press("Control+Enter")
            done[shown] = "approved"
        elif n == 5:
            await page.keyboard.press("#")
            await expect(page.locator("input[name=note]")).to_be_focused()
            await page.keyboard.press("Enter")
            done[shown] = "rejected"
        else:
            await page.keyboard.press("a")
            done[shown] = "approved"
        await next_after(page, shown)
    await expect(page.get_by_text("Nothing waits for you.")).to_be_visible()
    assert {str(i): s for i, s in (await statuses(pipeline, ids)).items()} == done and len(done) == 10
    edited = await pipeline.value(
        "SELECT count(*) FROM draft_revisions WHERE text LIKE 'Dear Anna, %' AND author LIKE 'user:%'"
    )
    assert edited == 1


async def test_undo_takes_the_last_approval_back(pipeline: Running, visitors: Visitors) -> None:  # P102, P117
    """Ctrl+Z within the window; keys are inert while somebody types."""
    await pipeline.config(human_undo_ms=120_000)
    (message_id,) = await drafted(pipeline, 1, subject="undo me")
    page = await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/review?at={message_id}")
    await page.keyboard.press("r")
    await page.keyboard.type("a#ejk")
    assert (await statuses(pipeline, [message_id]))[message_id] == "draft_ready"
    await page.locator("textarea[name=text]:focus").fill("")
    await page.keyboard.press("Escape")
    await page.keyboard.press("a")
    await expect(page.locator(".note.undo")).to_be_visible()
    assert (await statuses(pipeline, [message_id]))[message_id] == "approved"
    await page.keyboard.press("Control+z")
    await expect(page.locator(".corner").get_by_text("1 taken back; nothing was sent.")).to_be_visible()
    assert (await statuses(pipeline, [message_id]))[message_id] == "draft_ready"


async def test_a_decision_shows_in_a_second_browser(pipeline: Running, visitors: Visitors) -> None:  # P98
    """Without a reload: the state of the open message changes, and its row in the list is marked; nothing moves."""
    await pipeline.config(human_undo_ms=120_000)
    first, second = await drafted(pipeline, 2, subject="two of us")
    anna, ben = await visitors.arrive(name="Anna"), await visitors.arrive(name="Ben")
    await ben.goto(f"{pipeline.url}/dashboard/inbox/review")
    await ben.wait_for_selector("#work")
    first, second = (first, second) if await at(ben) == str(first) else (second, first)
    await anna.goto(f"{pipeline.url}/dashboard/inbox/review?at={first}")
    await asyncio.sleep(0.5)
    rows = await ben.locator("[data-row]").count()
    await anna.keyboard.press("a")
    await expect(ben.locator("#work")).to_have_attribute("data-status", "approved")
    assert await at(ben) == str(first)
    await expect(ben.locator(f"#row-{first}")).to_have_class("row pick gone")
    assert await ben.locator("[data-row]").count() == rows
    newest = (await drafted(pipeline, 1, subject="came meanwhile"))[0]
    await expect(ben.locator("[data-news]")).to_have_text("1 new")
    assert await ben.locator(f"#row-{newest}").count() == 0
    await ben.locator("[data-news]").click()
    await expect(ben.locator(f"#row-{newest}")).to_be_visible()
    await expect(ben.locator(f"#row-{second}")).to_be_visible()


async def test_of_two_edits_one_wins_and_both_texts_stay(pipeline: Running, visitors: Visitors) -> None:  # P98
    """The loser sees who was first, keeps the text in the editor, and sees the other text beside it."""
    (message_id,) = await drafted(pipeline, 1, subject="both write")
    anna, ben = await visitors.arrive(name="Anna"), await visitors.arrive(name="Ben")
    for page in (anna, ben):
        await page.goto(f"{pipeline.url}/dashboard/inbox/review?at={message_id}")
    await ben.keyboard.press("e")
    await ben.locator("textarea[data-agent]").fill("Ben's own words.")
    await anna.keyboard.press("r")
    await anna.locator("form[action$=write_reply] textarea").fill("Anna was first.")
    await anna.keyboard.press("Control+Enter")
    await expect(anna.locator("#draft-text")).to_have_text("Anna was first.")
    await expect(ben.locator("[data-changed-note]")).to_be_visible()
    await expect(ben.locator("textarea[data-agent]")).to_have_value("Ben's own words.")
    await ben.locator("textarea[data-agent]").focus()
    await ben.keyboard.press("Control+Enter")
    await expect(ben.locator(".note.refused")).to_contain_text("Anna")
    await expect(ben.locator("#draft-text")).to_have_text("Anna was first.")
    await expect(ben.locator("textarea[data-agent]")).to_have_value("Ben's own words.")


async def test_bulk_approves_what_was_looked_at(pipeline: Running, visitors: Visitors) -> None:  # P118, HU9
    """Selected by keys; what was never opened is left alone and said so; one undo for the batch."""
    await pipeline.config(human_undo_ms=120_000)
    ids = await drafted(pipeline, 3, subject="by the dozen")
    page = await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/review")
    async with page.expect_response(lambda r: r.url.endswith("/presence")):
        await page.goto(f"{pipeline.url}/dashboard/inbox/review?at={ids[2]}")
    async with page.expect_response(lambda r: r.url.endswith("/presence")):
        await page.keyboard.press("j")
        await page.wait_for_function("id => document.querySelector('#work').dataset.message === id", arg=str(ids[1]))
    for message_id in ids:
        await page.locator(f"#row-{message_id} [data-tick]").check()
    await page.keyboard.press("a")
    await expect(page.locator(".note.refused")).to_contain_text("2 approved. 1 was not")
    after = await statuses(pipeline, ids)
    assert [after[i] for i in ids] == ["draft_ready", "approved", "approved"]
    await page.keyboard.press("Control+z")
    await expect(page.locator(".corner").get_by_text("2 taken back; nothing was sent.")).to_be_visible()
    assert set((await statuses(pipeline, ids)).values()) == {"draft_ready"}
