"""The palette, and the bar above a conversation, at the keyboard in a real browser (P115, P117, P121)."""

from uuid import UUID

from playwright.async_api import Page, expect

from tests.browser.test_review import drafted, statuses
from tests.browser.visitors import Visitors
from tests.integration.running import Running

FIELDS = {
    "r": "form[action$=write_reply] textarea",
    "d": "textarea[name=instructions]",
    "e": "textarea[data-agent]",
    "#": "input[name=note]",
    "/": "input[type=search]",
}
CHOSEN = '#palette [aria-selected="true"]'


async def opened(page: Page, asked: str = "") -> None:
    """The palette, with what is asked typed into it."""
    await page.keyboard.press("Control+k")
    await expect(page.locator("#palette-ask")).to_be_focused()
    if asked:
        await page.keyboard.type(asked)


async def thread_of(pipeline: Running, message_id: UUID) -> UUID:
    """The conversation of a message."""
    found: UUID = await pipeline.value("SELECT thread_id FROM inbound_messages WHERE id = $1", message_id)
    return found


async def test_the_palette_finds_conversations_people_and_pages(pipeline: Running, visitors: Visitors) -> None:
    """By full text, name and word; Enter goes there, arrows choose, and it is a combobox to a screen reader."""
    (message_id,) = await drafted(pipeline, 1, sender="Petra Palm <petra@palm.example>", subject="Zinnober pigment",
                                  body="The tube arrived cracked open.")  # fmt: skip
    page = await visitors.arrive()
    box = page.get_by_role("combobox", name="A conversation, a person, a page or an action")
    await opened(page, "cracked")
    await expect(page.locator(CHOSEN)).to_contain_text("Zinnober pigment")
    assert await box.get_attribute("aria-activedescendant") == await page.locator(CHOSEN).get_attribute("id")
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"**/dashboard/inbox/{await thread_of(pipeline, message_id)}*")
    await opened(page, "petra palm")
    person = page.get_by_role("group", name="People").get_by_role("option")
    await expect(person).to_contain_text("petra@palm.example")
    while await page.locator(CHOSEN).text_content() != await person.text_content():
        await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/dashboard/inbox?q=petra*")
    await opened(page, "quarant")
    await expect(page.locator(CHOSEN)).to_have_text("Quarantine")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/dashboard/inbox/quarantine")
    await opened(page, "no such thing at all")
    await expect(page.locator("#palette-said")).to_have_text("Nothing found.")
    await page.keyboard.press("Escape")
    await expect(page.locator("#palette")).to_be_hidden()


async def test_the_palette_does_what_the_page_offers(pipeline: Running, visitors: Visitors) -> None:
    """Actions on the present conversation, hidden menus included; a viewer is offered none; focus comes back."""
    (message_id,) = await drafted(pipeline, 1, subject="act by words")
    thread = f"{pipeline.url}/dashboard/inbox/{await thread_of(pipeline, message_id)}"
    page = await visitors.arrive()
    await page.goto(thread)
    await opened(page)
    await expect(page.locator("#palette-said")).to_contain_text("found")
    await page.keyboard.press("Enter")
    await expect(page.locator("#palette")).to_be_visible()
    await page.keyboard.type("tomorrow")
    await expect(page.locator(CHOSEN)).to_have_text("Snooze: Tomorrow")
    await page.keyboard.press("Enter")
    await expect(page.locator(".talk-state .chip.snoozed")).to_be_visible()
    await opened(page, "state resolved")
    await page.keyboard.press("Enter")
    await expect(page.locator(".talk-state")).to_have_text("resolved")
    await opened(page, "reject")
    await page.keyboard.press("Enter")
    await expect(page.locator("input[name=note]")).to_be_focused()
    await page.keyboard.press("Escape")
    await opened(page, "assign to me")
    await page.keyboard.press("Enter")
    await expect(page.locator("select[name=to_user] option[selected]")).to_have_text("Reviewer")
    viewer = await visitors.arrive("viewer")
    await viewer.goto(thread)
    await opened(viewer)
    await expect(viewer.get_by_role("group", name="Pages")).to_be_visible()
    assert await viewer.get_by_role("group", name="On this conversation").count() == 0


async def test_a_note_by_keyboard(pipeline: Running, visitors: Visitors) -> None:
    """The palette opens it, Ctrl+Enter keeps it, and it stands among the mails of a second browser without a reload."""
    (message_id,) = await drafted(pipeline, 1, subject="noted live")
    thread = f"{pipeline.url}/dashboard/inbox/{await thread_of(pipeline, message_id)}"
    anna, ben = await visitors.arrive(name="Anna"), await visitors.arrive(name="Ben")
    await anna.goto(thread)
    await ben.goto(thread)
    await expect(ben.locator(".present")).to_be_visible()
    await opened(anna, "note")
    await anna.keyboard.press("Enter")
    await expect(anna.locator(".talk-menu textarea")).to_be_focused()
    await anna.keyboard.type("She called; refund agreed.")
    await anna.keyboard.press("Control+Enter")
    await expect(anna.locator(".letter.internal")).to_contain_text("She called; refund agreed.")
    await expect(ben.locator(".letter.internal")).to_contain_text("Note by Anna")


async def test_every_key_works_and_is_shown(pipeline: Running, visitors: Visitors) -> None:  # P117
    """The list of keys opens by `?`; each key there does what it says, and none acts inside a field."""
    ids = await drafted(pipeline, 3, subject="keys")
    page = await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/review")
    await page.wait_for_selector("#work")
    await page.keyboard.press("?")
    shown = set(await page.locator("#keys kbd").all_inner_texts())
    assert set("j k ↓ ↑ Enter 1–9 a e r d s # i x Space J K * Ctrl Z ?".split()) <= shown
    await page.keyboard.press("Escape")
    for key, field in FIELDS.items():
        if key == "/":
            await page.goto(f"{pipeline.url}/dashboard/inbox")
        await page.keyboard.press(key)
        await expect(page.locator(field)).to_be_focused()
        await page.keyboard.type("jx*a")
        await page.locator(field).fill("")
        await page.keyboard.press("Escape")
    await page.goto(f"{pipeline.url}/dashboard/inbox/review")
    before = await page.locator("#work").get_attribute("data-message")
    await page.keyboard.press("s")
    await page.wait_for_function("before => document.querySelector('#work').dataset.message !== before", arg=before)
    await page.keyboard.press("i")
    await expect(page.locator("select[name=to_user] option[selected]")).to_have_text("Reviewer")
    await page.keyboard.press("*")
    await expect(page.locator("[data-tick]:checked")).to_have_count(await page.locator("[data-tick]").count())
    await page.keyboard.press("*")
    await page.keyboard.press("x")
    await expect(page.locator("[data-tick]:checked")).to_have_count(1)
    await page.keyboard.press("Shift+J" if await page.locator("li.picked + li").count() else "Shift+K")
    await expect(page.locator("[data-tick]:checked")).to_have_count(2)
    assert set((await statuses(pipeline, ids)).values()) == {"draft_ready"}


async def test_pictures_of_a_mail_show_and_nothing_leaves(pipeline: Running, visitors: Visitors) -> None:  # HU2
    """The frame without an origin loads them from here; no address elsewhere is asked for."""
    from tests.integration.test_dashboard_pictures import designed

    message_id = await pipeline.arrive(designed("frame@kunde.example"))
    await pipeline.until(message_id, "draft_ready", "archived", "quarantined")
    page = await visitors.arrive()
    await page.goto(f"{pipeline.url}/dashboard/inbox/{await thread_of(pipeline, message_id)}")
    async with page.expect_response(lambda r: "/dashboard/pictures/" in r.url) as answered:
        await page.get_by_text("As it was designed").click()
    assert (await answered.value).status == 200
    assert [url for url in visitors.asked if not url.startswith(pipeline.url) and not url.startswith("data:")] == []


async def test_a_phone_has_the_bar_too(pipeline: Running, visitors: Visitors) -> None:
    """At 360 px nothing is wider than the screen, with each menu open."""
    (message_id,) = await drafted(pipeline, 1, subject="on the train")
    page = await visitors.arrive(has_touch=True)
    await page.set_viewport_size({"width": 360, "height": 740})
    await page.goto(f"{pipeline.url}/dashboard/inbox/{await thread_of(pipeline, message_id)}")
    for name in ("State", "Snooze", "Note"):
        await page.locator(".talk-bar summary", has_text=name).click()
        await expect(page.locator("details.talk-menu[open]")).to_have_count(1)
        wide = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], name
        box = await page.locator("details.talk-menu[open] .sheet").bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 360
